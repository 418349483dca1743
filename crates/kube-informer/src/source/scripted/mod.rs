//! A Kubernetes API server of one kind, in memory, that a test controls.

mod answers;
mod armed;
mod body;
mod fault;
mod model;
mod select;
mod state;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use informer_wire::{ObjectKey, ResourceVersion, Status};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;

pub use armed::InjectedFault;
pub use fault::Fault;

use self::armed::Faults;
use self::body::WatchBody;
use self::fault::Effect;
use self::model::{Change, Model};
use self::select::Select;
use self::state::{Piece, State, Unusual};

use super::error::SourceError;
use super::request::{Request, Verb};
use super::{ByteStream, ListWatch};
use crate::kind::{Kind, KindInfo};

/// An API server for one kind, in memory: for unit tests of handlers and controllers, and of the informer itself.
///
/// Clones are handles on the same server: pass one to the informer and keep one to control the server. Objects are
/// created, changed and deleted as on a real server, which gives them increasing versions and fresh uids; lists, pages,
/// watches, bookmarks, streaming lists and their errors follow the protocol. With a [`Fault`] it fails as real servers
/// and networks do. Its behaviour depends only on the calls: it uses no threads, no random numbers, and no clock except
/// tokio's for the end of watches, which a test may pause.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures::{StreamExt, TryStreamExt};
/// use kube_informer::kind::KindInfo;
/// use kube_informer::source::{ListWatch, Request};
/// use kube_informer::status::Scope;
/// use kube_informer::testing::ScriptedSource;
/// use serde_json::json;
///
/// let source = ScriptedSource::new(KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true));
/// source.create(&json!({ "metadata": { "namespace": "default", "name": "a" } }))?;
///
/// let list = Request::list(Scope::All);
/// let body: Vec<_> = source.open(list).await?.try_collect().await?;
/// assert!(String::from_utf8(body.concat())?.contains(r#""name":"a""#));
///
/// let watch = Request::watch(Scope::All, source.version().to_string(), 300);
/// let mut events = source.open(watch).await?;
/// source.delete("default/a")?;
/// let event = events.next().await.unwrap()?;
/// assert!(event.starts_with(br#"{"type":"DELETED""#));
///
/// source.close_watches();
/// assert!(events.next().await.is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedSource {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    faults: Faults,
    /// Notified whenever a request arrives or a watch opens or ends.
    changed: Notify,
}

impl Shared {
    /// Changes the state, then wakes the tasks that wait for a change.
    fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        let (result, wakers) = {
            let mut state = self.state.lock();
            let result = change(&mut state);
            (result, state.ready())
        };
        for waker in wakers {
            waker.wake();
        }
        self.changed.notify_waiters();
        result
    }

    async fn until(&self, reached: impl Fn(&State) -> bool) {
        loop {
            // Registered before the check, so that a change in between is not missed.
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            if reached(&self.state.lock()) {
                return;
            }
            changed.await;
        }
    }
}

/// The server's objects.
impl ScriptedSource {
    /// An empty server for a kind that is known at compile time.
    pub fn of<K: Kind<Dynamic = ()>>() -> Self {
        Self::new(K::info(&()))
    }

    /// An empty server for a kind, at version 1.
    pub fn new(kind: KindInfo) -> Self {
        let shared =
            Shared { state: Mutex::new(State::new(kind)), faults: Faults::default(), changed: Notify::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Creates an object. A namespaced kind without a namespace goes to `default`; kind and apiVersion are filled in.
    ///
    /// Refused as by a server: 409 if it exists, 422 if it has no name or is of another kind.
    pub fn create<K: Serialize>(&self, object: &K) -> Result<ResourceVersion, SourceError> {
        let object = to_json(object)?;
        self.write(|model| model.create(object).map(Some))
    }

    /// Replaces an object. If nothing differs, the object keeps its version, and watches get no event.
    ///
    /// Refused as by a server: 404 if there is none, 409 if it names another version than the current one.
    pub fn update<K: Serialize>(&self, object: &K) -> Result<ResourceVersion, SourceError> {
        let object = to_json(object)?;
        self.write(|model| model.update(object))
    }

    /// Creates or replaces an object given as JSON.
    pub fn put_json(&self, object: Value) -> Result<ResourceVersion, SourceError> {
        self.write(|model| model.put(object))
    }

    /// Deletes `namespace/name`, or `name`. Gives the version of the deletion; 404 if there is no such object.
    pub fn delete(&self, key: &str) -> Result<ResourceVersion, SourceError> {
        let key: ObjectKey = key.parse().map_err(|error| {
            SourceError::answered(answers::failure(400, "BadRequest", format!("{error}")))
        })?;
        self.write(|model| {
            let in_default = model.kind.is_namespaced() == Some(true) && key.namespace().is_none();
            let key = if in_default { ObjectKey::namespaced("default", key.name()) } else { key };
            model.delete(&key).map(Some)
        })
    }

    /// All objects in the order of a list.
    pub fn objects(&self) -> Vec<Value> {
        self.shared.state.lock().model.objects.values().map(|object| (**object).clone()).collect()
    }

    /// The server's current version.
    pub fn version(&self) -> ResourceVersion {
        ResourceVersion::new(&self.shared.state.lock().model.version.to_string())
    }

    /// Moves the version on without a change, as writes to other kinds do.
    pub fn advance(&self, by: u64) {
        self.shared.with(|state| state.model.version = state.model.version.saturating_add(by));
    }

    /// Restores the state at this version, as the restore of a backup does: all watches break, the history is
    /// forgotten, and later writes use the same versions again. A version that the server has not reached, or one from
    /// before [`compact`](Self::compact), changes nothing.
    ///
    /// As on a real server, a watch at a version that is now in the future is accepted and gets no events until then.
    pub fn rewind(&self, version: &ResourceVersion) {
        let Ok(version) = version.to_string().parse() else { return };
        self.shared.with(|state| {
            if state.model.rewind(version) {
                state.send(&[reset(), Piece::End], true);
            }
        });
    }

    /// Forgets the history before the current version: a list or watch from an older version gets 410 `Expired`. The memory
    /// that the history took is given back, so a program that runs for long calls this now and then.
    pub fn compact(&self) {
        self.shared.with(|state| state.model.compact());
    }

    fn write(
        &self,
        change: impl FnOnce(&mut Model) -> Result<Option<Change>, Status>,
    ) -> Result<ResourceVersion, SourceError> {
        self.shared.with(|state| {
            let version = match change(&mut state.model).map_err(SourceError::answered)? {
                Some(change) => {
                    state.publish(&change);
                    change.version
                }
                None => state.model.version,
            };
            Ok(ResourceVersion::new(&version.to_string()))
        })
    }
}

/// What open watches receive in addition to changes.
impl ScriptedSource {
    /// Sends a bookmark at the current version.
    pub fn bookmark(&self) {
        self.shared.with(State::bookmark);
    }

    /// Sends bytes as they are.
    pub fn send_raw(&self, bytes: impl Into<Bytes>) {
        let bytes = bytes.into();
        self.shared.with(|state| state.send(&[Piece::Bytes(bytes)], false));
    }

    /// Ends all watches cleanly, as a server does when their time is over.
    pub fn close_watches(&self) {
        self.shared.with(|state| state.send(&[Piece::End], true));
    }

    /// Breaks the connection of all watches.
    pub fn cut_watches(&self) {
        self.shared.with(|state| state.send(&[reset(), Piece::End], true));
    }

    /// Ends all watches cleanly, but in the middle of an event.
    pub fn close_watches_mid_event(&self) {
        self.shared.with(|state| {
            let mut event = answers::bookmark_event(&state.model, false);
            event.truncate(event.len() / 2);
            state.send(&[Piece::Bytes(event), Piece::End], true);
        });
    }

    /// Sends nothing more on any watch, neither events nor bookmarks nor its end: a dead connection.
    pub fn stall_watches(&self) {
        self.shared.with(|state| state.stalled = true);
    }

    /// Sends on all watches again, starting with the events that were held back.
    pub fn unstall_watches(&self) {
        self.shared.with(|state| state.stalled = false);
        // A watch that timed out meanwhile has to be woken although its queue is empty.
        let wakers: Vec<_> = {
            let mut state = self.shared.state.lock();
            state.watches.values_mut().filter_map(|watch| watch.waker.take()).collect()
        };
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// Does not send the event of the next change to the open watches. A client cannot notice that: its cache is wrong
    /// until it lists again.
    pub fn lose_next_event(&self) {
        self.shared.with(|state| state.lose_next_event = true);
    }

    /// Sends the event of the next change twice.
    pub fn duplicate_next_event(&self) {
        self.shared.with(|state| state.duplicate_next_event = true);
    }
}

/// What happens to requests.
impl ScriptedSource {
    /// Activates a fault from now on; see [`Fault`].
    pub fn inject(&self, fault: Fault) -> InjectedFault {
        self.shared.faults.inject(fault)
    }

    /// Removes all faults, and undoes `lose_next_event` and `duplicate_next_event`.
    pub fn clear_faults(&self) {
        self.shared.faults.clear();
        self.shared.with(State::clear_faults);
    }

    /// Splits the bodies of lists and watches into chunks of at most this many bytes.
    pub fn chunk_bytes(&self, bytes: usize) {
        self.shared.with(|state| state.chunk_bytes = bytes.max(1));
    }
}

/// The requests that the server has received.
impl ScriptedSource {
    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state.lock().journal.clone()
    }

    /// How many watches are open: answered, not ended by the test or their timeout, not dropped by the client.
    pub fn open_watches(&self) -> usize {
        self.shared.state.lock().open_watches()
    }

    /// Waits until this many requests have come in since the beginning.
    pub async fn wait_for_requests(&self, count: usize) {
        self.shared.until(|state| state.journal.len() >= count).await;
    }

    /// Waits until a watch is open.
    pub async fn wait_for_watch(&self) {
        self.shared.until(|state| state.open_watches() > 0).await;
    }

    /// Waits until the number of open watches is this.
    pub async fn wait_for_watches(&self, count: usize) {
        self.shared.until(|state| state.open_watches() == count).await;
    }
}

impl ListWatch for ScriptedSource {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let shared = self.shared.clone();
        Box::pin(async move {
            shared.with(|state| state.journal.push(request.clone()));
            let (mut unusual, mut last) = (Unusual::default(), 0);
            while let Some(fault) = shared.faults.next(&request, last) {
                last = fault.number;
                match fault.strike() {
                    Effect::Fail(error) => return Err(error.clone()),
                    Effect::Reply(chunks) => return Ok(stream::iter(chunks.clone()).boxed()),
                    Effect::Stall => fault.until_removed().await,
                    Effect::DropEndBookmark => unusual.drop_end_bookmark = true,
                    Effect::IgnoreSendInitialEvents => unusual.ignore_send_initial_events = true,
                }
            }
            answer(&shared, &request, &unusual)
        })
    }
}

fn answer(shared: &Arc<Shared>, request: &Request, unusual: &Unusual) -> Result<ByteStream, SourceError> {
    match &request.verb {
        Verb::List(params) => {
            let state = shared.state.lock();
            let select = Select::new(request).map_err(SourceError::answered)?;
            let body = answers::list(&state.model, &select, params).map_err(SourceError::answered)?;
            Ok(split(body, state.chunk_bytes))
        }
        Verb::Watch(params) => {
            let id = shared
                .with(|state| state.open_watch(request, params, unusual))
                .map_err(SourceError::answered)?;
            Ok(WatchBody::new(shared.clone(), id, params.timeout_seconds).boxed())
        }
    }
}

fn split(mut body: Bytes, size: usize) -> ByteStream {
    let mut chunks = Vec::new();
    while body.len() > size {
        chunks.push(Ok(body.split_to(size)));
    }
    chunks.push(Ok(body));
    stream::iter(chunks).boxed()
}

fn to_json<K: Serialize>(object: &K) -> Result<Value, SourceError> {
    serde_json::to_value(object)
        .map_err(|error| SourceError::answered(answers::failure(400, "BadRequest", format!("{error}"))))
}

fn connection_reset() -> SourceError {
    SourceError::transport("connection reset by peer (scripted)".to_owned())
}

fn reset() -> Piece {
    Piece::Fail(connection_reset())
}

impl fmt::Debug for ScriptedSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        f.debug_struct("ScriptedSource")
            .field("kind", &state.model.kind)
            .field("version", &state.model.version)
            .field("objects", &state.model.objects.len())
            .field("open_watches", &state.open_watches())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
