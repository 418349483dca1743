//! Who says what to whom, from top to bottom.
//!
//! ```text
//! sequence
//! actor server  API server
//! actor cache   cache
//! server -> cache: an event
//! cache --> server: an answer
//! note cache: it has it now | and keeps it
//! wait time passes
//! ```

use anyhow::{Context, Result, ensure};

use super::rows;
use super::svg::{Canvas, LINE, number, widest, width};

struct Actor {
    name: String,
    title: String,
}

enum Step {
    Message { from: usize, to: usize, text: String, is_answer: bool },
    Note { first: usize, last: usize, text: Vec<String> },
    Wait(String),
}

const HEAD: f64 = 36.0;

pub(crate) fn draw(lines: &[&str]) -> Result<String> {
    let mut actors: Vec<Actor> = Vec::new();
    let mut steps = Vec::new();
    for line in lines {
        if let Some(actor) = line.strip_prefix("actor ") {
            let (name, title) = actor.split_once(' ').with_context(|| format!("`{line}` has no title"))?;
            actors.push(Actor { name: name.to_owned(), title: title.trim().to_owned() });
        } else {
            steps.push(step(line, &actors)?);
        }
    }
    ensure!(!actors.is_empty(), "there is nobody");
    let places = places(&actors, &steps);
    let mut canvas = Canvas::default();
    let height = HEAD + 14.0 + steps.iter().map(Step::height).sum::<f64>();
    for x in &places {
        canvas.line("life", &[(*x, HEAD), (*x, height)]);
    }
    for (actor, x) in actors.iter().zip(&places) {
        let width = width(&actor.title) + 28.0;
        canvas.rectangle("box", x - width / 2.0, 0.0, width, HEAD);
        canvas.text(*x, HEAD / 2.0 + 5.0, &actor.title, "strong");
    }
    let mut y = HEAD + 14.0;
    for step in &steps {
        step.draw(&mut canvas, y, &places);
        y += step.height();
    }
    let label: Vec<&str> = actors.iter().map(|actor| actor.title.as_str()).collect();
    Ok(canvas.finish(&label.join(", ")))
}

fn step(line: &str, actors: &[Actor]) -> Result<Step> {
    let find = |name: &str| {
        let place = actors.iter().position(|actor| actor.name == name.trim());
        place.with_context(|| format!("`{line}`: there is no actor `{}`", name.trim()))
    };
    if let Some(text) = line.strip_prefix("wait ") {
        return Ok(Step::Wait(text.to_owned()));
    }
    let (who, text) = line.split_once(": ").with_context(|| format!("`{line}` says nothing"))?;
    if let Some(who) = who.strip_prefix("note ") {
        let (first, last) = who.split_once(',').unwrap_or((who, who));
        return Ok(Step::Note { first: find(first)?, last: find(last)?, text: rows(text) });
    }
    let is_answer = who.contains("-->");
    let arrow = if is_answer { "-->" } else { "->" };
    let (from, to) =
        who.split_once(arrow).with_context(|| format!("`{line}` is no actor, message, note or wait"))?;
    let (from, to) = (find(from)?, find(to)?);
    ensure!(from != to, "`{line}`: nobody talks to himself; use a note");
    Ok(Step::Message { from, to, text: text.to_owned(), is_answer })
}

/// Where each actor stands: far enough from the one before for all that is written between the two.
fn places(actors: &[Actor], steps: &[Step]) -> Vec<f64> {
    let half = |actor: &Actor| width(&actor.title) / 2.0 + 14.0;
    // The left edge: of the title, and of notes on the first actor.
    let first = steps.iter().map(|step| step.reach(0)).fold(half(&actors[0]), f64::max);
    let mut places = vec![first];
    for index in 1..actors.len() {
        let titles = places[index - 1] + half(&actors[index - 1]) + half(&actors[index]) + 24.0;
        let notes = |step: &Step| places[index - 1] + step.reach(index - 1).max(step.reach(index)) + 16.0;
        let needed = |step: &Step| step.span(index).map_or(0.0, |(from, room)| places[from] + room);
        let place = steps.iter().map(|step| notes(step).max(needed(step))).fold(titles, f64::max);
        places.push(place);
    }
    places
}

impl Step {
    fn height(&self) -> f64 {
        match self {
            Self::Message { .. } => 42.0,
            Self::Note { text, .. } => number(text.len()) * LINE + 28.0,
            Self::Wait(_) => 40.0,
        }
    }

    /// How far a note on this actor alone reaches to either side.
    fn reach(&self, actor: usize) -> f64 {
        match self {
            Self::Note { first, last, text } if first == last && *first == actor => widest(text) / 2.0 + 14.0,
            _ => 0.0,
        }
    }

    /// If it ends at this actor, coming from the left: where it begins, and the room that it needs.
    fn span(&self, end: usize) -> Option<(usize, f64)> {
        match self {
            Self::Message { from, to, text, .. } if end == *from.max(to) => {
                Some((*from.min(to), width(text) + 36.0))
            }
            Self::Note { first, last, text } if first < last && end == *last => {
                Some((*first, widest(text) - 8.0))
            }
            _ => None,
        }
    }

    fn draw(&self, canvas: &mut Canvas, top: f64, places: &[f64]) {
        match self {
            Self::Message { from, to, text, is_answer } => {
                let (from, to, y) = (places[*from], places[*to], top + 30.0);
                canvas.line(if *is_answer { "back" } else { "" }, &[(from, y), (to, y)]);
                canvas.text((from + to) / 2.0, y - 8.0, text, "halo");
            }
            Self::Note { first, last, text } => {
                let middle = (places[*first] + places[*last]) / 2.0;
                let width = (widest(text) + 28.0).max(places[*last] - places[*first] + 28.0);
                let height = number(text.len()) * LINE + 14.0;
                canvas.rectangle("note", middle - width / 2.0, top + 8.0, width, height);
                canvas.rows(middle, top + 8.0 + height / 2.0, text, ("", ""));
            }
            Self::Wait(text) => {
                let (left, right) = (places[0], places[places.len() - 1]);
                canvas.text((left + right) / 2.0, top + 24.0, text, "soft halo");
            }
        }
    }
}

#[cfg(test)]
mod tests;
