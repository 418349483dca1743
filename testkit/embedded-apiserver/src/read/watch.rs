//! WATCH: where it starts, which events it sends, when it ends.

use std::collections::VecDeque;
use std::sync::Arc;
use std::vec;

use bytes::Bytes;
use futures::stream;
use http::{Response, StatusCode};
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, sleep_until};

use super::bookmark::{self, Schedule};
use super::{Envelope, json_answer};
use crate::api::Api;
use crate::body::{Body, full, streamed};
use crate::kinds::Resource;
use crate::request::{Accept, Form, ListOptions, Request, Target, Verb};
use crate::select::Selector;
use crate::status::{ApiError, Cause};
use crate::storage::{Cursor, Event, PageRequest, Read, Storage, Stored};

/// How many changes are read from the storage at once.
const BATCH: usize = 64;

impl Api {
    /// Answers with the changes of a collection after a version, or with its current state and then the changes.
    pub(crate) async fn watch(&self, target: &Target, request: &Request) -> Result<Response<Body>, ApiError> {
        let form = Accept::negotiate(&request.headers, Verb::Watch)?;
        let options = self.watch_options(request)?;
        let mut selector = Selector::parse(&target.resource, &options)?;
        if let Some(name) = &target.name {
            selector = selector.named(name);
        }
        let version = options.version(Verb::Watch)?;
        if request.upgrades_to_websocket() {
            return Err(no_websocket());
        }
        let filter = Filter { namespace: target.namespace.clone(), selector };
        let body = match self.begin_watch(&target.resource, &options, version, filter, form).await {
            Ok(watch) => streamed(stream::unfold(watch, async |mut watch: Watch| {
                let line = watch.next().await?;
                Some((Ok(line), watch))
            })),
            // The status 200 is decided by now, so the error is sent as an event.
            Err(error) => full(format!("{{\"type\":\"ERROR\",\"object\":{}}}\n", error.to_json())),
        };
        Ok(json_answer(StatusCode::OK, body))
    }

    /// The options of a watch. `sendInitialEvents` is refused if the feature gate `WatchList` is off.
    fn watch_options(&self, request: &Request) -> Result<ListOptions, ApiError> {
        let options = ListOptions::parse(&request.query, Verb::Watch);
        if self.options.streaming_lists || request.query.first("sendInitialEvents").is_none() {
            return options;
        }
        let mut causes = match options {
            Ok(_) => Vec::new(),
            Err(error) if error.code == 422 => error.details.unwrap_or_default().causes,
            Err(error) => return Err(error),
        };
        let why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
        causes.push(Cause::forbidden("sendInitialEvents", why));
        Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", causes))
    }

    async fn begin_watch(
        &self,
        resource: &Arc<Resource>,
        options: &ListOptions,
        version: Option<u64>,
        filter: Filter,
        form: Form,
    ) -> Result<Watch, ApiError> {
        let id = resource.storage_id();
        let mut initial = Vec::new();
        let mut marker = None;
        let (start, cursor) = if options.send_initial_events == Some(true) {
            if let Some(version) = version {
                self.wait_for(version, resource).await?;
            }
            let request = PageRequest {
                namespace: filter.namespace.as_deref(),
                from: None,
                limit: 0,
                keep: &|stored| stored.is_selected(&filter.selector, resource),
            };
            let begun = self.storage.page_and_cursor(&id, &request);
            let (page, cursor) =
                begun.map_err(|gone| too_old(resource, self.storage.version(), gone.oldest))?;
            initial = Stored::all_seen_as(page.items, resource);
            marker = (options.allow_bookmarks && self.options.streaming_lists).then_some(page.version);
            (page.version, cursor)
        } else {
            let after = version.filter(|version| *version > 0);
            let begun = self.storage.cursor(&id, after);
            begun.map_err(|gone| too_old(resource, after.unwrap_or_default(), gone.oldest))?
        };
        let now = Instant::now();
        let timeout = match options.timeout_seconds {
            None | Some(0) => self.chance.duration(&self.options.watch_timeout),
            Some(seconds) => std::time::Duration::from_secs(seconds),
        };
        let deadline = bookmark::later(now, timeout);
        let before_end = deadline.checked_sub(self.options.last_bookmark).unwrap_or(now);
        let schedule = Schedule { interval: self.options.bookmark_interval, before_end };
        let bookmarks = options.allow_bookmarks && resource.cached;
        Ok(Watch {
            storage: self.storage.clone(),
            resource: resource.clone(),
            envelope: Envelope::new(resource, form),
            filter,
            initial: initial.into_iter(),
            marker,
            cursor,
            pending: VecDeque::new(),
            start,
            sent: start,
            deadline,
            schedule,
            bookmark: bookmarks.then(|| schedule.next(now)),
        })
    }
}

/// The error for a version whose history is forgotten.
fn too_old(resource: &Resource, version: u64, oldest: u64) -> ApiError {
    ApiError::expired(if resource.cached {
        format!("too old resource version: {version} ({oldest})")
    } else {
        "The resourceVersion for the provided watch is too old.".to_owned()
    })
}

/// The real server sends events over a WebSocket, too. Clients that ask for that first, as fabric8's do, take 503 as "not here"
/// and ask again without; they wait for ever for the end of an answer with 200.
fn no_websocket() -> ApiError {
    let message = "this server sends the events of a watch as the body of an HTTP answer only, not over a WebSocket: ask \
                   again without the header `Upgrade`";
    ApiError::new(503, "ServiceUnavailable", message)
}

/// Which objects a watch sends.
#[derive(Debug)]
struct Filter {
    namespace: Option<String>,
    selector: Selector,
}

impl Filter {
    fn matches(&self, stored: &Stored) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| stored.content.namespace() == namespace)
            && self.selector.matches(stored)
    }
}

/// A watch in progress.
#[derive(Debug)]
struct Watch {
    storage: Arc<Storage>,
    resource: Arc<Resource>,
    envelope: Envelope,
    filter: Filter,
    /// Initial events that are not sent yet.
    initial: vec::IntoIter<Stored>,
    /// The version of the bookmark that ends the initial events, until it is sent.
    marker: Option<u64>,
    cursor: Cursor,
    pending: VecDeque<Arc<Event>>,
    /// Only changes after this version are sent.
    start: u64,
    /// All changes up to this version have been sent.
    sent: u64,
    deadline: Instant,
    schedule: Schedule,
    /// When the next bookmark is due; `None` if the watch gets none.
    bookmark: Option<Instant>,
}

impl Watch {
    /// The next line; `None` at the end of the watch.
    async fn next(&mut self) -> Option<Bytes> {
        // A client that always takes the next line at once must not keep other tasks from running.
        consume_budget().await;
        if Instant::now() >= self.deadline {
            return None;
        }
        if let Some(stored) = self.initial.next() {
            return Some(self.write("ADDED", &stored));
        }
        if let Some(version) = self.marker.take() {
            return Some(bookmark::line(&self.resource, &self.envelope, version, true));
        }
        loop {
            // Clients that never catch up get their bookmarks too.
            if !self.pending.is_empty()
                && let Some(line) = self.due_bookmark()
            {
                return Some(line);
            }
            if let Some(event) = self.pending.pop_front() {
                self.sent = self.sent.max(event.version);
                if let Some(line) = self.event_line(&event) {
                    return Some(line);
                }
                continue;
            }
            match self.storage.read(&mut self.cursor, BATCH) {
                Read::Events(events) => {
                    self.pending.extend(events);
                    continue;
                }
                Read::UpToDate(version) => self.sent = self.sent.max(version),
                Read::Ended => return None,
            }
            // After the read, so that the bookmark has the latest version.
            if let Some(line) = self.due_bookmark() {
                return Some(line);
            }
            let bookmark = self.bookmark.unwrap_or(self.deadline);
            tokio::select! {
                () = self.cursor.changed() => {}
                () = sleep_until(bookmark.min(self.deadline)) => {}
            }
            if Instant::now() >= self.deadline {
                return None;
            }
        }
    }

    /// A bookmark, if one is due and the watch has got further than its start.
    fn due_bookmark(&mut self) -> Option<Bytes> {
        let now = Instant::now();
        let due = self.bookmark.as_mut().filter(|due| **due <= now)?;
        *due = self.schedule.next(now);
        (self.sent > self.start).then(|| bookmark::line(&self.resource, &self.envelope, self.sent, false))
    }

    /// The event for a change, if the watch gets one. An object that begins to match the filter is added, and one that
    /// ceases to match is deleted.
    fn event_line(&self, event: &Event) -> Option<Bytes> {
        if event.version <= self.start {
            return None;
        }
        let sees = |stored: &Option<Stored>| {
            let seen = stored.as_ref()?.seen_as(&self.resource);
            self.filter.matches(&seen).then(|| seen.into_owned())
        };
        let (kind, stored) = match (sees(&event.old), sees(&event.new)) {
            (None, Some(new)) => ("ADDED", new),
            (Some(_), Some(new)) => ("MODIFIED", new),
            // The last state that matched, but with the version of the change.
            (Some(old), None) => ("DELETED", Stored { version: event.version, content: old.content }),
            (None, None) => return None,
        };
        let natural = match (&event.old, &event.new) {
            (None, _) => "ADDED",
            (Some(_), Some(_)) => "MODIFIED",
            (Some(_), None) => "DELETED",
        };
        let raw = event.new.as_ref().or(event.old.as_ref());
        let is_raw = raw.is_some_and(|raw| Arc::ptr_eq(&raw.content, &stored.content));
        if kind != natural || self.envelope.form() != Form::Whole || !is_raw {
            return Some(self.write(kind, &stored));
        }
        // Most watches send this event with the same bytes, so the first one keeps its line for the others.
        let head = self.envelope.head();
        let (other, line) = event.line.get_or_init(|| (head.clone(), self.write(kind, &stored)));
        Some(if other == head { line.clone() } else { self.write(kind, &stored) })
    }

    fn write(&self, kind: &str, stored: &Stored) -> Bytes {
        let mut line = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
        self.envelope.write(stored, &mut line);
        line.extend_from_slice(b"}\n");
        line.into()
    }
}
