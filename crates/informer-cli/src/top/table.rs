//! The table of informers: which columns fit, and what is in them.

use super::amount::{bytes, count, known, rate, time};
use super::document::Informer;
use super::sort::{Column, Gravity, Sort, gravity};
use super::text::{cut, left, right, width};

/// What is dropped first on a narrow terminal is first. The name and the phase always stay.
const DROPPED: [Column; 8] = [
    Column::Waiting,
    Column::Relists,
    Column::Namespaces,
    Column::Memory,
    Column::Backlog,
    Column::Events,
    Column::Heard,
    Column::Objects,
];

/// Blanks between two columns.
const BETWEEN: usize = 2;

/// The name gets what the other columns leave, within these bounds.
const NAME: [usize; 2] = [16, 48];

/// Then the namespace, up to this.
const LONGEST_NAMESPACE: usize = 24;

/// The columns that are shown, with their widths.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table(Vec<(Column, usize)>);

impl Table {
    /// As many columns as fit. Widths do not depend on numbers, so columns stay where they are.
    pub(super) fn fit(informers: &[Informer], columns: usize) -> Self {
        let mut shown: Vec<_> = Column::ALL.into_iter().map(|column| (column, least(column))).collect();
        let taken = |shown: &[(Column, usize)]| {
            shown.iter().map(|(_, width)| width).sum::<usize>() + BETWEEN * shown.len().saturating_sub(1)
        };
        for dropped in DROPPED {
            if taken(&shown) > columns {
                shown.retain(|(column, _)| *column != dropped);
            }
        }
        let names = informers.iter().map(|informer| width(&informer.name)).max().unwrap_or(0);
        let places = informers.iter().filter_map(Informer::namespaces).map(|name| width(&name)).max();
        for (column, wanted) in [
            (Column::Name, names.min(NAME[1])),
            (Column::Namespaces, places.unwrap_or(0).min(LONGEST_NAMESPACE)),
        ] {
            let left_over = columns.saturating_sub(taken(&shown));
            if let Some((_, width)) = shown.iter_mut().find(|(shown, _)| *shown == column) {
                *width += left_over.min(wanted.saturating_sub(*width));
            }
        }
        Self(shown)
    }

    /// That of the column which rows are sorted by has an arrow, in the blanks beside it.
    pub(super) fn titles(&self, sort: Sort) -> String {
        let title = |column: Column| match (column == sort.column, is_text(column)) {
            (false, _) => column.title().to_owned(),
            (true, true) => format!("{}{}", column.title(), sort.arrow()),
            (true, false) => format!("{}{}", sort.arrow(), column.title()),
        };
        self.0
            .iter()
            .enumerate()
            .map(|(place, (column, width))| cell(*column, place, &title(*column), *width))
            .collect()
    }

    pub(super) fn row(&self, informer: &Informer) -> Vec<(Column, String)> {
        let cells = self.0.iter().enumerate().map(|(place, (column, width))| {
            (*column, cell(*column, place, &cut(&text(informer, *column), *width), *width))
        });
        cells.collect()
    }
}

/// A cell with the blanks before it.
fn cell(column: Column, place: usize, text: &str, width: usize) -> String {
    let before = if place == 0 { 0 } else { BETWEEN };
    if is_text(column) { " ".repeat(before) + &left(text, width) } else { right(text, before + width) }
}

/// Texts begin at the left, numbers end at the right.
fn is_text(column: Column) -> bool {
    matches!(column, Column::Name | Column::Namespaces | Column::Phase)
}

/// The least width of a column.
fn least(column: Column) -> usize {
    match column {
        Column::Name => NAME[0],
        Column::Namespaces => 13, // `12 namespaces`
        Column::Phase => 19,      // `▲ unreachable 3m12s`
        Column::Heard | Column::Events => 5,
        Column::Memory => 8, // `1023 KiB`
        Column::Objects | Column::Relists | Column::Waiting | Column::Backlog => 7,
    }
}

fn text(informer: &Informer, column: Column) -> String {
    match column {
        Column::Name => informer.name.clone(),
        Column::Namespaces => known(informer.namespaces(), |namespaces| namespaces),
        Column::Phase => phase(informer),
        Column::Objects => known(informer.entry.objects, count),
        Column::Heard => known(informer.entry.stale_seconds, time),
        Column::Events => known(informer.rate, rate),
        Column::Relists => known(informer.relists(), count),
        Column::Waiting => known(informer.entry.queued, count),
        Column::Memory => known(informer.memory(), bytes),
        Column::Backlog => known(informer.backlog(), count),
    }
}

/// `● watching 3m12s`
pub(super) fn phase(informer: &Informer) -> String {
    let name = known(informer.entry.phase.as_deref(), str::to_owned);
    let lasting = informer.phase_seconds().map(|seconds| format!(" {}", time(seconds))).unwrap_or_default();
    format!("{} {name}{lasting}", sign(gravity(informer)))
}

/// What is said by a colour is said by a sign as well.
pub(super) fn sign(gravity: Gravity) -> &'static str {
    match gravity {
        Gravity::Good => "●",
        Gravity::Busy => "◐",
        Gravity::Bad => "▲",
    }
}

#[cfg(test)]
mod tests;
