//! The whole screen.

use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::document::{Document, Informer};
use super::keys::HELP;
use super::layout::{Size, lines_of_text};
use super::selection::Row;
use super::sort::{Column, gravity};
use super::state::{Link, State, View};
use super::style::Palette;
use super::table::Table;
use super::text::{cut, left, width, wrapped};
use super::{detail, overview, queues};

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
        View::One(_) | View::Help => {
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
    let queues = queues::table(state, usize::MAX, columns + 1, palette);
    let rows = rows.into_iter().chain((!queues.is_empty()).then(Line::default)).chain(queues);
    // Without the column for the mark: nothing is selected.
    lines.extend(rows.map(|row| row.to_string().chars().skip(1).collect()));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// How many lines the text has that is shown, if it is one.
pub(super) fn length(state: &State) -> usize {
    if state.size().is_too_small() {
        return 0;
    }
    text(state, state.size().width, Palette { coloured: false }).len()
}

fn text(state: &State, columns: usize, palette: Palette) -> Vec<Line<'static>> {
    match &state.view {
        View::List => Vec::new(),
        View::One(row) => {
            state.document().and_then(|document| one(document, row, columns, palette)).unwrap_or_default()
        }
        View::Help => help(columns),
    }
}

fn one(document: &Document, row: &Row, columns: usize, palette: Palette) -> Option<Vec<Line<'static>>> {
    match row {
        Row::Informer(name) => document.informer(name).map(|one| detail::lines(one, columns, palette)),
        Row::Queue(name) => document.queue(name).map(|one| queues::whole(one, columns)),
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
    let room = state.room();
    let above = lines.len();
    if room.informers > 0 {
        match nothing(state) {
            Some(why) => lines.extend(wrapped(&why, size.width).into_iter().map(Line::raw)),
            None => lines.extend(table(state, room.informers, size.width, palette)),
        }
        // The titles, the rows, and an empty line above queues.
        lines.resize(above + 1 + room.informers, Line::default());
        lines.extend((room.queues > 0).then(Line::default));
    }
    lines.extend(queues::table(state, room.queues, size.width, palette));
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
    let is_selected = state.selected().is_some_and(|row| row.is_informer(&informer.name));
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

/// The keys, or the filter while it is typed.
fn footer(state: &State, columns: usize) -> Line<'static> {
    if state.typing {
        let hint = "Enter keeps it, Esc clears it";
        let room = columns.saturating_sub(width(hint) + 2);
        let typed = left(&format!("/{}", state.filter), room.max(1));
        return Line::from(vec![Span::raw(typed), Span::raw("  "), Span::styled(hint, Palette::soft())]);
    }
    let all = state.document().map_or(0, |document| document.informers.len() + document.queues.len());
    let text = match state.view {
        View::List if !state.filter.is_empty() => {
            format!(
                "{}filter {:?}: {} of {all}  Esc all  / change  Enter open  q quit  ? help",
                beyond(state),
                state.filter,
                state.rows().len() + state.queues().len()
            )
        }
        View::List => {
            let by = state.sort.column.title().to_lowercase();
            format!(
                "{}q quit  ? help  Enter open  / filter  s sort: {by}{}  p pause",
                beyond(state),
                state.sort.arrow()
            )
        }
        View::One(_) | View::Help => "q quit  Esc back  ↑↓ scroll  p pause".to_owned(),
    };
    Line::styled(cut(&text, columns), Palette::soft())
}

/// Where the other table is, if there is no room for it.
fn beyond(state: &State) -> String {
    let (room, informers, queues) = (state.room(), state.rows().len(), state.queues().len());
    match (room.informers, room.queues) {
        (0, _) if informers > 0 => format!("↑ informers: {informers}  "),
        (_, 0) if queues > 0 => format!("↓ queues: {queues}  "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
