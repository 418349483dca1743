//! WATCH requests: a list that comes as a stream, and changes as they happen.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use super::connection::{Arrival, Connection};
use super::cursor::Step;
use super::driver::Driver;
use super::probe::{self, Probe};
use super::recovery::Trouble;
use crate::delta::DeltaChange;
use crate::delta::fifo::Closed;
use crate::key::ObjectKey;
use crate::object::known::NothingKnown;
use crate::source::decode::{ChangeType, WatchDecoder, WatchItem};
use crate::source::intake::Intake;
use crate::source::stream_error::StreamError;
use crate::source::{Verb, WatchParams};
use crate::status::Phase;
use crate::version::ResourceVersion;

/// What came of reading a scope as a stream.
pub(super) enum Streamed {
    /// It is in the queue; the stream goes on as the watch.
    Complete(Box<Watch>),
    /// It is not; do that.
    Failed(Box<Step>),
}

/// A watch that is open.
pub(super) struct Watch {
    connection: Connection,
    decoder: WatchDecoder,
    timeout_seconds: u32,
    /// Whether it brought a bookmark, other than the mark of the end of a list. They come every minute from then on.
    bookmarked: bool,
}

impl<I: Intake + Send + Sync + 'static> Driver<I> {
    /// Follows changes after a version until something happens that the cursor has to decide on.
    pub(super) async fn watch(&mut self, version: String) -> Result<Step, Closed> {
        if self.cursor.phase() == Phase::Stalled {
            // At once: perhaps this connection is not even answered.
            self.show_phase();
        }
        let watch = self.open_watch(version, false);
        self.follow(watch).await
    }

    /// Reads the scope as a stream, up to the mark of its end.
    pub(super) async fn stream(&mut self, version: String, reuse: bool) -> Result<Streamed, Closed> {
        let mut watch = self.open_watch(version, true);
        let known = self.known(reuse);
        let intake = self.reflector.intake.clone();
        let deadline = self.reflector.settings.streaming_deadline;
        // Only the time spent waiting for the server counts, and only until an object comes.
        let mut waited = Duration::ZERO;
        loop {
            while let Some(item) = watch.decoder.next(&*intake, &*known) {
                match item {
                    Ok(WatchItem::Object { change, record }) => match change {
                        ChangeType::Added => {
                            waited = Duration::ZERO;
                            self.snapshot.put(record);
                        }
                        ChangeType::Modified => self.snapshot.put(record),
                        ChangeType::Deleted => self.snapshot.remove(record.key()),
                    },
                    Ok(WatchItem::LeftOut { key, message }) => {
                        waited = Duration::ZERO;
                        self.leave_out_of_list(key, message);
                    }
                    Ok(WatchItem::Bookmark { version, initial_events_end: true }) => {
                        self.reflector.status.bookmark(Instant::now());
                        if let Err(step) = self.cursor.marker(Instant::now(), &version) {
                            return Ok(Streamed::Failed(step));
                        }
                        self.commit(version, false).await?;
                        self.show_phase();
                        return Ok(Streamed::Complete(Box::new(watch)));
                    }
                    Ok(WatchItem::Bookmark { .. } | WatchItem::Ignored { .. }) => {}
                    Ok(WatchItem::Error(failure)) => {
                        return Ok(self.stream_broken(&watch, Trouble::Http(failure)));
                    }
                    Err(error) => return Ok(self.stream_broken(&watch, error.into())),
                }
                self.pace().await;
            }
            let asked = Instant::now();
            match timeout(deadline.saturating_sub(waited), watch.connection.arrival()).await {
                Err(_) => return Ok(self.stream_broken(&watch, Trouble::Silent(deadline))),
                Ok(Arrival::Answered) => {}
                Ok(Arrival::Failed(error)) => return Ok(self.stream_broken(&watch, error.into())),
                Ok(Arrival::Ended) => return Ok(Streamed::Failed(Box::new(self.ended(&watch)))),
                Ok(Arrival::Bytes(chunk)) => {
                    self.reflector.status.byte(Instant::now());
                    watch.decoder.push(chunk);
                }
            }
            waited += asked.elapsed();
        }
    }

    fn stream_broken(&mut self, watch: &Watch, trouble: Trouble) -> Streamed {
        Streamed::Failed(Box::new(self.broken(watch, trouble)))
    }

    /// Passes on what a watch brings until something happens that the cursor has to decide on.
    pub(super) async fn follow(&mut self, mut watch: Watch) -> Result<Step, Closed> {
        self.following = true;
        let intake = self.reflector.intake.clone();
        let mut probe = self.cursor.wants_probe().then(|| self.probe());
        loop {
            while let Some(item) = watch.decoder.next(&*intake, &NothingKnown) {
                if let Err(trouble) = self.take(&mut watch, item).await? {
                    return Ok(self.broken(&watch, trouble));
                }
                self.pace().await;
            }
            let silence = self.reflector.settings.watch_silence(watch.timeout_seconds, watch.bookmarked);
            let arrival = match self.next_arrival(&mut watch, &mut probe, silence).await {
                Ok(arrival) => arrival,
                Err(step) => return Ok(*step),
            };
            match arrival {
                None => return Ok(self.broken(&watch, Trouble::Silent(silence))),
                Some(Arrival::Answered) => self.show_phase(),
                Some(Arrival::Failed(error)) => return Ok(self.broken(&watch, error.into())),
                Some(Arrival::Ended) => return Ok(self.ended(&watch)),
                Some(Arrival::Bytes(chunk)) => {
                    self.cursor.saw_byte();
                    self.show_phase();
                    self.reflector.status.byte(Instant::now());
                    probe = None;
                    watch.decoder.push(chunk);
                }
            }
        }
    }

    /// Waits for the server, and beside it for the probe. `Ok(None)`: nothing came for too long. The time counts from
    /// here, so time spent waiting for room in the queue does not.
    async fn next_arrival(
        &mut self,
        watch: &mut Watch,
        probe: &mut Option<Probe>,
        silence: Duration,
    ) -> Result<Option<Arrival>, Box<Step>> {
        let dead = sleep(silence);
        tokio::pin!(dead);
        loop {
            let outcome = tokio::select! {
                biased;
                arrival = watch.connection.arrival() => return Ok(Some(arrival)),
                () = &mut dead => return Ok(None),
                outcome = probe::outcome(probe) => outcome,
            };
            if let Some(step) = self.cursor.probed(Instant::now(), outcome) {
                return Err(Box::new(step));
            }
            self.show_phase();
            *probe = self.cursor.wants_probe().then(|| self.probe());
        }
    }

    /// Passes on one event. The cursor moves only after that, so that nothing is skipped.
    async fn take(
        &mut self,
        watch: &mut Watch,
        item: Result<WatchItem, StreamError>,
    ) -> Result<Result<(), Trouble>, Closed> {
        match item {
            Ok(WatchItem::Object { change, record }) => {
                let version = record.head.resource_version.clone();
                self.reflector.status.event(Instant::now());
                self.push(match change {
                    ChangeType::Added => DeltaChange::Added(record),
                    ChangeType::Modified => DeltaChange::Updated(record),
                    ChangeType::Deleted => DeltaChange::Deleted(record),
                })
                .await?;
                self.advance(&version);
            }
            Ok(WatchItem::LeftOut { key, message }) => {
                self.report_left_out(key.clone(), message);
                if let Some(key) = key {
                    self.push(DeltaChange::LeftOut(key)).await?;
                }
            }
            Ok(WatchItem::Bookmark { version, initial_events_end }) => {
                watch.bookmarked |= !initial_events_end;
                self.reflector.status.bookmark(Instant::now());
                if !version.is_empty() {
                    self.push(DeltaChange::Bookmark(version.clone())).await?;
                }
                self.advance(&version);
            }
            Ok(WatchItem::Error(failure)) => return Ok(Err(Trouble::Http(failure))),
            Ok(WatchItem::Ignored { event_type }) => {
                tracing::debug!(kind = %self.reflector.target.kind, event_type, "an event is ignored");
            }
            Err(error) => return Ok(Err(error.into())),
        }
        Ok(Ok(()))
    }

    fn advance(&mut self, version: &ResourceVersion) {
        self.cursor.advance(version);
        self.reflector.status.version(version);
    }

    fn open_watch(&mut self, version: String, send_initial_events: bool) -> Watch {
        self.reflector.status.watch();
        let timeout_seconds = self.reflector.settings.watch_timeout(&mut self.reflector.rng);
        let params = WatchParams { resource_version: version, timeout_seconds, send_initial_events };
        let request = self.reflector.target.request(Verb::Watch(params));
        Watch {
            connection: Connection::open(&*self.reflector.source, request),
            decoder: WatchDecoder::new(self.reflector.settings.document_limit, send_initial_events),
            timeout_seconds,
            bookmarked: false,
        }
    }

    fn broken(&mut self, watch: &Watch, trouble: Trouble) -> Step {
        self.cursor.failed(Instant::now(), trouble, watch.connection.answered())
    }

    fn ended(&mut self, watch: &Watch) -> Step {
        match watch.decoder.finish() {
            Ok(()) => self.cursor.ended(Instant::now(), watch.connection.elapsed()),
            Err(error) => self.broken(watch, error.into()),
        }
    }

    /// An object of a list that cannot be taken in is absent from it, even if an older version was there.
    pub(super) fn leave_out_of_list(&mut self, key: Option<ObjectKey>, message: String) {
        if let Some(key) = &key {
            self.snapshot.remove(key);
        }
        self.report_left_out(key, message);
    }
}
