//! Curves on logarithmic axes, and bars, as SVG. Text stays text in a font of the reader's, so that no fonts are needed here.

mod axis;
pub(crate) mod bars;
mod marker;

use std::fs;
use std::path::Path;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::plot::axis::{Axis, Scale};

/// Small: pages show several plots beside each other, and their text must still be read.
const SIZE: (u32, u32) = (480, 360);
const MARGIN: u32 = 10;
/// The first row of the legend, and from row to row.
const LEGEND: i32 = 54;
const LEGEND_ROW: i32 = 26;
/// The numbers beside the axes and the names of the axes.
const LEFT: u32 = 72;
const BOTTOM: u32 = 52;
/// Half of the last number below the axis.
const RIGHT: u32 = 36;
/// Where the title and the legend begin.
const TEXT_LEFT: i32 = 16;
/// As many numbers as fit, should they be long.
const X_TICKS: usize = 8;
const Y_TICKS: usize = 10;

/// A page of its own, because text that is dark enough for a light page cannot be read on a dark one.
const PAGE: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

type Page<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// A curve.
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Curves with a title and the names of the axes.
pub(crate) struct Plot {
    title: String,
    x: String,
    y: String,
    series: Vec<Series>,
}

impl Plot {
    pub(crate) fn new(title: &str, x: &str, y: &str) -> Self {
        Self { title: title.to_owned(), x: x.to_owned(), y: y.to_owned(), series: Vec::new() }
    }

    pub(crate) fn add(&mut self, series: Series) {
        self.series.push(series);
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        fs::write(path, self.draw()?)?;
        Ok(())
    }

    fn draw(&self) -> Result<String> {
        let mut svg = String::new();
        let page = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        page.fill(&PAGE)?;
        page.draw(&Text::new(self.title.as_str(), (TEXT_LEFT, 14), text(17, FontStyle::Bold)))?;
        self.draw_legend(&page)?;
        self.draw_chart(&page)?;
        page.present()?;
        drop(page);
        Ok(svg)
    }

    /// Above the chart, where no curve can run into it.
    fn draw_legend(&self, page: &Page<'_>) -> Result<()> {
        for (number, (series, (x, y))) in self.series.iter().zip(self.legend()).enumerate() {
            page.draw(&PathElement::new([(x, y), (x + 28, y)], marker::line(number)))?;
            marker::draw(page, (x + 14, y), number)?;
            let style = text(14, FontStyle::Normal).pos(Pos::new(HPos::Left, VPos::Center));
            page.draw(&Text::new(series.label.as_str(), (x + 36, y), style))?;
        }
        Ok(())
    }

    /// Where the legend of each curve is: beside the one before, or in the next row.
    fn legend(&self) -> Vec<(i32, i32)> {
        let (mut x, mut y) = (TEXT_LEFT, LEGEND);
        let place = |series: &Series| {
            // Nobody knows the reader's font: this is the width of letters in a wide one.
            let width = 36 + 7 * series.label.chars().count() as i32;
            if x > TEXT_LEFT && x + width > SIZE.0 as i32 {
                (x, y) = (TEXT_LEFT, y + LEGEND_ROW);
            }
            let place = (x, y);
            x += width + 22;
            place
        };
        self.series.iter().map(place).collect()
    }

    /// Where the chart begins.
    fn top(&self) -> i32 {
        self.legend().last().map_or(LEGEND, |(_, y)| *y) + LEGEND_ROW
    }

    fn draw_chart(&self, page: &Page<'_>) -> Result<()> {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|point| has_place(point));
        let x = Axis::new(points().map(|(x, _)| *x), X_TICKS);
        let y = Axis::new(points().map(|(_, y)| *y), Y_TICKS);
        let mut chart = ChartBuilder::on(&page.margin(self.top(), MARGIN, MARGIN, RIGHT))
            .x_label_area_size(BOTTOM)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(x.scale(), y.scale())?;
        chart
            .configure_mesh()
            .x_desc(self.x.as_str())
            .y_desc(self.y.as_str())
            .x_label_formatter(&|value| axis::label(*value))
            .y_label_formatter(&|value| axis::label(*value))
            .label_style(text(13, FontStyle::Normal))
            .axis_desc_style(text(14, FontStyle::Normal))
            .axis_style(INK)
            .bold_line_style(GRID)
            .draw()?;
        self.draw_curves(page, &mut chart)
    }

    fn draw_curves<'a>(&self, page: &Page<'a>, chart: &mut Chart<'_, 'a>) -> Result<()> {
        for (number, series) in self.series.iter().enumerate() {
            for part in series.points.split(|point| !has_place(point)) {
                chart.draw_series(LineSeries::new(part.iter().copied(), marker::line(number)))?;
            }
            for point in series.points.iter().filter(|point| has_place(point)) {
                marker::draw(page, chart.backend_coord(point), number)?;
            }
        }
        Ok(())
    }
}

/// Whether a logarithmic axis has a place for it. A curve has a gap where it has none.
fn has_place((x, y): &(f64, f64)) -> bool {
    [x, y].into_iter().all(|value| value.is_finite() && *value > 0.0)
}

/// Text so many pixels high. The backend divides by 1.24.
fn text(height: u32, style: FontStyle) -> TextStyle<'static> {
    FontDesc::new(FontFamily::SansSerif, f64::from(height) * 1.24, style).color(&INK)
}

#[cfg(test)]
mod tests;
