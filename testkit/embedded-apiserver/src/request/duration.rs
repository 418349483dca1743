//! Durations in the notation of Go, such as `1h30m` or `1.5s`.

const UNITS: [&str; 8] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

/// Checks that a text is a duration; the error has the message of Go.
pub(super) fn check(text: &str) -> Result<(), String> {
    let invalid = || format!("time: invalid duration {text:?}");
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, after) = rest.split_at(end);
        if amount.matches('.').count() > 1 || !amount.contains(|c: char| c.is_ascii_digit()) {
            return Err(invalid());
        }
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        match unit {
            "" => return Err(format!("time: missing unit in duration {text:?}")),
            unit if !UNITS.contains(&unit) => {
                return Err(format!("time: unknown unit {unit:?} in duration {text:?}"));
            }
            _ => rest = after,
        }
    }
    Ok(())
}
