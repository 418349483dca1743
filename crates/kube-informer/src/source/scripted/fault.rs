//! A fault as a value: what it does, to which requests, how often.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::answers;
use crate::source::error::SourceError;
use crate::source::request::{Request, Verb};

/// A failure that a test injects. Make it with one of the constructors, and narrow it down to the requests that it
/// should affect.
///
/// ```
/// use kube_informer::kind::KindInfo;
/// use kube_informer::testing::{Fault, ScriptedSource};
///
/// let source = ScriptedSource::new(KindInfo::new("", "v1", "ConfigMap", "configmaps").namespaced(true));
/// // The second LIST is refused.
/// let fault = source.inject(Fault::status(500).on_list().nth(2));
/// assert_eq!(fault.struck(), 0);
/// ```
///
/// Without narrowing it strikes at every request that it applies to, until it is
/// [removed](super::InjectedFault::remove). Several faults may strike at one request, in the order in which they were
/// injected. After a fault that answers the request, later faults do not see that request. So three faults that each
/// answer once affect three requests, one after the other.
///
/// The crate `embedded-apiserver`, a server for all kinds with real HTTP, has faults of the same names, and more.
#[derive(Clone)]
#[must_use = "a fault does nothing until it is injected"]
pub struct Fault {
    pub(super) effect: Effect,
    verb: Option<OnlyVerb>,
    condition: Option<Condition>,
    pub(super) times: Times,
}

type Condition = Arc<dyn Fn(&Request) -> bool + Send + Sync>;

/// What a fault does to a request or to its answer.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Fail(SourceError),
    Reply(Vec<Result<Bytes, SourceError>>),
    Stall,
    DropEndBookmark,
    IgnoreSendInitialEvents,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum OnlyVerb {
    List,
    Watch,
}

/// At which of the matching requests the fault strikes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Times {
    Always,
    First(u64),
    Nth(u64),
}

/// What the fault does.
impl Fault {
    /// Answers with this code and the reason that the real server gives with it: 410 is `Expired`, 500 `InternalError`,
    /// 503 `ServiceUnavailable`, 504 `Timeout`.
    ///
    /// # Panics
    ///
    /// If the code is not between 400 and 599.
    pub fn status(code: u16) -> Self {
        assert!((400..600).contains(&code), "{code} is no status of an error");
        Self::error(SourceError::answered(answers::status(code)))
    }

    /// Fails with exactly this error.
    pub fn error(error: SourceError) -> Self {
        Self::new(Effect::Fail(error))
    }

    /// Breaks the connection in place of an answer.
    pub fn refuse() -> Self {
        Self::error(SourceError::transport("connection refused (scripted)"))
    }

    /// Does not answer until the fault is [removed](super::InjectedFault::remove). A stalled request is answered then
    /// as if it had just arrived.
    pub fn stall() -> Self {
        Self::new(Effect::Stall)
    }

    /// Answers with exactly these chunks, and then ends.
    pub fn reply<B: Into<Bytes>>(chunks: impl IntoIterator<Item = B>) -> Self {
        Self::new(Effect::Reply(chunks.into_iter().map(|chunk| Ok(chunk.into())).collect()))
    }

    /// Answers with these chunks, and then breaks the connection.
    pub fn reply_then_cut<B: Into<Bytes>>(chunks: impl IntoIterator<Item = B>) -> Self {
        let chunks = chunks.into_iter().map(|chunk| Ok(chunk.into()));
        Self::new(Effect::Reply(chunks.chain([Err(super::connection_reset())]).collect()))
    }

    /// Omits the bookmark that ends the initial events, as proxies and old servers do. Strikes only at watches.
    pub fn drop_end_bookmark() -> Self {
        Self::new(Effect::DropEndBookmark)
    }

    /// Answers as a server that does not know `sendInitialEvents`. Strikes only at watches that ask for it.
    pub fn ignore_send_initial_events() -> Self {
        Self::new(Effect::IgnoreSendInitialEvents)
    }
}

/// Which requests the fault strikes at.
impl Fault {
    /// Only LIST requests.
    pub fn on_list(mut self) -> Self {
        self.verb = Some(OnlyVerb::List);
        self
    }

    /// Only WATCH requests.
    pub fn on_watch(mut self) -> Self {
        self.verb = Some(OnlyVerb::Watch);
        self
    }

    /// Only requests for which `condition` returns true.
    pub fn when(mut self, condition: impl Fn(&Request) -> bool + Send + Sync + 'static) -> Self {
        self.condition = Some(Arc::new(condition));
        self
    }
}

/// How often the fault strikes. If several of these are called, the last one is used.
impl Fault {
    /// At the first request that matches, and at no other.
    pub fn once(self) -> Self {
        self.first(1)
    }

    /// At the first `n` requests that match.
    pub fn first(mut self, n: u64) -> Self {
        self.times = Times::First(n);
        self
    }

    /// At the nth request that matches, counted from 1, and at no other.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn nth(mut self, n: u64) -> Self {
        assert!(n > 0, "requests are counted from 1");
        self.times = Times::Nth(n);
        self
    }
}

impl Fault {
    fn new(effect: Effect) -> Self {
        Self { effect, verb: None, condition: None, times: Times::Always }
    }

    pub(super) fn matches(&self, request: &Request) -> bool {
        let suits = match &self.effect {
            Effect::Fail(_) | Effect::Reply(_) | Effect::Stall => true,
            Effect::DropEndBookmark => matches!(request.verb, Verb::Watch(_)),
            Effect::IgnoreSendInitialEvents => {
                matches!(&request.verb, Verb::Watch(params) if params.send_initial_events)
            }
        };
        let verb = match &request.verb {
            Verb::List(_) => OnlyVerb::List,
            Verb::Watch(_) => OnlyVerb::Watch,
        };
        suits
            && self.verb.is_none_or(|only| only == verb)
            && self.condition.as_ref().is_none_or(|condition| condition(request))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("effect", &self.effect)
            .field("verb", &self.verb)
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}
