//! The numbers of client-go's behaviours, `B-001` and so on, and which of them the ledger must answer.

use std::fmt;

/// Such as `B-060` or `B-060a`. Ordered as in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    value: u16,
    suffix: Option<char>,
}

impl Number {
    /// Whether the name of a test carries it: `b_006` between underscores or at an end.
    pub(crate) fn is_in(self, test: &str) -> bool {
        let name = test.rsplit("::").next().unwrap_or(test);
        let written = self.to_string().to_lowercase().replace('-', "_");
        format!("_{name}_").contains(&format!("_{written}_"))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "B-{:03}", self.value)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

/// The groups of behaviours that concern informers and controllers; what lies between them are other parts of client-go.
const REQUIRED: &[(u16, u16)] = &[
    (1, 69),
    (100, 123),
    (150, 167),
    (170, 176),
    (180, 181),
    (190, 192),
    (200, 228),
    (250, 303),
    (320, 327),
    (330, 333),
    (350, 360),
    (380, 385),
    (400, 406),
    (420, 435),
    (460, 470),
    (475, 482),
    (485, 492),
    (495, 499),
    (520, 527),
    (535, 536),
    (540, 542),
    (545, 545),
    (560, 565),
    (580, 586),
    (590, 590),
];

/// Numbers that were put between two others.
const REQUIRED_WITH_SUFFIX: &[(u16, char)] = &[(60, 'a'), (60, 'b'), (60, 'c')];

/// Every number the ledger must have, in order.
pub(crate) fn required() -> Vec<Number> {
    let plain = REQUIRED.iter().flat_map(|&(first, last)| first..=last).map(|value| (value, None));
    let with_suffix = REQUIRED_WITH_SUFFIX.iter().map(|&(value, suffix)| (value, Some(suffix)));
    let mut numbers: Vec<Number> =
        plain.chain(with_suffix).map(|(value, suffix)| Number { value, suffix }).collect();
    numbers.sort_unstable();
    numbers
}

/// From one number to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    first: Number,
    last: Number,
}

impl Range {
    pub(crate) fn contains(&self, number: Number) -> bool {
        (self.first..=self.last).contains(&number)
    }
}

/// Reads a cell such as `B-006`, `B-006, B-008` or `B-111…B-123`; none if there is anything else in it.
pub(crate) fn parse(cell: &str) -> Option<Vec<Range>> {
    cell.split(',')
        .map(|part| {
            let mut ends = part.split(['…', '–']).map(|end| number(end.trim()));
            let first = ends.next()??;
            let last = ends.next().unwrap_or(Some(first))?;
            (ends.next().is_none() && first <= last).then_some(Range { first, last })
        })
        .collect()
}

fn number(text: &str) -> Option<Number> {
    let text = text.strip_prefix("B-")?;
    let (digits, suffix) = match text.chars().last()? {
        letter if letter.is_ascii_lowercase() => (&text[..text.len() - 1], Some(letter)),
        _ => (text, None),
    };
    let all_digits = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
    Some(Number { value: all_digits.then(|| digits.parse().ok())??, suffix })
}

#[cfg(test)]
mod tests;
