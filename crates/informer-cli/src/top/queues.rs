//! The queues of controllers: a table below the informers, and one of them whole.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::amount::{count, known, rate, short_time};
use super::detail::facts;
use super::document::Queue;
use super::grid::{Field, grid};
use super::state::State;
use super::style::Palette;

/// The least width of a name.
const NAME: usize = 16;

/// By importance: those at the right go first. A terminal of 80 columns has the first six.
const COLUMNS: [Field; 11] = [
    Field::number("DUE", 5),
    Field::number("OLDEST", 6),
    Field::number("RUNS/S", 6),
    Field::number("FAIL/S", 6),
    Field::text("OLDEST KEY", 20),
    Field::number("FAILED", 6),
    Field::number("RUNS", 6),
    Field::number("RETRIES", 7),
    Field::number("RUNNING", 7),
    Field::number("LONGEST", 7),
    Field::number("LATER", 5),
];

/// The titles and at most so many queues, with a column for the mark of the selected one.
pub(super) fn table(state: &State, rows: usize, columns: usize, palette: Palette) -> Vec<Line<'static>> {
    let queues = state.queues();
    if queues.is_empty() || rows == 0 {
        return Vec::new();
    }
    let all = queues.len();
    let shown: Vec<_> = queues.into_iter().skip(state.first_queue).take(rows).collect();
    let title = if shown.len() < all {
        format!("QUEUE {}–{} of {all}", state.first_queue + 1, state.first_queue + shown.len())
    } else {
        "QUEUE".to_owned()
    };
    let cells: Vec<_> = shown.iter().map(|queue| cells(queue)).collect();
    let mut lines = grid((&title, NAME), &COLUMNS, &cells, columns.saturating_sub(1)).into_iter();
    let titles = lines.next().map(|line| Line::styled(format!(" {line}"), palette.title()));
    let rows = lines.zip(shown).map(|(line, queue)| {
        let is_selected = state.selected().is_some_and(|row| row.is_queue(&queue.name));
        let (mark, style) = if is_selected { ("▸", Palette::selected()) } else { (" ", Style::new()) };
        Line::from(vec![Span::raw(mark), Span::raw(line)]).style(style)
    });
    titles.into_iter().chain(rows).collect()
}

fn cells(queue: &Queue) -> Vec<String> {
    vec![
        queue.name.clone(),
        known(queue.entry.due, count),
        known(queue.entry.oldest_seconds, lasting),
        known(queue.run_rate, rate),
        known(queue.failure_rate, rate),
        known(queue.entry.oldest_key.clone(), |key| key),
        known(queue.entry.failures, count),
        known(queue.entry.runs, count),
        known(queue.entry.retries, count),
        known(queue.entry.working, count),
        known(queue.entry.longest_running_seconds, lasting),
        known(queue.entry.later, count),
    ]
}

/// One queue with all that is known of it.
pub(super) fn whole(queue: &Queue, width: usize) -> Vec<Line<'static>> {
    let grown = |number: Option<u64>, growth: Option<f64>| {
        format!("{}, {}/s", known(number, count), known(growth, rate))
    };
    let told = vec![
        ("due", known(queue.entry.due, count)),
        ("oldest key", known(queue.entry.oldest_key.clone(), |key| key)),
        ("due for", known(queue.entry.oldest_seconds, lasting)),
        ("later", known(queue.entry.later, count)),
        ("running", known(queue.entry.working, count)),
        ("longest run", known(queue.entry.longest_running_seconds, lasting)),
        ("runs", grown(queue.entry.runs, queue.run_rate)),
        ("failed", grown(queue.entry.failures, queue.failure_rate)),
        ("retries", grown(queue.entry.retries, queue.retry_rate)),
    ];
    let name = vec![Span::styled(queue.name.clone(), Palette::strong()), Span::raw("  queue")];
    [Line::from(name), Line::default()].into_iter().chain(facts(told, width)).collect()
}

/// What lasts has begun: less than what is told is not nothing.
fn lasting(seconds: f64) -> String {
    short_time(seconds.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests;
