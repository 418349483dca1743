//! What tells curves apart: the colour, and the shape of the points for those who see no colours.

use anyhow::Result;
use plotters::prelude::*;

use crate::plot::Page;

const COLOURS: [RGBColor; 4] =
    [RGBColor(200, 60, 30), RGBColor(0, 110, 180), RGBColor(90, 90, 90), RGBColor(90, 130, 20)];

/// The line of the curve of this number.
pub(crate) fn line(number: usize) -> ShapeStyle {
    COLOURS[number % COLOURS.len()].stroke_width(2)
}

/// A point of the curve of this number: a circle, a triangle, a square or a cross.
pub(crate) fn draw(page: &Page<'_>, (x, y): (i32, i32), number: usize) -> Result<()> {
    let (line, filled) = (line(number), line(number).filled());
    match number % COLOURS.len() {
        0 => page.draw(&Circle::new((x, y), 5, filled))?,
        1 => page.draw(&TriangleMarker::new((x, y), 7, filled))?,
        2 => page.draw(&Rectangle::new([(x - 5, y - 5), (x + 5, y + 5)], filled))?,
        _ => page.draw(&Cross::new((x, y), 5, line))?,
    }
    Ok(())
}
