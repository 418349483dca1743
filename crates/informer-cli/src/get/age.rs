//! Times as kubectl tells them: how long ago.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

/// The time that has passed since a field of an object says something happened, `<unknown>` if it does not say.
pub(crate) fn since(object: &Value, pointer: &str, now: Timestamp) -> String {
    match time(object, pointer) {
        Some(then) => age(now.as_second() - then.as_second()),
        None => "<unknown>".to_owned(),
    }
}

pub(crate) fn time(object: &Value, pointer: &str) -> Option<Timestamp> {
    object.pointer(pointer)?.as_str()?.parse().ok()
}

/// Seconds in one unit or two: `12s`, `5m30s`, `41m`, `3h20m`, `30h`, `2d4h`, `41d`. Clocks of machines differ, so what
/// happened in the future happened just now.
pub(crate) fn age(seconds: i64) -> String {
    let (seconds, minutes, hours, days) = (seconds.max(0), seconds / 60, seconds / 3_600, seconds / 86_400);
    let two = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        _ => format!("{large}{unit}{small}{small_unit}"),
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests;
