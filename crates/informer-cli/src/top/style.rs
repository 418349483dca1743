//! How text looks. Without colours it says the same: there are signs and words for everything.

use ratatui_core::style::{Color, Modifier, Style};

use super::sort::Gravity;

#[derive(Clone, Copy, Debug)]
pub(super) struct Palette {
    pub(super) coloured: bool,
}

impl Palette {
    pub(super) fn of(self, gravity: Gravity) -> Style {
        match gravity {
            Gravity::Good => self.colour(Color::Green),
            Gravity::Busy => self.colour(Color::Yellow),
            Gravity::Bad => self.colour(Color::Red).add_modifier(Modifier::BOLD),
        }
    }

    pub(super) fn title(self) -> Style {
        self.colour(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    /// What is less important.
    pub(super) fn soft() -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn strong() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(super) fn selected() -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn colour(self, colour: Color) -> Style {
        if self.coloured { Style::new().fg(colour) } else { Style::new() }
    }
}
