//! Formats of strings and numbers.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use k8s_openapi::jiff::civil::Date;
use regex::Regex;

/// A format that is checked.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format<'a> {
    Text(TextFormat),
    /// Its name.
    Number(&'a str),
}

/// A format of strings: the name without dashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextFormat(&'static str);

/// Without dashes, as the real server compares them.
const TEXTS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

impl<'a> Format<'a> {
    /// The format of that name, if it is one of the type. Others are ignored.
    pub(super) fn of(kind: &str, name: &'a str) -> Option<Self> {
        match kind {
            "" | "string" => {
                let name = name.replace('-', "");
                TEXTS.iter().find(|known| **known == name).map(|known| Self::Text(TextFormat(known)))
            }
            "integer" => matches!(name, "int32" | "int64").then_some(Self::Number(name)),
            "number" => matches!(name, "float" | "double").then_some(Self::Number(name)),
            _ => None,
        }
    }
}

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static HOSTNAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$",
    )
});
static TIME: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"));
static DURATION_PART: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r"[0-9]+[\t\n\f\r ]*([A-Za-zµ]+)"));
static GO_DURATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"^[-+]?(0|(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"));
static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^([^<>@]*<)?[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+)*@[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+)*>?$",
    )
});
static CREDIT_CARD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}|6[27][0-9]{14}|^(81[0-9]{14,17}))$",
    )
});
static RGB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let part = r"[\t\n\f\r ]*(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])[\t\n\f\r ]*";
    regex(&format!(r"^rgb\({part},{part},{part}\)$"))
});

fn matches(regex: &LazyLock<Option<Regex>>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

impl TextFormat {
    pub(super) fn matches(self, text: &str) -> bool {
        match self.0 {
            "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "uri" => is_request_uri(text),
            "email" => matches(&EMAIL, text),
            "hostname" => {
                text.len() <= 255 && text.split('.').all(|part| part.len() <= 63) && matches(&HOSTNAME, text)
            }
            "ipv4" => text.contains('.') && is_address(text),
            "ipv6" => text.contains(':') && text.parse::<Ipv6Addr>().is_ok(),
            "cidr" => is_cidr(text),
            "mac" => is_mac(text),
            "uuid" => is_uuid(text, None, false),
            "uuid3" => is_uuid(text, Some('3'), false),
            "uuid4" => is_uuid(text, Some('4'), true),
            "uuid5" => is_uuid(text, Some('5'), true),
            "isbn10" => is_isbn10(text),
            "isbn13" => is_isbn13(text),
            "isbn" => is_isbn10(text) || is_isbn13(text),
            "creditcard" => is_credit_card(text),
            "ssn" => is_ssn(text),
            "hexcolor" => {
                let digits = text.strip_prefix('#').unwrap_or(text);
                matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            "rgbcolor" => matches(&RGB, text),
            "byte" => is_base64(text),
            "date" => is_date(text),
            "duration" => is_duration(text),
            "datetime" => is_date_time(text),
            "k8sshortname" => is_short_name(text),
            "k8slongname" => text.len() <= 253 && text.split('.').all(is_name_part),
            _ => true,
        }
    }
}

pub(super) fn is_request_uri(text: &str) -> bool {
    let has_control = text.chars().any(|c| c.is_ascii_control());
    if text.starts_with('/') || text == "*" {
        return !has_control;
    }
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let host = rest.strip_prefix("//").map(|rest| rest.split(['/', '?']).next().unwrap_or_default());
    let host_is_good = host.is_none_or(|host| !host.contains([' ', '<', '>', '"', '\\', '^']));
    is_scheme && !has_control && host_is_good && !rest.is_empty()
}

fn is_address(text: &str) -> bool {
    // Leading zeros are allowed, as in Go before 1.17.
    let parts: Vec<&str> = text.split('.').collect();
    let is_part = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u32>().is_ok_and(|part| part <= 255)
    };
    if text.contains(':') {
        text.parse::<Ipv6Addr>().is_ok()
    } else {
        parts.len() == 4 && parts.iter().all(is_part)
    }
}

fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    let is_length = !length.is_empty()
        && length.bytes().all(|byte| byte.is_ascii_digit())
        && length.parse::<u32>().is_ok_and(|length| length <= most);
    is_length && (is_address(address) || address.parse::<IpAddr>().is_ok())
}

fn is_mac(text: &str) -> bool {
    let is_hex =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let with = |separator: char, length: usize, counts: [usize; 3]| {
        let parts: Vec<&str> = text.split(separator).collect();
        counts.contains(&parts.len()) && parts.iter().all(|part| is_hex(part, length))
    };
    with(':', 2, [6, 8, 20]) || with('-', 2, [6, 8, 20]) || with('.', 4, [3, 4, 10])
}

fn is_uuid(text: &str, version: Option<char>, has_variant: bool) -> bool {
    let mut rest = text;
    let mut digits = String::new();
    for length in [8, 4, 4, 4, 12] {
        let Some(part) = rest.get(..length) else { return false };
        digits.push_str(part);
        rest = &rest[length..];
        rest = if length == 12 { rest } else { rest.strip_prefix('-').unwrap_or(rest) };
    }
    let at = |index: usize| digits.chars().nth(index).unwrap_or_default().to_ascii_lowercase();
    rest.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && version.is_none_or(|version| at(12) == version)
        && (!has_variant || matches!(at(16), '8' | '9' | 'a' | 'b'))
}

fn digits_of(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | ' ' | '\t' | '\n' | '\r')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let digits = digits_of(text);
    let numbers: Option<Vec<u32>> = digits
        .chars()
        .enumerate()
        .map(|(index, c)| if index == 9 && c == 'X' { Some(10) } else { c.to_digit(10) })
        .collect();
    numbers.is_some_and(|numbers| {
        numbers.len() == 10
            && (1_u32..).zip(&numbers).map(|(weight, number)| weight * number).sum::<u32>() % 11 == 0
    })
}

fn is_isbn13(text: &str) -> bool {
    let numbers: Option<Vec<u32>> = digits_of(text).chars().map(|c| c.to_digit(10)).collect();
    numbers.is_some_and(|numbers| {
        let weights = [1, 3].into_iter().cycle();
        numbers.len() == 13
            && weights.zip(&numbers).map(|(weight, number)| weight * number).sum::<u32>() % 10 == 0
    })
}

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let doubled = |(index, digit): (usize, u32)| match (index % 2, digit) {
        (0, digit) => digit,
        (_, digit) if digit < 5 => digit * 2,
        (_, digit) => digit * 2 - 9,
    };
    let sum: u32 = digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate().map(doubled).sum();
    matches(&CREDIT_CARD, &digits) && sum.is_multiple_of(10)
}

fn is_ssn(text: &str) -> bool {
    let rest = |text: &str, length: usize| -> Option<usize> {
        text.get(..length).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit())).map(str::len)
    };
    let skip = |text: &str| usize::from(text.starts_with(['-', ' ']));
    let mut at = 0;
    for length in [3, 2, 4] {
        let Some(taken) = rest(&text[at..], length) else { return false };
        at += taken;
        at += if length == 4 { 0 } else { skip(&text[at..]) };
    }
    text.len() == 11 && at == text.len()
}

fn is_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=');
    let padding = text.len() - data.len();
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && padding <= 2
        && data.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.is_ascii() && text.parse::<Date>().is_ok() && text.as_bytes()[4] == b'-'
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    let in_range = |from: usize, most: &str| time.get(from..from + 2).is_some_and(|part| part <= most);
    is_date(date) && matches(&TIME, time) && in_range(0, "23") && in_range(3, "59") && in_range(6, "59")
}

fn is_duration(text: &str) -> bool {
    if matches(&GO_DURATION, text) {
        return true;
    }
    let Some(part) = DURATION_PART.as_ref() else { return false };
    let is_unit = |unit: &str| {
        let unit = unit.to_lowercase();
        let exact = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"];
        let starts = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
        exact.contains(&&*unit) || starts.iter().any(|start| unit.starts_with(start))
    };
    part.captures_iter(text).any(|found| found.get(1).is_some_and(|unit| is_unit(unit.as_str())))
}

fn is_name_part(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}

fn is_short_name(text: &str) -> bool {
    text.len() <= 63 && is_name_part(text)
}

#[cfg(test)]
mod tests;
