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

/// Rows for informers, one at least, beside so many queues.
pub(super) fn rows_of_informers(size: Size, queues: usize) -> usize {
    let queues = match rows_of_queues(size, queues) {
        0 => 0,
        rows => rows + 2,
    };
    size.height.saturating_sub(AROUND_ROWS + queues).max(1)
}

/// Rows for queues: a quarter of the screen at most, and none on a small one. An empty line and titles are above them.
pub(super) fn rows_of_queues(size: Size, queues: usize) -> usize {
    if size.height < 16 { 0 } else { queues.min(size.height / 4) }
}

/// Lines for text, one at least.
pub(super) fn lines_of_text(size: Size) -> usize {
    size.height.saturating_sub(AROUND_TEXT).max(1)
}
