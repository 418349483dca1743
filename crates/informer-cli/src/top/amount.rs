//! Numbers for people, short enough for a column.

use crate::get::age::age;

/// What stands for something that is not known.
pub(super) const UNKNOWN: &str = "–";

/// `0`, `9999`, `12.3k`, `4.5M`: at most five characters below a thousand million.
pub(super) fn count(number: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let float = number as f64;
    match number {
        0..10_000 => number.to_string(),
        10_000..999_950 => format!("{:.1}k", float / 1e3),
        999_950..999_950_000 => format!("{:.1}M", float / 1e6),
        _ => format!("{:.1}G", float / 1e9),
    }
}

/// `512 B`, `1.2 MiB`, `34 GiB`.
pub(super) fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    #[allow(clippy::cast_precision_loss)]
    let mut number = number as f64;
    let mut place = 0;
    // What would be rounded to 1024 is one of the next unit.
    while number >= 1023.5 && place + 1 < UNITS.len() {
        number /= 1024.0;
        place += 1;
    }
    if place > 0 && number < 9.95 {
        format!("{number:.1} {}", UNITS[place])
    } else {
        format!("{number:.0} {}", UNITS[place])
    }
}

/// A number a second: `0`, `0.3`, `12`, `1.5k`.
pub(super) fn rate(number: f64) -> String {
    match number {
        _ if number <= 0.0 => "0".to_owned(),
        _ if number < 0.05 => "<0.1".to_owned(),
        _ if number < 9.95 => format!("{number:.1}"),
        _ if number < 999.5 => format!("{number:.0}"),
        _ if number < 99_950.0 => format!("{:.1}k", number / 1e3),
        _ => format!("{:.0}k", number / 1e3),
    }
}

/// How long something lasts that is counted in seconds: `3m12s`.
pub(super) fn time(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation)]
    age(seconds as i64)
}

/// How long a call took: `<1ms`, `12ms`, `1.5s`, `3m12s`.
pub(super) fn short_time(seconds: f64) -> String {
    match seconds {
        _ if seconds <= 0.0 => UNKNOWN.to_owned(),
        _ if seconds < 0.001 => "<1ms".to_owned(),
        _ if seconds < 0.9995 => format!("{:.0}ms", seconds * 1e3),
        _ if seconds < 9.95 => format!("{seconds:.1}s"),
        _ => time(seconds),
    }
}

/// The text of something that may not be known.
pub(super) fn known<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), text)
}

#[cfg(test)]
mod tests;
