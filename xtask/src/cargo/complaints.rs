//! What failed tests say, to be told once more at the end: in a log of many thousand lines nobody finds it.

/// How much of what one test says is kept. The beginning says what is wrong.
const LINES: usize = 25;
/// How much of a line.
const WIDTH: usize = 2_000;
/// How many tests. If more fail, something else is wrong.
const TESTS: usize = 20;

/// Collects it from the output of a harness, standard output or standard error.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    told: Vec<Vec<String>>,
    /// Whether the lines that come now belong to the last one.
    open: bool,
}

impl Complaints {
    /// Takes in one line. A test begins with `---- NAME stdout ----`, or where its output is not held back with a panic or the
    /// error that it returned; it ends where a backtrace begins or another test is named.
    pub(super) fn line(&mut self, line: &str) {
        let is_panic = line.starts_with("thread '") && line.contains(" panicked at ");
        let begins = line.starts_with("---- ") && line.ends_with(" ----");
        let is_error = line.starts_with("Error: ");
        // Within what a test said, a panic is a part of it.
        if begins || ((is_panic || is_error) && !self.open) {
            self.told.push(Vec::new());
            self.open = true;
        }
        let ends =
            ["stack backtrace:", "Stack backtrace:", "note: run with `RUST_BACKTRACE", "test ", "failures:"];
        if ends.iter().any(|end| line.starts_with(end)) {
            self.open = false;
        }
        if let Some(last) = self.told.last_mut().filter(|last| self.open && last.len() < LINES)
            && !line.trim().is_empty()
        {
            last.push(line.chars().take(WIDTH).collect());
        }
    }

    /// All of it, with a line break before each line.
    pub(super) fn text(&self) -> String {
        self.told.iter().take(TESTS).flatten().flat_map(|line| ["\n", line]).collect()
    }
}

#[cfg(test)]
mod tests;
