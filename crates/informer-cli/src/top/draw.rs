//! The whole screen.

use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::amount::{count, known, short_time};
use super::document::{Informer, Queue};
use super::grid::{Field, grid};
use super::keys::HELP;
use super::layout::{Size, lines_of_text, rows_of_informers, rows_of_queues};
use super::sort::{Column, gravity};
use super::state::{Link, State, View};
use super::style::Palette;
use super::table::Table;
use super::text::{cut, left, width, wrapped};
use super::{detail, overview};

/// By importance: those at the right go first.
const QUEUE: [Field; 6] = [
    Field::number("DUE", 6),
    Field::number("OLDEST", 6),
    Field::number("LATER", 6),
    Field::number("RUNNING", 7),
    Field::number("LONGEST", 7),
    Field::text("OLDEST KEY", 24),
];

pub(super) fn draw(frame: &mut Frame<'_>, state: &State, palette: Palette) {
    let area = frame.area();
    let size = Size { width: area.width.into(), height: area.height.into() };
    let lines = screen(state, size, palette);
    for (line, row) in lines.iter().zip(area.rows()) {
        frame.render_widget(line, row);
    }
    if state.typing && !size.is_too_small() {
        let column =
            u16::try_from(width(&state.filter) + 1).unwrap_or(u16::MAX).min(area.right().saturating_sub(1));
        frame.set_cursor_position((column, area.bottom().saturating_sub(1)));
    }
}

fn screen(state: &State, size: Size, palette: Palette) -> Vec<Line<'static>> {
    if size.is_too_small() {
        let (least, Size { width, height }) = (Size::LEAST, size);
        let said = format!("too small: {width}×{height}, needs {}×{}", least.width, least.height);
        return wrapped(&said, width).into_iter().map(Line::raw).collect();
    }
    let mut lines = vec![overview::title(state, size.width, palette)];
    match state.view {
        View::List => lines.extend(list(state, size, palette)),
        View::Informer(_) | View::Help => {
            lines.push(Line::default());
            lines.extend(
                text(state, size.width, palette).into_iter().skip(state.first).take(lines_of_text(size)),
            );
        }
    }
    lines.resize(size.height - 1, Line::default());
    lines.push(footer(state, size.width));
    lines
}

/// What `--once` prints: all informers and queues.
pub(super) fn once(state: &State, columns: usize) -> String {
    let palette = Palette { coloured: false };
    let mut lines = vec![
        overview::title(state, columns, palette).to_string(),
        overview::health(state, columns, palette).to_string(),
        String::new(),
    ];
    let rows = table(state, usize::MAX, columns + 1, palette);
    let rows = rows.into_iter().chain(queues(&state.queues(), usize::MAX, columns + 1, palette));
    // Without the column for the mark: nothing is selected.
    lines.extend(rows.map(|row| row.to_string().chars().skip(1).collect()));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// How many lines the text has that is shown, if it is one.
pub(super) fn length(state: &State) -> usize {
    text(state, state.size().width, Palette { coloured: false }).len()
}

fn text(state: &State, columns: usize, palette: Palette) -> Vec<Line<'static>> {
    match &state.view {
        View::List => Vec::new(),
        View::Informer(name) => match state.document().and_then(|document| document.informer(name)) {
            Some(informer) => detail::lines(informer, columns, palette),
            None => Vec::new(),
        },
        View::Help => help(columns),
    }
}

fn help(columns: usize) -> Vec<Line<'static>> {
    const KEYS: usize = 14;
    let mut lines = vec![Line::styled("Keys", Palette::strong()), Line::default()];
    for (keys, what) in HELP {
        for (number, part) in wrapped(what, columns.saturating_sub(KEYS)).into_iter().enumerate() {
            let keys = if number == 0 { keys } else { "" };
            lines.push(Line::raw(left(keys, KEYS) + &part));
        }
    }
    lines
}

fn list(state: &State, size: Size, palette: Palette) -> Vec<Line<'static>> {
    let mut lines = vec![
        overview::health(state, size.width, palette),
        overview::events(state, size.width),
        Line::default(),
    ];
    let queued = state.queues();
    let rows = rows_of_informers(size, queued.len());
    let above = lines.len();
    match nothing(state) {
        Some(why) => lines.extend(wrapped(&why, size.width).into_iter().map(Line::raw)),
        None => lines.extend(table(state, rows, size.width, palette)),
    }
    lines.resize(above + 1 + rows, Line::default());
    lines.extend(queues(&queued, rows_of_queues(size, queued.len()), size.width, palette));
    lines
}

/// Why there is no informer to be seen.
fn nothing(state: &State) -> Option<String> {
    match (state.document(), &state.link) {
        (None, Link::Lost { why, .. }) => Some(why.clone()),
        (None, _) => Some(format!("waiting for {}", state.source)),
        (Some(document), _) if document.informers.is_empty() => {
            Some("the program has no informers".to_owned())
        }
        _ if state.rows().is_empty() => {
            Some(format!("no informer matches {:?}; Esc shows all", state.filter))
        }
        _ => None,
    }
}

/// The titles, and at most so many informers.
fn table(state: &State, rows: usize, columns: usize, palette: Palette) -> Vec<Line<'static>> {
    let informers = state.document().map(|document| document.informers.as_slice()).unwrap_or_default();
    // One column is for the mark of the selected row.
    let table = Table::fit(informers, columns.saturating_sub(1));
    let mut lines = vec![Line::styled(format!(" {}", table.titles(state.sort)), palette.title())];
    for informer in state.rows().into_iter().skip(state.first).take(rows) {
        lines.push(row(informer, &table, state, columns, palette));
    }
    lines
}

fn row(informer: &Informer, table: &Table, state: &State, columns: usize, palette: Palette) -> Line<'static> {
    let is_selected = state.selected() == Some(informer.name.as_str());
    let mut spans = vec![Span::raw(if is_selected { "▸" } else { " " })];
    for (column, cell) in table.row(informer) {
        let style = match column {
            Column::Phase => palette.of(gravity(informer)),
            _ => Style::new(),
        };
        spans.push(Span::styled(cell, style));
    }
    let line = Line::from(spans);
    if !is_selected {
        return line;
    }
    // To the end of the line.
    let blanks = columns.saturating_sub(line.width());
    (line + Span::raw(" ".repeat(blanks))).style(Palette::selected())
}

/// The titles and at most so many queues, below an empty line; the last line says how many there are besides.
fn queues(queues: &[&Queue], rows: usize, columns: usize, palette: Palette) -> Vec<Line<'static>> {
    if queues.is_empty() || rows == 0 {
        return Vec::new();
    }
    let shown = if queues.len() > rows { rows - 1 } else { queues.len() };
    let cells: Vec<_> = queues[..shown].iter().map(|queue| cells(queue)).collect();
    let mut lines = vec![Line::default()];
    for (place, line) in grid("QUEUE", &QUEUE, &cells, columns.saturating_sub(1)).into_iter().enumerate() {
        let style = if place == 0 { palette.title() } else { Style::new() };
        lines.push(Line::from(vec![Span::raw(" "), Span::styled(line, style)]));
    }
    if shown < queues.len() {
        lines.push(Line::styled(format!(" and {} queues more", queues.len() - shown), Palette::soft()));
    }
    lines
}

fn cells(queue: &Queue) -> Vec<String> {
    vec![
        queue.name.clone(),
        known(queue.due, count),
        known(queue.oldest, short_time),
        known(queue.later, count),
        known(queue.working, count),
        known(queue.longest_running, short_time),
        known(queue.oldest_key.clone(), |key| key),
    ]
}

/// The keys, or the filter while it is typed.
fn footer(state: &State, columns: usize) -> Line<'static> {
    if state.typing {
        let hint = "Enter keeps it, Esc clears it";
        let room = columns.saturating_sub(width(hint) + 2);
        let typed = left(&format!("/{}", state.filter), room.max(1));
        return Line::from(vec![Span::raw(typed), Span::raw("  "), Span::styled(hint, Palette::soft())]);
    }
    let all = state.document().map_or(0, |document| document.informers.len());
    let text = match state.view {
        View::List if !state.filter.is_empty() => {
            format!(
                "filter {:?}: {} of {all}  Esc all  / change  Enter open  q quit  ? help",
                state.filter,
                state.rows().len()
            )
        }
        View::List => {
            let by = state.sort.column.title().to_lowercase();
            format!("q quit  ? help  Enter open  / filter  s sort: {by}{}  p pause", state.sort.arrow())
        }
        View::Informer(_) | View::Help => "q quit  Esc back  ↑↓ scroll  p pause".to_owned(),
    };
    Line::styled(cut(&text, columns), Palette::soft())
}

#[cfg(test)]
mod tests;
