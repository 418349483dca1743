//! Curves on logarithmic axes, as PNG, with a font of its own so that it needs nothing of the system.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::Result;
use font8x8::UnicodeFonts as _;

const WIDTH: usize = 900;
const HEIGHT: usize = 520;
const LEFT: usize = 90;
const RIGHT: usize = 30;
const TOP: usize = 60;
const BOTTOM: usize = 60;

type Colour = [u8; 3];
const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [40, 40, 40];
const GRID: Colour = [225, 225, 225];
const COLOURS: [Colour; 4] = [[200, 60, 30], [0, 120, 190], [90, 90, 90], [120, 160, 40]];

/// A curve.
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Curves with a title.
pub(crate) struct Plot {
    title: String,
    x: String,
    series: Vec<Series>,
}

struct Picture(Vec<Colour>);

/// Maps values to pixels.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// From the power of ten below the least value to that above the most.
    fn new(values: impl Iterator<Item = f64>, from: usize, to: usize) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| *value > 0.0) {
            (least, most) = (least.min(value.log10().floor()), most.max(value.log10().ceil()));
        }
        if !least.is_finite() {
            (least, most) = (0.0, 1.0);
        }
        Self { least, most: most.max(least + 1.0), from: from as f64, to: to as f64 }
    }

    fn place(&self, value: f64) -> i64 {
        let share = (value.max(1e-9).log10() - self.least) / (self.most - self.least);
        (self.from + share * (self.to - self.from)).round() as i64
    }

    fn powers(&self) -> impl Iterator<Item = f64> {
        (self.least as i32..=self.most as i32).map(|power| 10f64.powi(power))
    }
}

impl Plot {
    pub(crate) fn new(title: &str, x: &str) -> Self {
        Self { title: title.to_owned(), x: x.to_owned(), series: Vec::new() }
    }

    pub(crate) fn add(&mut self, series: Series) {
        self.series.push(series);
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let picture = self.draw();
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&picture.0.concat())?;
        writer.finish()?;
        Ok(())
    }

    fn draw(&self) -> Picture {
        let mut picture = Picture(vec![WHITE; WIDTH * HEIGHT]);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::new(points().map(|(x, _)| *x), LEFT, WIDTH - RIGHT);
        let y = Axis::new(points().map(|(_, y)| *y), HEIGHT - BOTTOM, TOP);
        let (right, bottom) = ((WIDTH - RIGHT) as i64, (HEIGHT - BOTTOM) as i64);
        for power in x.powers() {
            picture.line((x.place(power), TOP as i64), (x.place(power), bottom), GRID, 1);
            picture.centred(x.place(power), bottom + 10, &number(power), 1);
        }
        for power in y.powers() {
            picture.line((LEFT as i64, y.place(power)), (right, y.place(power)), GRID, 1);
            let label = number(power);
            picture.text(LEFT as i64 - 10 - 8 * label.len() as i64, y.place(power) - 4, &label, BLACK, 1);
        }
        picture.line((LEFT as i64, TOP as i64), (LEFT as i64, bottom), BLACK, 1);
        picture.line((LEFT as i64, bottom), (right, bottom), BLACK, 1);
        picture.text(LEFT as i64, 14, &self.title, BLACK, 2);
        picture.centred(((LEFT + WIDTH - RIGHT) / 2) as i64, bottom + 32, &self.x, 1);
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let places: Vec<(i64, i64)> =
                series.points.iter().map(|(a, b)| (x.place(*a), y.place(*b))).collect();
            for pair in places.windows(2) {
                picture.line(pair[0], pair[1], colour, 2);
            }
            for place in &places {
                picture.square(*place, 4, colour);
            }
            let row = (TOP + 12 + number * 18) as i64;
            picture.square((LEFT as i64 + 20, row + 4), 4, colour);
            picture.text(LEFT as i64 + 34, row, &series.label, BLACK, 1);
        }
        picture
    }
}

fn number(power: f64) -> String {
    if power >= 1e6 {
        format!("{:.0}M", power / 1e6)
    } else if power >= 1e3 {
        format!("{:.0}k", power / 1e3)
    } else {
        format!("{power}")
    }
}

impl Picture {
    fn dot(&mut self, x: i64, y: i64, colour: Colour) {
        if (0..WIDTH as i64).contains(&x) && (0..HEIGHT as i64).contains(&y) {
            self.0[y as usize * WIDTH + x as usize] = colour;
        }
    }

    fn square(&mut self, (x, y): (i64, i64), radius: i64, colour: Colour) {
        for a in -radius..=radius {
            for b in -radius..=radius {
                self.dot(x + a, y + b, colour);
            }
        }
    }

    fn line(&mut self, from: (i64, i64), to: (i64, i64), colour: Colour, thickness: i64) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for step in 0..=steps {
            let x = from.0 + (to.0 - from.0) * step / steps;
            let y = from.1 + (to.1 - from.1) * step / steps;
            for a in 0..thickness {
                self.dot(x + a, y, colour);
                self.dot(x, y + a, colour);
            }
        }
    }

    fn centred(&mut self, x: i64, y: i64, text: &str, scale: i64) {
        self.text(x - 4 * scale * text.chars().count() as i64, y, text, BLACK, scale);
    }

    fn text(&mut self, x: i64, y: i64, text: &str, colour: Colour, scale: i64) {
        for (place, letter) in (0..).zip(text.chars()) {
            let glyph = font8x8::BASIC_FONTS.get(letter).or_else(|| font8x8::LATIN_FONTS.get(letter));
            for (row, bits) in (0..).zip(glyph.unwrap_or_default()) {
                for column in (0..8).filter(|column| bits & (1 << column) != 0) {
                    for a in 0..scale {
                        for b in 0..scale {
                            self.dot(x + (place * 8 + column) * scale + a, y + row * scale + b, colour);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
