//! The columns of informers, and the order that each stands for.

use std::cmp::Ordering;

use super::document::Informer;

/// In the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Namespaces,
    Phase,
    Objects,
    Heard,
    Events,
    Relists,
    Waiting,
    Memory,
    Backlog,
}

impl Column {
    pub(super) const ALL: [Self; 10] = [
        Self::Name,
        Self::Namespaces,
        Self::Phase,
        Self::Objects,
        Self::Heard,
        Self::Events,
        Self::Relists,
        Self::Waiting,
        Self::Memory,
        Self::Backlog,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Name => "INFORMER",
            Self::Namespaces => "NAMESPACE",
            Self::Phase => "PHASE",
            Self::Objects => "OBJECTS",
            Self::Heard => "HEARD",
            Self::Events => "EV/S",
            Self::Relists => "RELISTS",
            Self::Waiting => "WAITING",
            Self::Memory => "MEMORY",
            Self::Backlog => "BACKLOG",
        }
    }

    /// Texts begin at A, numbers with the largest.
    fn begins_large(self) -> bool {
        !matches!(self, Self::Name | Self::Namespaces)
    }

    fn compare(self, a: &Informer, b: &Informer) -> Ordering {
        match self {
            Self::Name => Ordering::Equal,
            Self::Namespaces => a.namespaces().cmp(&b.namespaces()),
            Self::Phase => gravity(a).cmp(&gravity(b)).then_with(|| a.entry.phase.cmp(&b.entry.phase)),
            Self::Objects => a.entry.objects.cmp(&b.entry.objects),
            Self::Heard => order(a.entry.stale_seconds, b.entry.stale_seconds),
            Self::Events => order(a.rate, b.rate),
            Self::Relists => a.relists().cmp(&b.relists()),
            Self::Waiting => a.entry.queued.cmp(&b.entry.queued),
            Self::Memory => a.memory().cmp(&b.memory()),
            Self::Backlog => a.backlog().cmp(&b.backlog()),
        }
    }
}

/// By which column rows are sorted, and whether in its other direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sort {
    pub(super) column: Column,
    reversed: bool,
}

impl Default for Sort {
    /// By name: rows stay where they are.
    fn default() -> Self {
        Self::by(Column::Name)
    }
}

impl Sort {
    pub(super) fn by(column: Column) -> Self {
        Self { column, reversed: false }
    }

    /// By the column that is so many steps further to the right.
    pub(super) fn moved(self, steps: isize) -> Self {
        let count = Column::ALL.len();
        let here = Column::ALL.iter().position(|column| *column == self.column).unwrap_or(0);
        Self::by(Column::ALL[here.wrapping_add_signed(steps).wrapping_add(count) % count])
    }

    pub(super) fn reversed(self) -> Self {
        Self { reversed: !self.reversed, ..self }
    }

    /// Whether the smallest are first.
    fn rises(self) -> bool {
        self.column.begins_large() == self.reversed
    }

    pub(super) fn arrow(self) -> &'static str {
        if self.rises() { "▴" } else { "▾" }
    }

    /// Informers that are equal are in the order of their names. Something unknown is less than any number.
    pub(super) fn order(self, a: &Informer, b: &Informer) -> Ordering {
        let by_name = a.name.cmp(&b.name);
        let order = match self.column {
            Column::Name => by_name,
            column => column.compare(a, b),
        };
        if self.rises() { order.then(by_name) } else { order.reverse().then(by_name) }
    }
}

/// How bad a phase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gravity {
    /// It follows the server.
    Good,
    /// It will soon, or nobody knows.
    Busy,
    /// Somebody should look.
    Bad,
}

/// That of the phase; what has not synced is not good yet.
pub(super) fn gravity(informer: &Informer) -> Gravity {
    let of_phase = gravity_of(informer.entry.phase.as_deref());
    if informer.entry.synced == Some(false) { of_phase.max(Gravity::Busy) } else { of_phase }
}

pub(super) fn gravity_of(phase: Option<&str>) -> Gravity {
    match phase {
        Some("watching") => Gravity::Good,
        Some("backing off" | "stalled" | "unreachable" | "gone" | "rewound" | "stopped") => Gravity::Bad,
        _ => Gravity::Busy,
    }
}

fn order(a: Option<f64>, b: Option<f64>) -> Ordering {
    let known = |number: Option<f64>| number.unwrap_or(-1.0);
    known(a).total_cmp(&known(b))
}

#[cfg(test)]
mod tests;
