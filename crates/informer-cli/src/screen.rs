//! Output: the log goes to stdout, remarks go to stderr, and on a terminal there is a status line that is updated in place.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::logging;
use crate::plain::{plain, plain_lines};

/// The output of the command. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Screen {
    /// The status line; hidden if stderr is no terminal.
    bar: ProgressBar,
    is_terminal: bool,
    /// Whether the status line has been drawn.
    is_drawn: Arc<AtomicBool>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        let target = if is_terminal && !logging::is_on() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { bar, is_terminal, is_drawn: Arc::default() }
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Prints a line of the log. Fails if the reader has closed the pipe.
    pub(crate) fn line(&self, line: &str) -> io::Result<()> {
        self.beside(|| {
            let mut out = anstream::stdout().lock();
            writeln!(out, "{line}")?;
            out.flush()
        })
    }

    /// Prints text that ends with a line break.
    pub(crate) fn text(&self, text: &str) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a remark on stderr. What it says of a server or of a recording cannot control the terminal, names of kinds among it.
    pub(crate) fn note(&self, note: &str) {
        self.beside(|| anstream::eprintln!("{}", plain_lines(note)));
    }

    /// Hides the status line while `write` runs.
    fn beside<R>(&self, write: impl FnOnce() -> R) -> R {
        if self.is_drawn.load(Ordering::Relaxed) { self.bar.suspend(write) } else { write() }
    }

    /// Shows progress in the status line.
    pub(crate) fn progress(&self, what: &str, done: u64, of: Option<u64>) {
        match of {
            Some(of) => {
                self.bar.set_style(style("{msg} [{wide_bar}] {pos}/{len}"));
                self.bar.set_length(of.max(done));
            }
            None => self.bar.set_style(style("{spinner} {msg} {pos}")),
        }
        self.is_drawn.store(true, Ordering::Relaxed);
        self.bar.set_message(plain(what).into_owned());
        self.bar.set_position(done);
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Sets the status line.
    pub(crate) fn status(&self, text: &str) {
        self.is_drawn.store(true, Ordering::Relaxed);
        self.bar.disable_steady_tick();
        self.bar.set_style(style("{wide_msg}"));
        self.bar.set_message(plain(text).into_owned());
        self.bar.tick();
    }

    /// Removes the status line after Ctrl-C. The line is filled up to the right edge first: the `^C` that the terminal prints
    /// is then on the next line.
    pub(crate) fn clear_after_interrupt(&self) {
        let was_drawn = self.is_drawn.load(Ordering::Relaxed);
        self.clear();
        if was_drawn && self.is_terminal && io::stdin().is_terminal() {
            eprint!("\x1b[1A\r\x1b[2K");
        }
    }

    /// Removes the status line.
    pub(crate) fn clear(&self) {
        self.is_drawn.store(false, Ordering::Relaxed);
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
