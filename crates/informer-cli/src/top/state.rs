//! What is to be seen, and how keys and news change it. Nothing is drawn or asked here.

use std::ops::ControlFlow;

use informer_wire::document::is_obeyed;
use k8s_openapi::jiff::tz::TimeZone;

use super::document::{Document, Informer, Queue, name_of};
use super::draw::length;
use super::keys::Key;
use super::layout::{Room, Size, lines_of_text};
use super::rates::Rates;
use super::selection::{Row, Rows};
use super::sort::Sort;
use super::source::Look;
use crate::clock::time_of_day;
use crate::plain::plain;

/// Which of the screens is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum View {
    List,
    /// This informer or queue.
    One(Row),
    Help,
}

/// Whether the program answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Connecting,
    Live,
    Lost {
        /// The time of day.
        since: String,
        why: String,
    },
}

pub(super) struct State {
    /// Whose informers they are.
    pub(super) source: String,
    pub(super) link: Link,
    pub(super) view: View,
    pub(super) sort: Sort,
    pub(super) filter: String,
    /// Whether keys are the text of the filter.
    pub(super) typing: bool,
    pub(super) paused: bool,
    pub(super) rates: Rates,
    /// The place of the first row that is shown; in a text, of the first line.
    pub(super) first: usize,
    /// The place of the first queue that is shown.
    pub(super) first_queue: usize,
    /// What is shown.
    document: Option<Document>,
    /// What came while it was paused.
    newer: Option<Document>,
    /// The selected row, and its place, where another one is selected if it goes.
    selected: Option<Row>,
    place: usize,
    size: Size,
    zone: TimeZone,
}

impl State {
    pub(super) fn new(source: &str, size: Size, zone: TimeZone) -> Self {
        Self {
            source: plain(source).into_owned(),
            link: Link::Connecting,
            view: View::List,
            sort: Sort::default(),
            filter: String::new(),
            typing: false,
            paused: false,
            rates: Rates::default(),
            first: 0,
            first_queue: 0,
            document: None,
            newer: None,
            selected: None,
            place: 0,
            size,
            zone,
        }
    }

    pub(super) fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    pub(super) fn selected(&self) -> Option<&Row> {
        self.selected.as_ref()
    }

    /// The informers that pass the filter, in order.
    pub(super) fn rows(&self) -> Vec<&Informer> {
        let words = self.words();
        let informers = self.document.iter().flat_map(|document| &document.informers);
        let mut rows: Vec<_> = informers.filter(|informer| passes(informer, &words)).collect();
        rows.sort_by(|a, b| self.sort.order(a, b));
        rows
    }

    /// The queues that pass the filter, those with most to do first.
    pub(super) fn queues(&self) -> Vec<&Queue> {
        let words = self.words();
        let queues = self.document.iter().flat_map(|document| &document.queues);
        let mut queues: Vec<_> = queues.filter(|queue| contains(&queue.name, &words)).collect();
        queues.sort_by(|a, b| b.entry.due.cmp(&a.entry.due).then_with(|| a.name.cmp(&b.name)));
        queues
    }

    fn all_rows(&self) -> Rows<'_> {
        Rows { informers: self.rows(), queues: self.queues() }
    }

    /// How many rows of the list are shown.
    pub(super) fn room(&self) -> Room {
        let (rows, is_at_queues) = (self.all_rows(), matches!(self.selected, Some(Row::Queue(_))));
        Room::of(self.size, rows.informers.len(), rows.queues.len(), is_at_queues)
    }

    fn words(&self) -> Vec<String> {
        self.filter.split_whitespace().map(str::to_lowercase).collect()
    }

    /// Takes in what a look has shown.
    pub(super) fn hear(&mut self, look: Look) {
        match look.seen {
            Ok(mut document) => {
                self.link = Link::Live;
                self.rates.measure(&mut document, look.second);
                if self.paused {
                    self.newer = Some(document);
                } else {
                    self.document = Some(document);
                }
            }
            Err(why) => {
                let since = match &self.link {
                    Link::Lost { since, .. } => since.clone(),
                    _ => time_of_day(look.at, &self.zone),
                };
                self.link = Link::Lost { since, why: plain(&why).into_owned() };
            }
        }
        self.settle();
    }

    /// The terminal has another size now.
    pub(super) fn resize(&mut self, size: Size) {
        self.size = size;
        self.settle();
    }

    /// Does what a key means; breaks at the end.
    pub(super) fn press(&mut self, key: Key) -> ControlFlow<()> {
        match key {
            Key::Interrupt => return ControlFlow::Break(()),
            key if self.typing => self.type_in(key),
            Key::Letter('q') => return ControlFlow::Break(()),
            Key::Letter('p' | ' ') => self.pause(),
            Key::Letter('?' | 'h') if self.view != View::Help => self.open(View::Help),
            Key::Letter('?' | 'h') | Key::Escape | Key::Backspace if self.view != View::List => {
                self.open(View::List);
            }
            Key::Escape => self.filter.clear(),
            key => self.go(key),
        }
        self.settle();
        ControlFlow::Continue(())
    }

    /// A key of the filter's text.
    fn type_in(&mut self, key: Key) {
        match key {
            Key::Letter(letter) if !is_obeyed(letter) => self.filter.push(letter),
            Key::Backspace => self.typing = self.filter.pop().is_some(),
            Key::Erase => self.filter.clear(),
            Key::Enter => self.typing = false,
            Key::Escape => {
                self.filter.clear();
                self.typing = false;
            }
            Key::Up | Key::Down | Key::PageUp | Key::PageDown | Key::Home | Key::End => self.go(key),
            Key::Letter(_) | Key::Interrupt => {}
        }
    }

    /// A key that moves, or one of the list.
    fn go(&mut self, key: Key) {
        let page = isize::try_from(self.page()).unwrap_or(isize::MAX);
        match key {
            Key::Up => self.step(-1),
            Key::Down => self.step(1),
            Key::PageUp => self.step(-page),
            Key::PageDown => self.step(page),
            Key::Home => self.step(isize::MIN),
            Key::End => self.step(isize::MAX),
            Key::Letter('k') => self.step(-1),
            Key::Letter('j') => self.step(1),
            Key::Letter('g') => self.step(isize::MIN),
            Key::Letter('G') => self.step(isize::MAX),
            Key::Enter => {
                if let (View::List, Some(row)) = (&self.view, &self.selected) {
                    self.open(View::One(row.clone()));
                }
            }
            Key::Letter('/') => {
                self.open(View::List);
                self.typing = true;
            }
            Key::Letter('s' | '>') => self.sort_by(self.sort.moved(1)),
            Key::Letter('<') => self.sort_by(self.sort.moved(-1)),
            Key::Letter('S') => self.sort_by(self.sort.reversed()),
            _ => {}
        }
    }

    /// Whoever sorts wants to see what is first then.
    fn sort_by(&mut self, sort: Sort) {
        self.sort = sort;
        if self.view == View::List {
            self.step(isize::MIN);
        }
    }

    fn open(&mut self, view: View) {
        self.view = view;
        self.first = 0;
    }

    fn pause(&mut self) {
        self.paused = !self.paused;
        if let (false, Some(newer)) = (self.paused, self.newer.take()) {
            self.document = Some(newer);
        }
    }

    /// Selects another row, or scrolls a text.
    fn step(&mut self, by: isize) {
        match self.view {
            View::List => {
                let rows = self.all_rows();
                self.selected = rows.at(rows.moved(self.place, by));
            }
            View::One(_) | View::Help => self.first = self.first.saturating_add_signed(by),
        }
    }

    /// How many rows or lines there is room for, one at least.
    fn page(&self) -> usize {
        match self.view {
            View::List => match self.selected {
                Some(Row::Queue(_)) => self.room().queues,
                _ => self.room().informers,
            },
            View::One(_) | View::Help => lines_of_text(self.size),
        }
    }

    /// After each change: something that is there is selected and can be seen, and nothing is scrolled past its end.
    fn settle(&mut self) {
        if let View::One(row) = &self.view
            && self.document.as_ref().is_none_or(|document| !has(document, row))
        {
            self.open(View::List);
        }
        let rows = self.all_rows();
        let (informers, queues) = (rows.informers.len(), rows.queues.len());
        let place = rows.settle(self.selected.as_ref(), self.place);
        let selected = rows.at(place);
        (self.place, self.selected) = (place, selected);
        let room = self.room();
        self.first = match self.view {
            View::List => {
                scrolled(self.first, (place < informers).then_some(place), room.informers, informers)
            }
            View::One(_) | View::Help => self.first.min(length(self).saturating_sub(self.page())),
        };
        self.first_queue = scrolled(self.first_queue, place.checked_sub(informers), room.queues, queues);
    }
}

/// The first row to show: the selected one can be seen, and there are no empty rows at the end.
fn scrolled(first: usize, selected: Option<usize>, page: usize, count: usize) -> usize {
    let page = page.max(1);
    let first = selected.map_or(first, |place| first.clamp((place + 1).saturating_sub(page), place));
    first.min(count.saturating_sub(page))
}

fn has(document: &Document, row: &Row) -> bool {
    match row {
        Row::Informer(name) => document.informer(name).is_some(),
        Row::Queue(name) => document.queue(name).is_some(),
    }
}

fn passes(informer: &Informer, words: &[String]) -> bool {
    let places = informer.entry.scopes.iter().map(name_of);
    let kind = informer.kind();
    let said = [&*informer.name, &kind, informer.entry.phase.as_deref().unwrap_or_default()];
    contains(&said.into_iter().chain(places).collect::<Vec<_>>().join("\n"), words)
}

/// Whether all words occur, in whatever case.
fn contains(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
