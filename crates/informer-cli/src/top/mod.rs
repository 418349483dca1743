//! `informer top`: how informers are doing, in a terminal. Those of a running program, or own ones.
//!
//! Looks ([`source`]) and keys change a [`state`], which knows neither; [`draw`](mod@draw) shows it.

mod amount;
mod detail;
mod document;
mod draw;
mod grid;
mod keys;
mod layout;
mod overview;
mod queues;
mod rates;
mod selection;
mod sort;
mod source;
mod state;
mod style;
mod table;
mod terminal;
#[cfg(test)]
mod testing;
mod text;

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use ratatui_crossterm::crossterm::event::Event;

use self::keys::Key;
use self::layout::Size;
use self::source::Source;
use self::state::{Link, State};
use self::style::Palette;
use self::terminal::{FullScreen, current_size, events, left};
use crate::args::TopArgs;
use crate::clock::zone;
use crate::ending::asked_to_end;
use crate::failure::Failure;
use crate::screen::Screen;

/// The width of `--once` where there is no terminal: all columns fit.
const WIDTH: usize = 120;

/// Rates need two looks.
const LOOKS: usize = 2;

pub(crate) async fn run(args: &TopArgs) -> Result<(), Failure> {
    let is_terminal = io::stdout().is_terminal();
    if !is_terminal && !args.once {
        return Err(Failure::usage(
            "the output is not a terminal; --once prints what there is to see as text",
        ));
    }
    let source = Arc::new(Source::find(args).await?);
    let shown =
        if args.once { once(args, &source, is_terminal).await } else { full_screen(args, &source).await };
    source.end().await;
    shown
}

/// Prints what there is to see.
async fn once(args: &TopArgs, source: &Arc<Source>, is_terminal: bool) -> Result<(), Failure> {
    source.filled().await?;
    let width = if is_terminal { current_size()?.width } else { WIDTH };
    let mut state = State::new(source.name(), Size { width, height: usize::MAX }, zone());
    let mut looks = source.looks(args.interval);
    for _ in 0..LOOKS {
        let look = tokio::select! {
            look = looks.recv() => look,
            () = asked_to_end() => return Err(Failure::interrupted()),
        };
        look.into_iter().for_each(|look| state.hear(look));
        if let Link::Lost { why, .. } = &state.link {
            return Err(Failure::cluster(why));
        }
    }
    Ok(Screen::new().text(&draw::once(&state, width))?)
}

/// Shows it until somebody ends it.
async fn full_screen(args: &TopArgs, source: &Arc<Source>) -> Result<(), Failure> {
    let cannot = |error: io::Error| Failure::local(format!("cannot use the terminal: {error}"));
    let mut state = State::new(source.name(), current_size().map_err(cannot)?, zone());
    let mut looks = source.looks(args.interval);
    let coloured = anstream::stdout().current_choice() != anstream::ColorChoice::Never;
    let mut screen = FullScreen::take(Palette { coloured }).map_err(cannot)?;
    let mut events = events();
    let mut end = std::pin::pin!(left());
    loop {
        screen.draw(&state)?;
        tokio::select! {
            event = events.recv() => match event {
                Some(Ok(Event::Key(key))) => {
                    if let Some(key) = Key::of(key)
                        && state.press(key).is_break()
                    {
                        return Ok(());
                    }
                }
                Some(Ok(Event::Resize(width, height))) => {
                    state.resize(Size { width: width.into(), height: height.into() });
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(cannot(error)),
                None => return Err(Failure::local("nothing reads the keys any more")),
            },
            look = looks.recv() => match look {
                Some(look) => state.hear(look),
                None => return Err(Failure::local("nothing looks at the informers any more")),
            },
            ended = &mut end => return ended.map_err(cannot),
        }
    }
}
