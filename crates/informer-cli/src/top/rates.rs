//! How fast counts grow: the difference between two documents.

use std::collections::{HashMap, VecDeque};

use super::document::{Document, Informer, total};

/// So many rates are kept for the curve.
const HISTORY: usize = 300;

#[derive(Debug, Default)]
pub(super) struct Rates {
    /// What was counted in the document before.
    before: HashMap<Counted, u64>,
    /// When that was.
    at: Option<f64>,
    /// Which run of which program said it.
    instance: Option<String>,
    /// Events a second of all informers, the latest last.
    history: VecDeque<f64>,
}

/// What counts events, calls or runs.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Counted {
    All,
    Informer(String),
    /// Of an informer, by its name and which of those with this name it is: the place of a handler changes when one before it goes.
    Handler(String, String, usize),
    Queue(String, &'static str),
}

impl Rates {
    /// Writes the rates into a document that came at this second of ours. A program that was started again counts from the beginning,
    /// and so does another replica that answers at the same address: between their documents there is no rate. Programs that do not
    /// say which they are are told apart by counts or a clock that went back.
    pub(super) fn measure(&mut self, document: &mut Document, now: f64) {
        if self.instance != document.instance {
            self.before.clear();
            self.at = None;
            self.instance.clone_from(&document.instance);
        }
        // The program's own clock does not count the way of the answer.
        let at = document.uptime.unwrap_or(now);
        let passed = self.at.map(|before| at - before).filter(|passed| *passed > 0.0);
        let before = std::mem::take(&mut self.before);
        let mut growth = |counted: Counted, number: Option<u64>| {
            let number = number?;
            let grown = before.get(&counted).and_then(|before| number.checked_sub(*before));
            self.before.insert(counted, number);
            #[allow(clippy::cast_precision_loss)]
            Some(grown? as f64 / passed?)
        };
        let events = total(document.informers.iter().map(Informer::events));
        document.rate = growth(Counted::All, events);
        for informer in &mut document.informers {
            informer.rate = growth(Counted::Informer(informer.name.clone()), informer.events());
            let mut named = HashMap::new();
            for handler in &mut informer.handlers {
                let before = named.entry(handler.name.clone()).or_insert(0_usize);
                let counted = Counted::Handler(informer.name.clone(), handler.name.clone(), *before);
                *before += 1;
                handler.rate = growth(counted, handler.entry.delivered);
            }
        }
        for queue in &mut document.queues {
            let mut rate = |what, number| growth(Counted::Queue(queue.name.clone(), what), number);
            queue.run_rate = rate("runs", queue.entry.runs);
            queue.failure_rate = rate("failures", queue.entry.failures);
            queue.retry_rate = rate("retries", queue.entry.retries);
        }
        self.at = Some(at);
        self.history.extend(document.rate);
        while self.history.len() > HISTORY {
            self.history.pop_front();
        }
    }

    /// Events a second of all informers, the latest last.
    pub(super) fn history(&self) -> impl DoubleEndedIterator<Item = f64> + '_ {
        self.history.iter().copied()
    }
}

#[cfg(test)]
mod tests;
