//! SVG: shapes, texts, and how wide a text will be.

use std::fmt::Write;

/// The height of a line of text.
pub(crate) const LINE: f64 = 18.0;

/// The space around the picture.
const MARGIN: f64 = 20.0;

/// A picture has a ground of its own, so that it can be read wherever it is put; whether that is light or dark is up to the reader's
/// system.
const STYLE: &str = "\
.ground{fill:#fcfcfb;stroke:#d8dbe0}.box{fill:#e7effb;stroke:#3f74b5}.note{fill:#fdf3d6;stroke:#b58a2c}
.line{fill:none;stroke:#4d5866;stroke-width:1.6}.life{stroke:#b3bac3;stroke-dasharray:2 5}.back{stroke-dasharray:7 4}
.head{fill:#4d5866}text{fill:#1f2630;font-family:system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;font-size:14px;text-anchor:middle}
.strong{font-weight:600}.soft{fill:#4d5866;font-size:13px}.halo{stroke:#fcfcfb;stroke-width:5;paint-order:stroke}
@media(prefers-color-scheme:dark){.ground{fill:#1b2027;stroke:#394049}.box{fill:#20344f;stroke:#6b9fdf}
.note{fill:#41371a;stroke:#c9a24a}.line{stroke:#a7b1bd}.life{stroke:#4d5866}.head{fill:#a7b1bd}text{fill:#e8ecf1}
.soft{fill:#a7b1bd}.halo{stroke:#1b2027}}
";

/// A picture that is being drawn.
#[derive(Default)]
pub(crate) struct Canvas {
    shapes: String,
    right: f64,
    bottom: f64,
}

impl Canvas {
    /// A box with rounded corners; `class` is `box` or `note`.
    pub(crate) fn rectangle(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        self.reach(x + width, y + height);
        self.add(&format!(
            "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"6\"/>"
        ));
    }

    /// Rows of text around a middle; `classes` is that of the first row and that of the others.
    pub(crate) fn rows(&mut self, x: f64, middle: f64, rows: &[String], classes: (&str, &str)) {
        let mut y = middle - LINE * (number(rows.len()) - 1.0) / 2.0 + 5.0;
        for (index, row) in rows.iter().enumerate() {
            self.text(x, y, row, if index == 0 { classes.0 } else { classes.1 });
            y += LINE;
        }
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, text: &str, class: &str) {
        self.reach(x + width(text) / 2.0, y);
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.add(&format!("<text{class} x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escaped(text)));
    }

    /// A line through points, with an arrowhead at its end unless it is a `life` line.
    pub(crate) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let shown: Vec<String> = points.iter().map(|(x, y)| format!("{x:.0},{y:.0}")).collect();
        points.iter().for_each(|(x, y)| self.reach(*x, *y));
        self.add(&format!("<polyline class=\"line {class}\" points=\"{}\"/>", shown.join(" ")));
        if let ([.., (from_x, from_y), (x, y)], false) = (points, class == "life") {
            let (dx, dy) =
                ((x - from_x).signum() * steps(x - from_x), (y - from_y).signum() * steps(y - from_y));
            let (base_x, base_y) = (x - 9.0 * dx, y - 9.0 * dy);
            self.add(&format!(
                "<polygon class=\"head\" points=\"{x:.0},{y:.0} {:.0},{:.0} {:.0},{:.0}\"/>",
                base_x - 5.0 * dy,
                base_y - 5.0 * dx,
                base_x + 5.0 * dy,
                base_y + 5.0 * dx
            ));
        }
    }

    fn add(&mut self, shape: &str) {
        self.shapes.push_str(shape);
        self.shapes.push('\n');
    }

    fn reach(&mut self, x: f64, y: f64) {
        self.right = self.right.max(x);
        self.bottom = self.bottom.max(y);
    }

    /// The whole file. What was drawn begins at 0, 0.
    pub(crate) fn finish(self, label: &str) -> String {
        let (width, height) = (self.right + 2.0 * MARGIN, self.bottom + 2.0 * MARGIN);
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"{}\">\n<style>\n{STYLE}</style>",
            escaped(label)
        );
        let _ = writeln!(
            svg,
            "<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\"/>\n\
             <g transform=\"translate({MARGIN:.0} {MARGIN:.0})\">\n{}</g>\n</svg>",
            width - 1.0,
            height - 1.0,
            self.shapes
        );
        svg
    }
}

/// Lines are level or upright: 1 for the direction in which one goes, 0 for the other.
fn steps(distance: f64) -> f64 {
    if distance.abs() > 0.5 { 1.0 } else { 0.0 }
}

/// How wide a text is at most, in the fonts that are asked for.
pub(crate) fn width(text: &str) -> f64 {
    text.chars()
        .map(|character| match character {
            'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | 'f' | 't'
            | 'r' => 5.5,
            'm' | 'w' | 'M' | 'W' | '@' | '→' | '…' => 13.0,
            upper if upper.is_uppercase() => 10.0,
            _ => 8.6,
        })
        .sum()
}

pub(crate) fn widest(rows: &[String]) -> f64 {
    rows.iter().map(|row| width(row)).fold(0.0, f64::max)
}

/// A small number of things, to calculate with.
#[allow(clippy::cast_precision_loss)] // A picture has a few of them.
pub(crate) fn number(of: usize) -> f64 {
    of as f64
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
