//! How much room there is for what.

/// Columns and rows of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Size {
    /// Below this there is nothing useful to see.
    pub(super) const LEAST: Self = Self { width: 40, height: 10 };

    pub(super) fn is_too_small(self) -> bool {
        self.width < Self::LEAST.width || self.height < Self::LEAST.height
    }
}

/// Three lines at the top, an empty one, and the titles of columns; the keys at the end.
const AROUND_ROWS: usize = 6;

/// One line at the top, and an empty one; the keys at the end.
const AROUND_TEXT: usize = 3;

/// An empty line and titles.
const ABOVE_QUEUES: usize = 2;

/// A screen that is lower has one of both tables, unless all their rows fit.
const LOW: usize = 16;

/// How many rows of the list are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) informers: usize,
    pub(super) queues: usize,
}

impl Room {
    /// For so many informers and queues. Where there is no room for both tables, that of the selected row is shown.
    pub(super) fn of(size: Size, informers: usize, queues: usize, is_at_queues: bool) -> Self {
        let all = size.height.saturating_sub(AROUND_ROWS).max(1);
        if queues == 0 {
            return Self { informers: all, queues };
        }
        let both = all.saturating_sub(ABOVE_QUEUES);
        let informers = informers.max(1);
        if size.height < LOW && informers + queues > both {
            return if is_at_queues {
                Self { informers: 0, queues: all }
            } else {
                Self { informers: all, queues: 0 }
            };
        }
        // A quarter of the screen, and what informers leave.
        let queues = queues.min(both.saturating_sub(informers).max(size.height / 4));
        Self { informers: both - queues, queues }
    }
}

/// Lines for text, one at least.
pub(super) fn lines_of_text(size: Size) -> usize {
    size.height.saturating_sub(AROUND_TEXT).max(1)
}

#[cfg(test)]
mod tests;
