//! The terminal: taken over, and given back however the command ends.

use std::io::{self, BufWriter, Stdout};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::cursor::Show;
use ratatui_crossterm::crossterm::event::{self, Event};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use tokio::sync::mpsc;

use super::draw::draw;
use super::layout::Size;
use super::state::State;
use super::style::Palette;

/// Whether the terminal is ours. There is one for the whole process, and a panic may happen on any thread.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The whole terminal; dropped, it is as it was before.
pub(super) struct FullScreen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    palette: Palette,
}

impl FullScreen {
    pub(super) fn take(palette: Palette) -> io::Result<Self> {
        // What a panic says should not be lost with the screen that it is said on.
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            give_back();
            told(panic);
        }));
        TAKEN.store(true, Ordering::SeqCst);
        let taken = enable_raw_mode().and_then(|()| {
            execute!(io::stdout(), EnterAlternateScreen)?;
            Terminal::new(CrosstermBackend::new(BufWriter::new(io::stdout())))
        });
        match taken {
            Ok(terminal) => Ok(Self { terminal, palette }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    pub(super) fn draw(&mut self, state: &State) -> io::Result<()> {
        self.terminal.draw(|frame| draw(frame, state, self.palette)).map(drop)
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Once only: what was printed since should stay.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // There is nobody to tell of an error.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// The size of the terminal.
pub(super) fn current_size() -> io::Result<Size> {
    let (width, height) = size()?;
    Ok(Size { width: width.into(), height: height.into() })
}

/// Keys and new sizes, read by a thread that blocks and ends with the process.
pub(super) fn events() -> mpsc::Receiver<io::Result<Event>> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        loop {
            let event = event::read();
            let is_last = event.is_err();
            if sender.blocking_send(event).is_err() || is_last {
                return;
            }
        }
    });
    receiver
}

/// Waits until somebody asks the process to end. Ctrl-C is a key while the terminal is ours.
#[cfg(unix)]
pub(super) async fn left() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hang_up.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) async fn left() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}
