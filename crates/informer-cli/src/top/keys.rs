//! What keys mean.

use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    /// Ctrl-U: removes what was typed.
    Erase,
    /// Ctrl-C.
    Interrupt,
    Letter(char),
}

impl Key {
    /// Nothing for keys without a meaning here.
    pub(super) fn of(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release || event.modifiers.contains(KeyModifiers::ALT) {
            return None;
        }
        if event.modifiers.contains(KeyModifiers::CONTROL) {
            return match event.code {
                KeyCode::Char('c') => Some(Self::Interrupt),
                KeyCode::Char('u') => Some(Self::Erase),
                KeyCode::Char('h') => Some(Self::Backspace),
                KeyCode::Char('b') => Some(Self::PageUp),
                KeyCode::Char('f') => Some(Self::PageDown),
                _ => None,
            };
        }
        match event.code {
            KeyCode::Up => Some(Self::Up),
            KeyCode::Down => Some(Self::Down),
            KeyCode::PageUp => Some(Self::PageUp),
            KeyCode::PageDown => Some(Self::PageDown),
            KeyCode::Home => Some(Self::Home),
            KeyCode::End => Some(Self::End),
            KeyCode::Enter => Some(Self::Enter),
            KeyCode::Esc => Some(Self::Escape),
            KeyCode::Backspace => Some(Self::Backspace),
            KeyCode::Char(letter) => Some(Self::Letter(letter)),
            _ => None,
        }
    }
}

/// What `?` shows.
pub(super) const HELP: [(&str, &str); 12] = [
    ("↑ ↓ k j", "move; below the last informer are the queues"),
    ("PgUp PgDn", "move by a page; also Ctrl-B and Ctrl-F"),
    ("Home End g G", "to the first and to the last"),
    ("Enter", "one informer: its reflector, its cache, its handlers; or one queue"),
    ("Esc", "back; after a filter, all rows again"),
    ("/", "filter by name, kind, namespace and phase, queues by name: all words must occur"),
    ("s < >", "sort informers by the next column, or by the one to the left or right"),
    ("S", "sort the other way round"),
    ("p Space", "pause, and go on"),
    ("? h", "this page"),
    ("q Ctrl-C", "end"),
    ("● ◐ ▲", "follows the server; not yet, or unknown; in trouble"),
];

#[cfg(test)]
mod tests;
