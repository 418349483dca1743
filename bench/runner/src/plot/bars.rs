//! Bars with their numbers, for those who want one look.

use std::fs;
use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{INK, PAGE, Page, marker, text};

/// As wide as the text of a page.
const SIZE: (i32, i32) = (880, 232);
const MARGIN: i32 = 16;
/// The first bar, how high one is, and from bar to bar.
const FIRST: i32 = 56;
const BAR: i32 = 20;
const STEP: i32 = 32;
/// The names of the bars, on the left of them, and the numbers, on the right.
const LABELS: i32 = 165;
const NUMBERS: i32 = 76;

/// A value of a client.
pub(crate) struct Bar {
    pub(crate) label: String,
    /// Of the client, as its curves have it.
    pub(crate) colour: usize,
    pub(crate) value: f64,
}

/// Bars of the same unit.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) unit: &'static str,
    pub(crate) bars: Vec<Bar>,
}

/// Two panels beside each other.
pub(crate) struct Bars {
    pub(crate) panels: [Panel; 2],
}

impl Bars {
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        fs::write(path, self.draw()?)?;
        Ok(())
    }

    fn draw(&self) -> Result<String> {
        let mut svg = String::new();
        let page = SVGBackend::with_string(&mut svg, (SIZE.0 as u32, SIZE.1 as u32)).into_drawing_area();
        page.fill(&PAGE)?;
        for (panel, left) in self.panels.iter().zip([MARGIN, MARGIN + SIZE.0 / 2]) {
            panel.draw(&page, left)?;
        }
        page.present()?;
        drop(page);
        Ok(svg)
    }
}

impl Panel {
    fn draw(&self, page: &Page<'_>, left: i32) -> Result<()> {
        let title = format!("{}, {}", self.title, self.unit);
        page.draw(&Text::new(title, (left, MARGIN), text(16, FontStyle::Bold)))?;
        let most = self.bars.iter().map(|bar| bar.value).fold(f64::MIN_POSITIVE, f64::max);
        let room = SIZE.0 / 2 - 2 * MARGIN - LABELS - NUMBERS;
        let start = left + LABELS;
        for (bar, top) in self.bars.iter().zip((FIRST..).step_by(STEP as usize)) {
            // However little it is, it is something.
            let width = ((bar.value / most * f64::from(room)).round() as i32).max(1);
            let middle = top + BAR / 2;
            let beside = |side| text(14, FontStyle::Normal).pos(Pos::new(side, VPos::Center));
            page.draw(&Text::new(bar.label.as_str(), (start - 10, middle), beside(HPos::Right)))?;
            let filled = marker::line(bar.colour).filled();
            page.draw(&Rectangle::new([(start, top), (start + width, top + BAR)], filled))?;
            page.draw(&Text::new(number(bar.value), (start + width + 8, middle), beside(HPos::Left)))?;
        }
        let bottom = FIRST + STEP * self.bars.len() as i32 - (STEP - BAR) / 2;
        page.draw(&PathElement::new([(start, FIRST - 6), (start, bottom)], INK))?;
        Ok(())
    }
}

/// With as many digits as say something.
fn number(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { super::axis::label(value.round()) }
}

#[cfg(test)]
mod tests;
