//! How the scripted server carries out requests and writes. No clock, no tasks: everything happens within the call.

use std::collections::{BTreeMap, VecDeque};
use std::task::Waker;

use bytes::Bytes;
use informer_wire::Status;

use super::answers;
use super::model::{Change, Model};
use super::select::Select;
use crate::kind::KindInfo;
use crate::source::error::SourceError;
use crate::source::request::{Request, WatchParams};

#[derive(Debug)]
pub(super) struct State {
    pub(super) model: Model,
    pub(super) journal: Vec<Request>,
    /// In the order in which they were opened.
    pub(super) watches: BTreeMap<u64, Watch>,
    opened: u64,
    pub(super) stalled: bool,
    pub(super) lose_next_event: bool,
    pub(super) duplicate_next_event: bool,
    pub(super) chunk_bytes: usize,
}

/// What faults change about one watch.
#[derive(Debug, Default)]
pub(super) struct Unusual {
    pub(super) ignore_send_initial_events: bool,
    pub(super) drop_end_bookmark: bool,
}

/// One open watch.
#[derive(Debug)]
pub(super) struct Watch {
    select: Select,
    /// Only changes after this version are sent.
    since: u64,
    pub(super) queue: VecDeque<Piece>,
    pub(super) waker: Option<Waker>,
    /// The end of the watch is in the queue or has been read.
    pub(super) ended: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
    Bytes(Bytes),
    Fail(SourceError),
    End,
}

impl State {
    pub(super) fn new(kind: KindInfo) -> Self {
        Self {
            model: Model::new(kind),
            journal: Vec::new(),
            watches: BTreeMap::new(),
            opened: 0,
            stalled: false,
            lose_next_event: false,
            duplicate_next_event: false,
            chunk_bytes: usize::MAX,
        }
    }

    pub(super) fn clear_faults(&mut self) {
        self.lose_next_event = false;
        self.duplicate_next_event = false;
    }

    /// Sends a change to all open watches.
    pub(super) fn publish(&mut self, change: &Change) {
        let copies = match (std::mem::take(&mut self.lose_next_event), self.duplicate_next_event) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        if copies > 0 {
            self.duplicate_next_event = false;
        }
        for watch in self.watches.values_mut().filter(|watch| !watch.ended && change.version > watch.since) {
            if let Some(event) = answers::change_event(change, &watch.select) {
                watch.queue.extend(std::iter::repeat_n(Piece::Bytes(event), copies));
            }
        }
    }

    /// Sends the same to all open watches, and ends them if asked to.
    pub(super) fn send(&mut self, pieces: &[Piece], end: bool) {
        for watch in self.watches.values_mut().filter(|watch| !watch.ended) {
            watch.queue.extend(pieces.iter().cloned());
            watch.ended = end;
        }
    }

    /// Sends a bookmark. A watch that began at a version in the future gets nothing, as on a real server.
    pub(super) fn bookmark(&mut self) {
        let bookmark = Piece::Bytes(answers::bookmark_event(&self.model, false));
        let version = self.model.version;
        for watch in self.watches.values_mut().filter(|watch| !watch.ended && watch.since <= version) {
            watch.queue.push_back(bookmark.clone());
        }
    }

    pub(super) fn open_watches(&self) -> usize {
        self.watches.values().filter(|watch| !watch.ended).count()
    }

    /// Opens a watch and gives its number.
    pub(super) fn open_watch(
        &mut self,
        request: &Request,
        params: &WatchParams,
        unusual: &Unusual,
    ) -> Result<u64, Status> {
        let select = Select::new(request)?;
        let asked = answers::parse_version(&params.resource_version).map_err(|refused| Status {
            code: 500,
            reason: String::new(),
            ..refused
        })?;
        let model = &self.model;
        let initial = asked == 0 || (params.send_initial_events && !unusual.ignore_send_initial_events);
        let mut queue = VecDeque::new();
        let mut refused = None;
        if initial && asked > model.version {
            refused = Some(answers::too_large(asked, model.version));
        } else if initial {
            let matching = model.objects.values().filter(|object| select.matches(object));
            queue.extend(matching.map(|object| Piece::Bytes(answers::added_event(object, &select))));
            if !unusual.ignore_send_initial_events && !unusual.drop_end_bookmark {
                queue.push_back(Piece::Bytes(answers::bookmark_event(model, true)));
            }
        } else if let Some(changes) = model.since(asked) {
            let events = changes.iter().filter_map(|change| answers::change_event(change, &select));
            queue.extend(events.map(Piece::Bytes));
        } else {
            refused = Some(answers::too_old(asked, model.forgotten));
        }
        let ended = refused.is_some();
        if let Some(failure) = refused {
            queue.extend([Piece::Bytes(answers::error_event(&failure)), Piece::End]);
        }
        let since = asked.max(model.version);
        self.opened += 1;
        self.watches.insert(self.opened, Watch { select, since, queue, waker: None, ended });
        Ok(self.opened)
    }

    /// The tasks that have something to read.
    pub(super) fn ready(&mut self) -> Vec<Waker> {
        if self.stalled {
            return Vec::new();
        }
        let readable = self.watches.values_mut().filter(|watch| watch.ended || !watch.queue.is_empty());
        readable.filter_map(|watch| watch.waker.take()).collect()
    }

    /// The next piece of a watch; `None` if there is nothing to read now.
    pub(super) fn read(&mut self, id: u64) -> Option<Piece> {
        let limit = self.chunk_bytes;
        if self.stalled {
            return None;
        }
        let Some(watch) = self.watches.get_mut(&id) else { return Some(Piece::End) };
        match watch.queue.pop_front() {
            Some(Piece::Bytes(mut bytes)) => {
                if bytes.len() > limit {
                    let rest = bytes.split_off(limit);
                    watch.queue.push_front(Piece::Bytes(rest));
                }
                Some(Piece::Bytes(bytes))
            }
            None if watch.ended => Some(Piece::End),
            other => other,
        }
    }
}
