//! The middle and the ends.

/// Median, least and most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// None of nothing.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle],
            _ => f64::midpoint(values[middle - 1], values[middle]),
        };
        Some(Self { median, least, most })
    }
}

#[cfg(test)]
mod tests;
