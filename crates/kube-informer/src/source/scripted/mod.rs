//! A Kubernetes API server of one kind, in memory, that does what a test tells it.

mod answers;
mod body;
mod hold;
mod model;
mod select;
mod state;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Notify;

pub use hold::Hold;

use self::body::WatchBody;
use self::hold::Gate;
use self::model::{Change, Model};
use self::select::Select;
use self::state::{Piece, Script, State};
use super::error::{HttpFailure, SourceError};
use super::request::{Request, Verb};
use super::{ByteStream, ListWatch};
use crate::key::ObjectKey;
use crate::kind::{Kind, KindInfo};
use crate::version::ResourceVersion;

/// An API server for one kind, in memory: for unit tests of handlers and controllers, and of the informer itself.
///
/// Clones are handles on the same server: give one to the informer and keep one to command it. Objects are created,
/// changed and deleted as on a real server, which gives them increasing versions and fresh uids; lists, pages,
/// watches, bookmarks, streaming lists and their errors follow the protocol. On command it fails as real servers and
/// networks do. Everything that happens follows from the calls alone: no threads, no random numbers, and no clock but
/// tokio's for the end of watches, which a test may pause.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures::{StreamExt, TryStreamExt};
/// use kube_informer::{KindInfo, ListParams, ListWatch, Request, Scope, ScriptedSource, Verb, WatchParams};
/// use serde_json::json;
///
/// let source = ScriptedSource::new(KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true));
/// source.create(&json!({ "metadata": { "namespace": "default", "name": "a" } }))?;
///
/// let list = Request {
///     scope: Scope::All,
///     verb: Verb::List(ListParams::default()),
///     label_selector: None,
///     field_selector: None,
///     metadata_only: false,
/// };
/// let body: Vec<_> = source.open(list.clone()).await?.try_collect().await?;
/// assert!(String::from_utf8(body.concat())?.contains(r#""name":"a""#));
///
/// let watch = WatchParams {
///     resource_version: source.version().to_string(),
///     timeout_seconds: 300,
///     send_initial_events: false,
/// };
/// let mut events = source.open(Request { verb: Verb::Watch(watch), ..list }).await?;
/// source.delete("default/a")?;
/// let event = events.next().await.unwrap()?;
/// assert!(event.starts_with(br#"{"type":"DELETED""#));
///
/// source.end_watches();
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
    /// Told whenever a request comes in or a watch opens or ends.
    changed: Notify,
}

/// Which requests a command is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbMatch {
    /// The next LIST.
    List,
    /// The next WATCH.
    Watch,
    /// The next request, whatever it is.
    Any,
}

impl VerbMatch {
    fn matches(self, verb: &Verb) -> bool {
        match verb {
            Verb::List(_) => self != Self::Watch,
            Verb::Watch(_) => self != Self::List,
        }
    }
}

/// All objects and the version counter at one moment.
#[derive(Clone)]
pub struct ScriptedState(Model);

impl Shared {
    /// Changes the state, then wakes whoever waits for the result.
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
            // Registered before looking, so that nothing slips through in between.
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
        Self { shared: Arc::new(Shared { state: Mutex::new(State::new(kind)), changed: Notify::new() }) }
    }

    /// Creates an object. A namespaced kind without a namespace goes to `default`; kind and apiVersion are filled in.
    ///
    /// Refused as by a server: 409 if it exists, 422 if it has no name or is of another kind.
    pub fn create<K: Serialize>(&self, object: &K) -> Result<ResourceVersion, SourceError> {
        let object = to_json(object)?;
        self.write(|model| model.create(object).map(Some))
    }

    /// Replaces an object. An object that does not differ keeps its version, and nobody is told.
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
        let key: ObjectKey = key
            .parse()
            .map_err(|error| SourceError::from(answers::failure(400, "BadRequest", format!("{error}"))))?;
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

    /// The state now, to be restored later.
    pub fn snapshot(&self) -> ScriptedState {
        ScriptedState(self.shared.state.lock().model.clone())
    }

    /// A restored backup: objects and version counter go back, history is forgotten, connections break.
    ///
    /// As on a real server, versions are given out a second time from here on, and a watch at a version that lies
    /// ahead now is accepted and silent.
    pub fn restore(&self, snapshot: &ScriptedState) {
        self.shared.with(|state| {
            state.model.restore(&snapshot.0);
            state.send(&[reset(), Piece::End], true);
        });
    }

    /// Forgets the history: resuming a watch or a paged list from before gives 410.
    pub fn compact(&self) {
        self.shared.with(|state| state.model.compact());
    }

    fn write(
        &self,
        change: impl FnOnce(&mut Model) -> Result<Option<Change>, HttpFailure>,
    ) -> Result<ResourceVersion, SourceError> {
        self.shared.with(|state| {
            let version = match change(&mut state.model).map_err(SourceError::from)? {
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

/// What open watches get, beside changes.
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
    pub fn end_watches(&self) {
        self.shared.with(|state| state.send(&[Piece::End], true));
    }

    /// Breaks all watches: the connection is reset.
    pub fn cut_watches(&self) {
        self.shared.with(|state| state.send(&[reset(), Piece::End], true));
    }

    /// Ends all watches in the middle of an event.
    pub fn cut_mid_frame(&self) {
        self.shared.with(|state| {
            let mut event = answers::bookmark_event(&state.model, false);
            event.truncate(event.len() / 2);
            state.send(&[Piece::Bytes(event), Piece::End], true);
        });
    }

    /// Withholds all bytes of watches, ends included, without a sign: a dead connection.
    pub fn stall(&self) {
        self.shared.with(|state| state.stalled = true);
    }

    /// Lets the bytes of watches through again, those withheld first.
    pub fn unstall(&self) {
        self.shared.with(|state| state.stalled = false);
        // A watch whose time ran out meanwhile waits without anything in its queue.
        let wakers: Vec<_> = {
            let mut state = self.shared.state.lock();
            state.watches.values_mut().filter_map(|watch| watch.waker.take()).collect()
        };
        wakers.into_iter().for_each(std::task::Waker::wake);
    }

    /// The next change happens but its event is not sent to the watches that are open.
    pub fn lose_next_event(&self) {
        self.shared.with(|state| state.lose_next_event = true);
    }

    /// The event of the next change is sent twice.
    pub fn duplicate_next_event(&self) {
        self.shared.with(|state| state.duplicate_next_event = true);
    }
}

/// What happens to requests. Commands wait in a queue; a request takes the first that is meant for its verb.
impl ScriptedSource {
    /// Forgets the commands that no request has taken yet.
    pub fn forget_commands(&self) {
        self.shared.with(State::forget_plans);
    }

    /// The next such request fails. Call it again for the one after that.
    pub fn fail_next(&self, verb: VerbMatch, error: SourceError) {
        self.shared.with(|state| state.plan(verb, Script::Fail(error)));
    }

    /// The next such request is answered with exactly these chunks, and then ends.
    pub fn reply_next<B: Into<Bytes>>(&self, verb: VerbMatch, chunks: impl IntoIterator<Item = B>) {
        let chunks = chunks.into_iter().map(|chunk| Ok(chunk.into())).collect();
        self.shared.with(|state| state.plan(verb, Script::Reply(chunks)));
    }

    /// The next such request is answered with these chunks, and then the connection breaks.
    pub fn reply_next_then_cut<B: Into<Bytes>>(&self, verb: VerbMatch, chunks: impl IntoIterator<Item = B>) {
        let mut chunks: Vec<_> = chunks.into_iter().map(|chunk| Ok(chunk.into())).collect();
        chunks.push(Err(connection_reset()));
        self.shared.with(|state| state.plan(verb, Script::Reply(chunks)));
    }

    /// The next such request gets no answer until the guard is released.
    pub fn hold_next(&self, verb: VerbMatch) -> Hold {
        let gate = Gate::new();
        self.shared.with(|state| state.plan(verb, Script::Hold(gate.clone())));
        Hold { gate }
    }

    /// Whether streaming lists are unknown to this server: the parameter is ignored, as servers before 1.19 do.
    pub fn ignore_send_initial_events(&self, ignore: bool) {
        self.shared.with(|state| state.ignore_send_initial_events = ignore);
    }

    /// Whether the bookmark that ends the initial events gets lost, as some proxies manage.
    pub fn drop_end_bookmark(&self, drop: bool) {
        self.shared.with(|state| state.drop_end_bookmark = drop);
    }

    /// Splits the bodies of lists and watches into chunks of at most this many bytes.
    pub fn chunk_bytes(&self, bytes: usize) {
        self.shared.with(|state| state.chunk_bytes = bytes.max(1));
    }
}

/// What has been asked.
impl ScriptedSource {
    /// All requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state.lock().journal.clone()
    }

    /// How many watches are open: answered, not ended by a command or their time, not dropped by the client.
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
            loop {
                let script = shared.state.lock().take_script(&request.verb);
                match script {
                    Some(Script::Fail(error)) => return Err(error),
                    Some(Script::Reply(chunks)) => return Ok(stream::iter(chunks).boxed()),
                    Some(Script::Hold(gate)) => gate.pass().await,
                    None => return answer(&shared, &request),
                }
            }
        })
    }
}

fn answer(shared: &Arc<Shared>, request: &Request) -> Result<ByteStream, SourceError> {
    match &request.verb {
        Verb::List(params) => {
            let state = shared.state.lock();
            let select = Select::new(request).map_err(SourceError::from)?;
            let body = answers::list(&state.model, &select, params).map_err(SourceError::from)?;
            Ok(split(body, state.chunk_bytes))
        }
        Verb::Watch(params) => {
            let id = shared.with(|state| state.open_watch(request, params)).map_err(SourceError::from)?;
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
        .map_err(|error| SourceError::from(answers::failure(400, "BadRequest", format!("{error}"))))
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

impl fmt::Debug for ScriptedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedState({} objects at version {})", self.0.objects.len(), self.0.version)
    }
}

#[cfg(test)]
mod tests;
