//! WATCH requests: a list that comes as a stream, and changes as they happen.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use informer_core::delta::DeltaChange;
use informer_core::object::record::Record;
use informer_wire::{ObjectKey, ResourceVersion};
use tokio::time::{Instant, sleep, timeout_at};

use super::check::Finding;
use super::connection::{Arrival, Connection};
use super::cursor::{News, NextStep};
use super::driver::Driver;
use super::interruption::Interruption;
use super::recovery::Trouble;
use crate::source::Tuning;
use crate::source::decode::{ChangeType, WatchDecoder, WatchItem};
use crate::source::{Verb, WatchParams};
use crate::status::Phase;

/// A watch that is open.
pub(super) struct Watch {
    pub(super) connection: Connection,
    decoder: WatchDecoder,
    timeout_seconds: u32,
    /// Whether it brought a bookmark, other than the mark of the end of a list. They come every minute from then on.
    bookmarked: bool,
    /// Whether it took the place of one that was silent.
    pub(super) replaced: bool,
}

#[cfg(test)]
impl Watch {
    pub(super) fn on(connection: Connection) -> Self {
        let decoder = WatchDecoder::new(1 << 20, false);
        Self { connection, decoder, timeout_seconds: 300, bookmarked: false, replaced: false }
    }
}

/// A question about the server's history that waits for its answer.
type Check = BoxFuture<'static, Finding>;

/// Waits for the answer, for ever if nothing was asked.
async fn found(check: &mut Option<Check>) -> Finding {
    match check {
        Some(check) => check.await,
        None => std::future::pending().await,
    }
}

/// Whether a streamed list gets anywhere. A busy kind brings changes for ever, so only objects count that this list has not
/// brought before.
struct StreamProgress {
    least: u32,
    within: Duration,
    until: Instant,
}

impl StreamProgress {
    fn new(settings: &Tuning) -> Self {
        let within = settings.streaming_timeout;
        // Not by adding: that overflows with the longest durations.
        let until = sleep(within).deadline();
        Self { least: settings.streaming_objects, within, until }
    }

    /// The time is over: there is as much again if enough has come.
    fn next(&mut self, objects: u32) -> Result<(), Trouble> {
        self.until = sleep(self.within).deadline();
        if objects >= self.least { Ok(()) } else { Err(Trouble::NoEnd { objects, within: self.within }) }
    }
}

impl Driver {
    /// Follows changes after a version until something happens that the cursor has to decide on.
    pub(super) async fn watch(&mut self, version: String) -> Result<NextStep, Interruption> {
        if self.cursor.phase() == Phase::Stalled {
            // At once: perhaps this connection is not even answered.
            self.show_phase();
        }
        self.stranger_told = false;
        if self.cursor.wants_check() {
            self.witness.resuming();
        }
        let watch = self.open_watch(version, false);
        self.follow(watch).await
    }

    /// Reads the scope as a stream, up to the mark of its end, and gives the stream, which goes on as the watch, and the
    /// version of the list.
    pub(super) async fn stream(
        &mut self,
        version: String,
        reuse: bool,
    ) -> Result<(Box<Watch>, ResourceVersion), Interruption> {
        let mut watch = self.open_watch(version, true);
        match self.read_stream(&mut watch, reuse).await {
            Ok(Some(version)) => Ok((Box::new(watch), version)),
            Ok(None) => Err(self.ended(&watch).into()),
            Err(trouble) => Err(self.broken(&watch, trouble).into()),
        }
    }

    /// Adds the objects to the snapshot as they come in, and gives the version of the list. `None` if the stream ended before
    /// the mark.
    async fn read_stream(
        &mut self,
        watch: &mut Watch,
        reuse: bool,
    ) -> Result<Option<ResourceVersion>, Trouble> {
        let known = self.known(reuse);
        let ingest = self.reflector.ingest.clone();
        let mut progress = StreamProgress::new(&self.reflector.settings);
        self.new_keys = 0;
        loop {
            while let Some(item) = watch.decoder.next(&ingest, &*known) {
                match item? {
                    WatchItem::Object { change, record } => self.take_listed(change, record),
                    WatchItem::LeftOut { key, message, .. } => self.leave_out_of_list(key, message),
                    WatchItem::Bookmark { version, initial_events_end: true } => {
                        self.reflector.status.bookmark(Instant::now());
                        return Ok(Some(version));
                    }
                    WatchItem::Bookmark { .. } | WatchItem::Ignored { .. } => {}
                    WatchItem::Error(failure) => return Err(Trouble::Http(failure)),
                }
                self.pace().await;
            }
            // Checked here as well as in the timeout below: on a stream that always has data ready the timeout never
            // fires.
            if Instant::now() >= progress.until {
                progress.next(std::mem::take(&mut self.new_keys))?;
            }
            match timeout_at(progress.until, watch.connection.arrival()).await {
                Err(_) => {}
                Ok(Arrival::Answered) => self.reflector.status.byte(Instant::now()),
                Ok(Arrival::Failed(error)) => return Err(error.into_trouble()),
                Ok(Arrival::Ended) if watch.decoder.end_of_body() => {}
                Ok(Arrival::Ended) => return Ok(None),
                Ok(Arrival::Bytes(chunk)) => {
                    self.reflector.status.byte(Instant::now());
                    watch.decoder.push(chunk);
                }
            }
        }
    }

    fn take_listed(&mut self, change: ChangeType, record: Arc<Record>) {
        self.check_scope(record.key());
        match change {
            ChangeType::Added => self.put(record),
            ChangeType::Modified => {
                self.snapshot.put(record);
            }
            ChangeType::Deleted => {
                self.snapshot.remove(record.key());
            }
        }
    }

    /// Passes on what a watch brings until something happens that the cursor has to decide on.
    pub(super) async fn follow(&mut self, mut watch: Watch) -> Result<NextStep, Interruption> {
        self.following = true;
        match self.pass_on(&mut watch).await {
            Ok(()) => Ok(self.ended(&watch)),
            Err(Interruption::Trouble(trouble)) => Ok(self.broken(&watch, trouble)),
            Err(interruption) => Err(interruption),
        }
    }

    /// Passes on what a watch brings until it ends.
    async fn pass_on(&mut self, watch: &mut Watch) -> Result<(), Interruption> {
        let (ingest, known) = (self.reflector.ingest.clone(), self.known(false));
        let mut check = None;
        loop {
            while let Some(item) = watch.decoder.next(&ingest, &*known) {
                self.take(watch, item?).await?;
                self.pace().await;
            }
            match self.next_arrival(watch, &mut check).await? {
                Arrival::Answered => check = self.accepted(watch),
                Arrival::Failed(error) => return Err(error.into()),
                Arrival::Ended if watch.decoder.end_of_body() => {}
                Arrival::Ended => return Ok(()),
                Arrival::Bytes(chunk) => {
                    self.cursor.saw_byte();
                    self.show_phase();
                    self.reflector.status.byte(Instant::now());
                    watch.decoder.push(chunk);
                }
            }
        }
    }

    /// The server has accepted the watch. A question about its history follows if the cursor wants one.
    fn accepted(&mut self, watch: &Watch) -> Option<Check> {
        // Where silent watches are moved, an idle kind brings no more than this.
        self.reflector.status.byte(Instant::now());
        let lasted = watch.connection.lasted();
        self.heads_held |= lasted.is_some_and(|lasted| lasted >= self.reflector.settings.idle_watch);
        self.cursor.accepted();
        self.show_phase();
        if !self.cursor.wants_check() {
            return None;
        }
        // A watch that took the place of a silent one is routine, and there may be many of them. An answer from before it
        // tells nearly as much.
        let routine = if watch.replaced { self.reflector.settings.idle_watch } else { Duration::ZERO };
        let since = Instant::now().checked_sub(routine).unwrap_or_else(Instant::now);
        Some(self.check(since))
    }

    /// Waits for the server, and beside it for what is asked about its history. How long nothing came counts from here, so time
    /// spent waiting for room in the queue does not.
    async fn next_arrival(
        &mut self,
        watch: &mut Watch,
        check: &mut Option<Check>,
    ) -> Result<Arrival, Interruption> {
        let silence = self.reflector.settings.watch_silence(watch.timeout_seconds, watch.bookmarked);
        let dead = sleep(silence);
        tokio::pin!(dead);
        let witness = self.witness.clone();
        let mut vigil = self.vigil(watch);
        loop {
            let finding = tokio::select! {
                biased;
                arrival = watch.connection.arrival() => return Ok(arrival),
                () = &mut dead => return Err(Trouble::Silent(silence).into()),
                finding = found(check) => finding,
                () = witness.doubt.notified(), if watch.connection.lasted().is_some() => {
                    let witness = witness.clone();
                    *check = Some(Box::pin(async move { witness.ask().await.0 }));
                    continue;
                }
                turn = vigil.turn() => match self.silent(watch, &mut vigil, turn)? {
                    Some(arrival) => return Ok(arrival),
                    None => continue,
                },
            };
            *check = None;
            if finding != Finding::Unknown {
                witness.settled();
            }
            if let Some(step) = self.cursor.checked(Instant::now(), finding) {
                return Err(step.into());
            }
        }
    }

    /// Asks whether the server's history is still the one that we have seen. What another scope was answered after `since`
    /// will do.
    fn check(&self, since: Instant) -> Check {
        let (probe, witness) = (self.reflector.shared_probe.clone(), self.witness.clone());
        Box::pin(async move { probe.check(&witness, since).await })
    }

    /// Passes on one event. The cursor moves only after that, so that nothing is skipped.
    async fn take(&mut self, watch: &mut Watch, item: WatchItem) -> Result<(), Interruption> {
        match item {
            WatchItem::Object { change, record } => {
                let version = record.head.resource_version.clone();
                let deleted = change == ChangeType::Deleted;
                let news = News { key: Some(record.key()), deleted, version: &version };
                if let Some(step) = self.cursor.arrived(Instant::now(), news) {
                    return Err(step.into());
                }
                self.reflector.status.event(Instant::now());
                self.check_scope(record.key());
                if self.reflector.target.scope.contains(record.key()) {
                    self.witness.newest(|newest| {
                        if deleted {
                            newest.gone(record.key(), &version);
                        } else {
                            newest.put(record.key(), &record.head.uid, &version);
                        }
                    });
                }
                self.push(match change {
                    ChangeType::Added => DeltaChange::Added(record),
                    ChangeType::Modified => DeltaChange::Updated(record),
                    ChangeType::Deleted => DeltaChange::Deleted(record),
                })
                .await?;
                self.cursor.advance(&version);
                self.reflector.status.version(self.cursor.last());
            }
            WatchItem::LeftOut { key, version, message } => {
                self.report_left_out(key.clone(), message);
                if let Some(key) = key {
                    self.witness.newest(|newest| newest.remove(&key));
                    self.cursor.left_out(&key);
                    self.push(DeltaChange::LeftOut { key, version }).await?;
                }
            }
            WatchItem::Bookmark { version, initial_events_end } => {
                watch.bookmarked |= !initial_events_end;
                let news = News { key: None, deleted: false, version: &version };
                if let Some(step) = self.cursor.arrived(Instant::now(), news) {
                    return Err(step.into());
                }
                self.reflector.status.bookmark(Instant::now());
                if !version.is_empty() {
                    self.push(DeltaChange::Bookmark(version.clone())).await?;
                }
                self.cursor.bookmarked(&version);
                self.reflector.status.version(self.cursor.last());
            }
            WatchItem::Error(failure) => return Err(Trouble::Http(failure).into()),
            WatchItem::Ignored { event_type } => {
                // A type is a word. What is not one may be anything, also a part of an object.
                let event_type = event_type.chars().all(|c| c.is_ascii_uppercase()).then_some(event_type);
                tracing::debug!(kind = %self.reflector.target.kind, event_type, "an event is ignored");
            }
        }
        Ok(())
    }

    pub(super) fn open_watch(&mut self, version: String, send_initial_events: bool) -> Watch {
        self.reflector.status.watch();
        let timeout_seconds = self.reflector.settings.watch_timeout(&mut self.reflector.rng);
        let params = WatchParams { resource_version: version, timeout_seconds, send_initial_events };
        let mut request = self.reflector.target.request(Verb::Watch(params));
        request.silence = self.silence.take();
        Watch {
            connection: Connection::open(&*self.reflector.source, request),
            decoder: WatchDecoder::new(self.reflector.settings.document_limit, send_initial_events),
            timeout_seconds,
            bookmarked: false,
            replaced: false,
        }
    }

    fn broken(&mut self, watch: &Watch, trouble: Trouble) -> NextStep {
        if let Trouble::Silent(silence) = trouble {
            self.silence = Some(silence);
        }
        self.cursor.failed(Instant::now(), trouble, watch.connection.lasted())
    }

    fn ended(&mut self, watch: &Watch) -> NextStep {
        match watch.decoder.finish() {
            Ok(()) => {
                let lasted = watch.connection.lasted().unwrap_or_default();
                self.cursor.ended(Instant::now(), lasted, self.snapshot.len())
            }
            Err(error) => self.broken(watch, error.into()),
        }
    }

    /// An object of a list that cannot be taken in is absent from it, even if an older version was there.
    pub(super) fn leave_out_of_list(&mut self, key: Option<ObjectKey>, message: String) {
        if let Some(key) = &key {
            self.new_keys += u32::from(self.snapshot.remove(key));
        }
        self.report_left_out(key, message);
    }

    /// Takes an object of a list.
    pub(super) fn put(&mut self, record: Arc<Record>) {
        let in_scope = self.reflector.target.scope.contains(record.key());
        self.new_keys += u32::from(self.snapshot.put(record) && in_scope);
    }
}
