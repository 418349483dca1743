//! A logarithmic axis from one round number to another.

use plotters::coord::combinators::{BindKeyPoints as _, IntoLogRange as _, LogCoord, WithKeyPoints};

pub(crate) type Scale = WithKeyPoints<LogCoord<f64>>;

/// The part of an axis that is empty at each end.
const ROOM: f64 = 0.03;

/// The numbers beside an axis, all values between the first and the last.
#[derive(Debug, PartialEq)]
pub(crate) struct Axis {
    ticks: Vec<f64>,
}

impl Axis {
    /// For values that are all greater than zero. In steps of 1, 2 and 5, or if those are too many, of ten.
    pub(crate) fn new(values: impl Iterator<Item = f64>, most_ticks: usize) -> Self {
        let (least, most) = values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), value| {
            (least.min(value), most.max(value))
        });
        let (least, most) = if least <= most { (least, most) } else { (1.0, 10.0) };
        let ticks = ticks(least, most, &[1.0, 2.0, 5.0]);
        Self { ticks: if ticks.len() > most_ticks { self::ticks(least, most, &[1.0]) } else { ticks } }
    }

    /// With a little room at both ends: a point right on an axis would hide its numbers.
    pub(crate) fn scale(&self) -> Scale {
        let (first, last) = (self.ticks[0], self.ticks[self.ticks.len() - 1]);
        let room = (last / first).powf(ROOM);
        (first / room..last * room).log_scale().with_key_points(self.ticks.clone())
    }
}

/// The round numbers from the last that is not above `least` to the first that is not below `most`, and two at least.
fn ticks(least: f64, most: f64, steps: &[f64]) -> Vec<f64> {
    let powers = least.log10().floor() as i32 - 1..=most.log10().ceil() as i32 + 1;
    let all: Vec<f64> =
        powers.flat_map(|power| steps.iter().map(move |step| times_ten_to(*step, power))).collect();
    let first = all.iter().rposition(|tick| *tick <= least).unwrap_or(0);
    let last = all.iter().position(|tick| *tick >= most).unwrap_or(all.len() - 1).max(first + 1);
    all[first..=last].to_vec()
}

/// Exactly what one would write: 0.3 is not three times 0.1.
fn times_ten_to(step: f64, power: i32) -> f64 {
    if power < 0 { step / 10f64.powi(-power) } else { step * 10f64.powi(power) }
}

/// 20,000 or 0.05.
pub(crate) fn label(value: f64) -> String {
    let plain = value.to_string();
    if value < 1_000.0 {
        return plain;
    }
    let mut label = String::new();
    for (place, digit) in plain.chars().enumerate() {
        if place > 0 && (plain.len() - place).is_multiple_of(3) {
            label.push(',');
        }
        label.push(digit);
    }
    label
}

#[cfg(test)]
mod tests;
