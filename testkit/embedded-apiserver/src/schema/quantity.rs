//! Quantities, such as `500m` and `2Gi`: the server writes them in a canonical form.

/// Go's messages for a quantity that is not one.
const NOT_A_QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_SUFFIX: &str = "unable to parse quantity's suffix";

const NANO: i128 = 1_000_000_000;
/// The largest quantity, in units.
const MOST: i128 = i64::MAX as i128;
const DECIMAL: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// How a quantity is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Decimal,
    Exponent,
    Binary,
}

/// A quantity as the server writes it, or Go's message if the text is none.
pub(crate) fn canonical(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NOT_A_QUANTITY.to_owned());
    }
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = unsigned.split_at(digits(unsigned));
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let fraction = &fraction[..digits(fraction)];
    let suffix = rest.strip_prefix('.').map_or(rest, |rest| &rest[fraction.len()..]);
    let (format, ten, two) = read_suffix(suffix)?;
    let whole = whole.trim_start_matches('0');
    if is_kept(whole, fraction, format, ten, two) {
        return Ok(text.to_owned());
    }
    // What has more digits than fit is left as it is.
    let Some(nanos) = nanos(whole, fraction, ten, two) else { return Ok(text.to_owned()) };
    let (nanos, format) = match format {
        Format::Binary if nanos < 1024 * NANO || nanos % NANO != 0 => (nanos, Format::Decimal),
        Format::Binary => (nanos.min(MOST * NANO), format),
        Format::Decimal | Format::Exponent => (nanos, format),
    };
    let sign = if is_negative && nanos != 0 { "-" } else { "" };
    Ok(format!("{sign}{}", written(nanos, format)))
}

/// Whether Go keeps the text as it is, which it does if it can tell at a glance that it is canonical, more or less.
fn is_kept(whole: &str, fraction: &str, format: Format, ten: i32, two: u32) -> bool {
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX / 4);
    match format {
        Format::Binary => {
            let is_odd = whole.parse::<i64>().is_ok_and(|value| value & 7 != 0);
            let magnitude = i32::try_from(two * 3 / 10).unwrap_or(i32::MAX / 4);
            fraction.is_empty() && 15 - length(whole).max(1) - magnitude > 0 && is_odd
        }
        Format::Decimal | Format::Exponent => {
            let scale = ten.saturating_sub(length(fraction));
            let fits = length(whole).max(1) + length(fraction) <= 18;
            let is_short = !whole.is_empty() && !format!("{whole}{fraction}").ends_with("000");
            fits && (-9..).contains(&scale) && scale % 3 == 0 && is_short
        }
    }
}

/// The format that a suffix stands for, and its powers of ten and two.
fn read_suffix(suffix: &str) -> Result<(Format, i32, u32), String> {
    if let Some((_, exponent)) = DECIMAL.iter().find(|(known, _)| *known == suffix) {
        return Ok((Format::Decimal, *exponent, 0));
    }
    if let Some(power) = (1..).zip(BINARY).find_map(|(power, known)| (known == suffix).then_some(power)) {
        return Ok((Format::Binary, 0, 10 * power));
    }
    let letters = suffix.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = letters.strip_suffix(['+', '-']).unwrap_or(letters);
    if !letters.bytes().all(|byte| b"eEinumkKMGTP".contains(&byte)) {
        return Err(NOT_A_QUANTITY.to_owned());
    }
    match suffix.strip_prefix(['e', 'E']).and_then(|exponent| exponent.parse().ok()) {
        Some(exponent) => Ok((Format::Exponent, exponent, 0)),
        None => Err(BAD_SUFFIX.to_owned()),
    }
}

/// The value in billionths, rounded up; `None` if it does not fit.
fn nanos(whole: &str, fraction: &str, ten: i32, two: u32) -> Option<i128> {
    let digits = format!("0{whole}{fraction}").parse::<i128>().ok()?;
    let value = digits.checked_mul(1_i128.checked_shl(two)?)?;
    let exponent = ten.checked_sub(i32::try_from(fraction.len()).ok()?)?.checked_add(9)?;
    let power = 10_i128.checked_pow(exponent.unsigned_abs());
    match (exponent >= 0, power) {
        (true, power) => value.checked_mul(power?),
        (false, Some(power)) => Some(value / power + i128::from(value % power != 0)),
        (false, None) => Some(i128::from(value != 0)),
    }
}

fn written(nanos: i128, format: Format) -> String {
    if nanos == 0 {
        return "0".to_owned();
    }
    if format == Format::Binary {
        let mut value = nanos / NANO;
        let mut suffix = "";
        for larger in BINARY {
            if value % 1024 != 0 {
                break;
            }
            value /= 1024;
            suffix = larger;
        }
        return format!("{value}{suffix}");
    }
    let mut value = nanos;
    let mut exponent = -9;
    while value % 1000 == 0 {
        value /= 1000;
        exponent += 3;
    }
    match format {
        Format::Exponent if exponent == 0 => value.to_string(),
        Format::Exponent => format!("{value}e{exponent}"),
        Format::Decimal | Format::Binary => {
            let suffix =
                DECIMAL.iter().find(|(_, known)| *known == exponent).map_or("", |(suffix, _)| suffix);
            format!("{value}{suffix}")
        }
    }
}
