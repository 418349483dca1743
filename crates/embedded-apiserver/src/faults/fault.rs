//! A fault as a value: what it does, to which requests, how often.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::answers;
use super::effect::{Effect, LineEffect};
use crate::journal::RecordedRequest;
use crate::request::Verb;
use crate::status::ApiError;

/// Something that goes wrong on purpose, made with one of the constructors and narrowed down to the requests it is
/// meant for.
///
/// ```
/// use embedded_apiserver::{EmbeddedApiserver, Fault, Verb};
///
/// let server = EmbeddedApiserver::new();
/// // The second list of pods is refused, whoever asks for it.
/// let fault = server.inject(Fault::status(500).on(Verb::List).resource("pods").nth(2));
/// assert_eq!(fault.struck(), 0);
/// ```
///
/// Without narrowing it strikes at every request that it can be done to, until it is
/// [removed](crate::InjectedFault::remove). Several faults may strike at one request, in the order in which
/// they were injected. One that answers or breaks the connection has the last word: those after it do not see the request,
/// so three faults that strike once make a sequence.
///
/// Where a constructor counts events, it counts ADDED, MODIFIED and DELETED from 1, initial ones included and
/// bookmarks not. Those that are about events strike at watches only.
#[derive(Clone)]
#[must_use = "a fault does nothing until it is injected"]
pub struct Fault {
    pub(super) effect: Effect,
    pub(super) verbs: Vec<Verb>,
    pub(super) resource: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) condition: Option<Condition>,
    pub(super) times: Times,
}

type Condition = Arc<dyn Fn(&RecordedRequest) -> bool + Send + Sync>;

/// At which of the requests that match it strikes.
#[derive(Clone, Debug)]
pub(super) enum Times {
    Always,
    First(u64),
    Nth(u64),
    Chance { probability: f64, seed: u64 },
}

/// Answers in place of the API's.
impl Fault {
    /// Answers with this code and a Status in the words of the real server: 410 is `Expired`, 500 `InternalError`,
    /// 503 `ServiceUnavailable`, 504 `Timeout`.
    ///
    /// # Panics
    ///
    /// If it is not between 400 and 599.
    pub fn status(code: u16) -> Self {
        assert!((400..600).contains(&code), "{code} is no status of an error");
        match code {
            403 => Self::forbidden(),
            code => Self::answer(answers::status(code)),
        }
    }

    /// Answers with 410 `Expired`: the version that was asked for is too old.
    pub fn expired() -> Self {
        Self::status(410)
    }

    /// Answers the next page of a list with 410 `Expired` and a token to go on with, inconsistently. Strikes only at
    /// lists with `continue`.
    pub fn expired_continue() -> Self {
        Self::new(Effect::ExpireContinue)
    }

    /// Answers with 429 `TooManyRequests` as a Status, as while the caches of the real server fill; with the header
    /// `Retry-After` if there are seconds.
    pub fn too_many_requests(retry_after: Option<u32>) -> Self {
        let retry_after = retry_after.unwrap_or_default();
        Self::answer(ApiError::too_many_requests("storage is (re)initializing", retry_after))
    }

    /// Answers with 429 in plain text, as the real server does when too much is asked of it; with the header
    /// `Retry-After` if there are seconds (the real one says 1).
    pub fn overloaded(retry_after: Option<u32>) -> Self {
        Self::answer(ApiError::overloaded(retry_after.unwrap_or_default()))
    }

    /// Answers with 401 `Unauthorized`, as to a token that has expired.
    pub fn unauthorized() -> Self {
        Self::status(401)
    }

    /// Answers with 403 `Forbidden`, and says who may not do what, as the real server does.
    pub fn forbidden() -> Self {
        Self::new(Effect::Forbid)
    }
}

/// What happens to the connection.
impl Fault {
    /// Breaks the connection in place of an answer. To a client without sockets it is refused.
    pub fn refuse() -> Self {
        Self::new(Effect::Refuse)
    }

    /// Does not answer until the fault is [removed](crate::InjectedFault::remove). The connection stays open.
    pub fn stall() -> Self {
        Self::new(Effect::Stall)
    }

    /// Sends nothing more after this many events of a watch, neither events nor bookmarks nor its end. With 0 it is
    /// silent after the head of the answer.
    pub fn stall_after(events: u64) -> Self {
        Self::lines(LineEffect::StallAfter(events))
    }

    /// Answers this much later, on tokio's clock: slow pages, slow writes.
    pub fn delay(by: Duration) -> Self {
        Self::new(Effect::Delay(by))
    }

    /// Breaks the connection after this many bytes of the body of the answer, whatever they are part of.
    pub fn cut_after_bytes(bytes: u64) -> Self {
        Self::new(Effect::CutAfterBytes(bytes))
    }

    /// Breaks the connection in the middle of the event after this many.
    pub fn cut_after(events: u64) -> Self {
        Self::lines(LineEffect::CutAfter(events))
    }

    /// Ends a watch cleanly as soon as it has begun.
    pub fn close() -> Self {
        Self::close_after(0)
    }

    /// Ends a watch cleanly after this many events.
    pub fn close_after(events: u64) -> Self {
        Self::lines(LineEffect::CloseAfter(events))
    }
}

/// What happens to the events of a watch.
impl Fault {
    /// Ends a watch with an ERROR event, 410 `Expired`, as soon as it has begun: the way in which the real server
    /// says that a version is too old to watch from.
    pub fn expired_event() -> Self {
        Self::expired_event_after(0)
    }

    /// Ends a watch with an ERROR event, 410 `Expired`, after this many events.
    pub fn expired_event_after(events: u64) -> Self {
        let error = ApiError::expired(answers::TOO_OLD_TO_WATCH);
        Self::lines(LineEffect::ErrorAfter(events, Box::new(error)))
    }

    /// Leaves out the bookmark that ends the initial events, as proxies and old servers do.
    pub fn drop_end_bookmark() -> Self {
        Self::lines(LineEffect::DropEndBookmark)
    }

    /// Answers as a server that does not know `sendInitialEvents` and `resourceVersionMatch`. Strikes only at
    /// watches that ask for it.
    pub fn ignore_send_initial_events() -> Self {
        Self::new(Effect::IgnoreSendInitialEvents)
    }

    /// Sends the nth event twice.
    pub fn duplicate_event(n: u64) -> Self {
        Self::lines(LineEffect::Duplicate(n))
    }

    /// Sends the nth event after what follows it.
    pub fn reorder_event(n: u64) -> Self {
        Self::lines(LineEffect::Reorder(n))
    }

    /// Does not send the nth event. No client can notice: it is wrong until it lists again.
    pub fn lose_event(n: u64) -> Self {
        Self::lines(LineEffect::Lose(n))
    }
}

/// What happens to objects.
impl Fault {
    /// Makes the object of the nth event of a watch, or the nth item of a list, one that no type can hold: it has a
    /// number for its labels. Its name and version are right.
    pub fn undecodable_object(n: u64) -> Self {
        Self::new(Effect::Undecodable(n))
    }

    /// Breaks the JSON of the nth event of a watch, which goes on. Other answers end cleanly in the middle, and then
    /// `n` does not matter.
    pub fn bad_json(n: u64) -> Self {
        Self::new(Effect::BadJson(n))
    }

    /// Goes back to the state at this version before it answers, as a server whose backup was restored; see
    /// [`EmbeddedApiserver::rewind`](crate::EmbeddedApiserver::rewind).
    pub fn rewind(version: u64) -> Self {
        Self::new(Effect::Rewind(version))
    }
}

/// Which requests it strikes at.
impl Fault {
    /// Only requests with this verb; called again, with this one too.
    pub fn on(mut self, verb: Verb) -> Self {
        self.verbs.push(verb);
        self
    }

    /// Only requests for this resource: `pods`, `deployments.apps`. Without a group it is this resource of any group.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Only requests for this namespace; empty for those of all namespaces or of the whole cluster.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Only requests for the object of this name, or with a field selector for it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only requests that `condition` says yes to, whatever it looks at.
    pub fn when(mut self, condition: impl Fn(&RecordedRequest) -> bool + Send + Sync + 'static) -> Self {
        self.condition = Some(Arc::new(condition));
        self
    }
}

/// How often it strikes. The last call counts.
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

    /// At each request that matches with this probability, from 0 to 1; the same ones for the same seed.
    pub fn chance(mut self, probability: f64, seed: u64) -> Self {
        self.times = Times::Chance { probability, seed };
        self
    }
}

impl Fault {
    fn new(effect: Effect) -> Self {
        Self {
            effect,
            verbs: Vec::new(),
            resource: None,
            namespace: None,
            name: None,
            condition: None,
            times: Times::Always,
        }
    }

    fn answer(error: ApiError) -> Self {
        Self::new(Effect::Answer(Box::new(error)))
    }

    fn lines(effect: LineEffect) -> Self {
        Self::new(Effect::Lines(effect))
    }

    pub(super) fn matches(&self, request: &RecordedRequest) -> bool {
        let is =
            |wanted: &Option<String>, actual: &str| wanted.as_ref().is_none_or(|wanted| wanted == actual);
        self.effect.suits(request)
            && (self.verbs.is_empty() || request.verb.is_some_and(|verb| self.verbs.contains(&verb)))
            && (is(&self.resource, &request.resource) || is(&self.resource, request.plural()))
            && is(&self.namespace, &request.namespace)
            && is(&self.name, &request.name)
            && self.condition.as_ref().is_none_or(|condition| condition(request))
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("effect", &self.effect)
            .field("verbs", &self.verbs)
            .field("resource", &self.resource)
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}
