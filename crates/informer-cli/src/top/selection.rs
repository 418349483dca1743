//! Which row of the list is selected: an informer, or a queue below the informers.

use super::document::{Informer, Queue};

/// A row, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Informer(String),
    Queue(String),
}

impl Row {
    pub(super) fn is_informer(&self, name: &str) -> bool {
        matches!(self, Self::Informer(own) if own == name)
    }

    pub(super) fn is_queue(&self, name: &str) -> bool {
        matches!(self, Self::Queue(own) if own == name)
    }
}

/// All rows, in order.
pub(super) struct Rows<'a> {
    pub(super) informers: Vec<&'a Informer>,
    pub(super) queues: Vec<&'a Queue>,
}

impl Rows<'_> {
    fn len(&self) -> usize {
        self.informers.len() + self.queues.len()
    }

    /// The place so many rows further. A page ends at the end of a table, so that no row is passed unseen.
    pub(super) fn moved(&self, place: usize, by: isize) -> usize {
        let queues = self.informers.len();
        let to = place.saturating_add_signed(by).min(self.len().saturating_sub(1));
        let is_page = ![isize::MIN, isize::MAX].contains(&by);
        match (place < queues, to < queues) {
            (true, false) if is_page => {
                if place + 1 < queues {
                    queues - 1
                } else {
                    queues
                }
            }
            (false, true) if is_page => {
                if place > queues {
                    queues
                } else {
                    queues - 1
                }
            }
            _ => to,
        }
    }

    pub(super) fn at(&self, place: usize) -> Option<Row> {
        let queue = || self.queues.get(place.checked_sub(self.informers.len())?);
        match self.informers.get(place) {
            Some(informer) => Some(Row::Informer(informer.name.clone())),
            None => queue().map(|queue| Row::Queue(queue.name.clone())),
        }
    }

    /// The place of the row that was selected. If it is gone, another one of its table has its place, or that is the first of all.
    pub(super) fn settle(&self, selected: Option<&Row>, place: usize) -> usize {
        let informers = self.informers.len();
        let found = match selected {
            None => None,
            Some(Row::Informer(name)) => self.informers.iter().position(|informer| informer.name == *name),
            Some(Row::Queue(name)) => {
                self.queues.iter().position(|queue| queue.name == *name).map(|place| informers + place)
            }
        };
        found.unwrap_or_else(|| match selected {
            Some(Row::Queue(_)) if !self.queues.is_empty() => place.clamp(informers, self.len() - 1),
            _ => place.min(informers.saturating_sub(1)),
        })
    }
}
