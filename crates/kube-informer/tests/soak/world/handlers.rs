//! The handlers of an informer, and what each was told.

use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use kube_client::api::DynamicObject;
use kube_informer::{Event, Registration, SharedInformer, async_handler, handler};
use tokio::sync::{mpsc, watch};

use crate::support::history::{History, Told};
use crate::support::objects::Content;

/// How a moody handler does its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mood {
    Quick,
    /// Takes [`SLOW`] for each call.
    Slow,
    /// Does not return.
    Stuck,
    Panicking,
}

const SLOW: Duration = Duration::from_millis(50);

/// More than are ever written while a handler is stuck.
const EVERY: usize = 100_000;

/// One handler.
pub(crate) struct Listener {
    name: &'static str,
    pub(crate) is_moody: bool,
    registration: Registration,
    told: mpsc::UnboundedReceiver<(Instant, Told)>,
    history: History,
    /// When it was told of something last.
    last: Instant,
}

impl Listener {
    /// One that works at once, one that gets every event by itself, and one whose mood changes.
    pub(crate) fn all(
        informer: &SharedInformer<DynamicObject>,
        mood: &watch::Sender<Mood>,
    ) -> Result<Vec<Self>> {
        let mut all = Vec::new();
        for (name, every) in [("prompt", None), ("every event", Some(EVERY))] {
            let (sender, told) = mpsc::unbounded_channel();
            let prompt = handler().on_event(move |event: &Event<DynamicObject>| {
                sender.send((Instant::now(), event.into())).ok();
            });
            let prompt = match every {
                Some(limit) => prompt.every_event(limit),
                None => prompt,
            };
            all.push(Self::new(name, informer.add_event_handler(prompt)?, told));
        }
        let (sender, told) = mpsc::unbounded_channel();
        let mood = mood.subscribe();
        let moody = async_handler(move |event: Event<DynamicObject>| {
            let (sender, mut mood) = (sender.clone(), mood.clone());
            async move {
                let now = mood.wait_for(|mood| *mood != Mood::Stuck).await.map_or(Mood::Quick, |mood| *mood);
                if now == Mood::Slow {
                    tokio::time::timeout(SLOW, mood.wait_for(|mood| *mood != Mood::Slow)).await.ok();
                }
                sender.send((Instant::now(), Told::from(&event))).ok();
                if now == Mood::Panicking {
                    // A panic without the message that everybody would see in the output.
                    resume_unwind(Box::new("in a bad mood"));
                }
            }
        });
        all.push(Self { is_moody: true, ..Self::new("moody", informer.add_event_handler(moody)?, told) });
        Ok(all)
    }

    fn new(
        name: &'static str,
        registration: Registration,
        told: mpsc::UnboundedReceiver<(Instant, Told)>,
    ) -> Self {
        let history = History::default();
        Self { name, is_moody: false, registration, told, history, last: Instant::now() }
    }

    pub(crate) async fn synced(&self, patience: Duration) -> Result<()> {
        Ok(self.registration.wait_synced(patience).await?)
    }

    /// Waits until it has been told of exactly this, and gives the moment since when it has.
    pub(crate) async fn until_told(
        &mut self,
        wanted: &Content,
        deadline: tokio::time::Instant,
    ) -> Result<Instant> {
        loop {
            while let Ok((at, told)) = self.told.try_recv() {
                self.hear(at, told);
            }
            if self.history.is(wanted) {
                break;
            }
            match tokio::time::timeout_at(deadline, self.told.recv()).await {
                Ok(told) => {
                    let (at, told) = told.context("the handler is gone")?;
                    self.hear(at, told);
                }
                Err(_) => bail!("the handler `{}` was {}", self.name, self.difference(wanted)),
            }
        }
        let panics = self.registration.status().panics;
        ensure!(self.is_moody || panics == 0, "the handler `{}` panicked {panics} times", self.name);
        Ok(self.last)
    }

    /// Panics if this is not what may come next.
    fn hear(&mut self, at: Instant, told: Told) {
        self.history.hear(told);
        self.last = at;
    }

    fn difference(&self, wanted: &Content) -> String {
        let told = self.history.content();
        let missing: Vec<_> = wanted.iter().filter(|(key, at)| told.get(*key) != Some(*at)).take(5).collect();
        let extra: Vec<_> = told.keys().filter(|key| !wanted.contains_key(*key)).take(5).collect();
        format!("not told of {missing:?} and told too much of {extra:?}")
    }
}
