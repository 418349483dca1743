//! The local time of the user.

use std::path::Path;
use std::{env, fs};

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;

/// Where Unix systems keep their time zones.
const ZONES: &str = "/usr/share/zoneinfo";

/// The time zone in `TZ`, or else that of the system, or else UTC.
pub(crate) fn zone() -> TimeZone {
    let system = || from_file(Path::new("/etc/localtime"));
    let zone = match env::var("TZ") {
        Ok(named) => by_name(named.trim_start_matches(':')),
        Err(_) => system(),
    };
    zone.unwrap_or(TimeZone::UTC)
}

/// The time of day, such as `12:00:01`.
pub(crate) fn time_of_day(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

/// A zone such as `Europe/Berlin`, or its rules as in `CET-1CEST,M3.5.0,M10.5.0/3`.
fn by_name(name: &str) -> Option<TimeZone> {
    match name {
        "" => None,
        _ => from_file(&Path::new(ZONES).join(name)).or_else(|| TimeZone::posix(name).ok()),
    }
}

fn from_file(file: &Path) -> Option<TimeZone> {
    TimeZone::tzif("local", &fs::read(file).ok()?).ok()
}

#[cfg(test)]
mod tests;
