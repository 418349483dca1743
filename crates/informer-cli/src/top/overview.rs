//! The lines at the top: whose informers they are, how they are doing together, and how much happens.

use ratatui_core::symbols::bar::NINE_LEVELS;
use ratatui_core::text::{Line, Span};

use super::amount::{bytes, count, known, rate, time};
use super::document::{Document, Informer, total};
use super::sort::{Gravity, gravity};
use super::state::{Link, State};
use super::style::Palette;
use super::table::sign;
use super::text::{cut, left, width};

/// Whose informers they are, and whether they are heard of.
pub(super) fn title(state: &State, columns: usize, palette: Palette) -> Line<'static> {
    let (link, style) = match &state.link {
        Link::Connecting => ("◐ connecting".to_owned(), palette.of(Gravity::Busy)),
        Link::Lost { since, .. } => {
            (format!("▲ not reachable since {since}, trying again"), palette.of(Gravity::Bad))
        }
        Link::Live if state.paused => ("‖ paused".to_owned(), palette.of(Gravity::Busy)),
        Link::Live => ("● live".to_owned(), palette.of(Gravity::Good)),
    };
    let link = cut(&link, columns);
    let up = state.document().and_then(|document| document.uptime);
    let up = up.map(|seconds| format!(", up {}", time(seconds))).unwrap_or_default();
    let room = columns.saturating_sub(width(&link) + 2);
    let name = cut(&state.source, room.saturating_sub(width(&up)));
    let blanks = columns.saturating_sub(width(&link) + width(&name) + width(&up));
    Line::from(vec![
        Span::styled(name, Palette::strong()),
        Span::raw(cut(&up, room)),
        Span::raw(" ".repeat(blanks)),
        Span::styled(link, style),
    ])
}

/// How all informers are doing. While there is no answer, why.
pub(super) fn health(state: &State, columns: usize, palette: Palette) -> Line<'static> {
    if let Link::Lost { why, .. } = &state.link {
        return Line::styled(cut(&format!("▲ {why}"), columns), palette.of(Gravity::Bad));
    }
    let Some(document) = state.document() else { return Line::default() };
    let (worst, text) = summary(document);
    let (sign, rest) = (sign(worst), cut(&text, columns.saturating_sub(2)));
    Line::from(vec![Span::styled(format!("{sign} "), palette.of(worst)), Span::raw(rest)])
}

fn summary(document: &Document) -> (Gravity, String) {
    let informers = &document.informers;
    let all = informers.len();
    let worst = informers.iter().map(gravity).max().unwrap_or(Gravity::Busy);
    let synced = informers.iter().filter(|informer| informer.entry.synced == Some(true)).count();
    let in_trouble = informers.iter().filter(|informer| gravity(informer) == Gravity::Bad).count();
    let mut parts = Vec::new();
    if in_trouble > 0 {
        parts.push(format!("{in_trouble} in trouble"));
    }
    parts.push(format!("{synced} of {all} synced"));
    if document.left_out > 0 {
        parts
            .push(format!("▲ {} rows too many", count(u64::try_from(document.left_out).unwrap_or(u64::MAX))));
    }
    let sum = |of: fn(&Informer) -> Option<u64>| total(informers.iter().map(of));
    parts.push(format!("{} objects", known(sum(|informer| informer.entry.objects), count)));
    parts.push(known(sum(Informer::memory), bytes));
    let heard = informers.iter().filter_map(|informer| informer.entry.stale_seconds).reduce(f64::max);
    parts.extend(heard.map(|seconds| format!("heard {} ago", time(seconds))));
    let panics =
        total(informers.iter().flat_map(|informer| &informer.handlers).map(|handler| handler.entry.panics));
    parts.extend(panics.filter(|panics| *panics > 0).map(|panics| format!("▲ {} panics", count(panics))));
    (worst, parts.join(" · "))
}

/// Events a second as a number and as a curve.
pub(super) fn events(state: &State, columns: usize) -> Line<'static> {
    let now = known(state.document().and_then(|document| document.rate), rate);
    let name = left(&format!("{now} events/s"), 15);
    let room = columns.saturating_sub(width(&name) + 11);
    let latest: Vec<_> = state.rates.history().rev().take(room).collect();
    let most = latest.iter().copied().fold(0.0, f64::max);
    let curve: String = latest.iter().rev().map(|value| bar(*value, most)).collect();
    let most = if latest.is_empty() { String::new() } else { format!("  top {}", rate(most)) };
    Line::from(vec![
        Span::raw(name),
        Span::raw(format!("{curve:>room$}")),
        Span::styled(most, Palette::soft()),
    ])
}

/// One of eight bars; the lowest also for nothing.
fn bar(value: f64, most: f64) -> &'static str {
    let set = NINE_LEVELS;
    let bars = [
        set.one_eighth,
        set.one_quarter,
        set.three_eighths,
        set.half,
        set.five_eighths,
        set.three_quarters,
        set.seven_eighths,
        set.full,
    ];
    let share = if most > 0.0 { value / most } else { 0.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let place = (share * 7.0).round() as usize;
    bars[place.min(7)]
}

#[cfg(test)]
mod tests;
