//! A fault: what it does, to which requests, how often.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::answers;
use super::effect::{Effect, LineEffect};
use crate::journal::RecordedRequest;
use crate::request::{Request, Verb};
use crate::status::ApiError;

/// A failure to inject, made with one of the constructors and narrowed down to certain requests.
///
/// ```
/// use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};
///
/// let server = EmbeddedApiserver::new();
/// // The second list of pods fails, whichever client sends it.
/// let fault = server.inject(ServerFault::status(500).on(Verb::List).resource("pods").nth(2));
/// assert_eq!(fault.struck(), 0);
/// ```
///
/// Without narrowing it affects every request that it can apply to, until it is
/// [removed](crate::InjectedServerFault::remove). Several faults may affect one request, in the order in which they were
/// injected. After one that answers or breaks the connection, the later ones do not see the request: three faults with
/// [`once`](Self::once) therefore affect three requests, one after the other.
///
/// Constructors that count events count ADDED, MODIFIED and DELETED from 1, initial events included, bookmarks not. They
/// affect watches only.
#[derive(Clone)]
#[must_use = "a fault does nothing until it is injected"]
pub struct ServerFault {
    pub(super) effect: Effect,
    pub(super) verbs: Vec<Verb>,
    pub(super) resource: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) condition: Option<Predicate>,
    pub(super) times: Times,
}

type Predicate = Arc<dyn Fn(&RecordedRequest) -> bool + Send + Sync>;

/// Which of the matching requests it affects.
#[derive(Clone, Debug)]
pub(super) enum Times {
    Always,
    First(u64),
    Nth(u64),
    Chance { probability: f64, seed: u64 },
}

/// Faults that answer in place of the API.
impl ServerFault {
    /// Answers with this code and a Status with the message of the real server: 410 is `Expired`, 500 `InternalError`,
    /// 503 `ServiceUnavailable`, 504 `Timeout`.
    ///
    /// # Panics
    ///
    /// If `code` is not between 400 and 599.
    pub fn status(code: u16) -> Self {
        assert!((400..600).contains(&code), "{code} is no status of an error");
        match code {
            403 => Self::forbidden(),
            code => Self::answer(answers::status(code)),
        }
    }

    /// Answers with 410 `Expired`: the requested version is too old.
    pub fn expired() -> Self {
        Self::status(410)
    }

    /// Answers the next page of a list with 410 `Expired` and a token to continue with at the latest version, which makes
    /// the list inconsistent. Affects only lists with `continue`.
    pub fn expired_continue() -> Self {
        Self::new(Effect::ExpireContinue)
    }

    /// Answers with 429 `TooManyRequests` as a Status, as the real server does while its caches are filling; with the
    /// header `Retry-After` if `retry_after` is given.
    pub fn too_many_requests(retry_after: Option<u32>) -> Self {
        let retry_after = retry_after.unwrap_or_default();
        Self::answer(ApiError::too_many_requests("storage is (re)initializing", retry_after))
    }

    /// Answers with 429 in plain text, as the real server does when it is overloaded; with the header `Retry-After` if
    /// `retry_after` is given (the real server sends 1).
    pub fn overloaded(retry_after: Option<u32>) -> Self {
        Self::answer(ApiError::overloaded(retry_after.unwrap_or_default()))
    }

    /// Answers with 401 `Unauthorized`, as for a token that has expired.
    pub fn unauthorized() -> Self {
        Self::status(401)
    }

    /// Answers with 403 `Forbidden`. As in the real server, the message names the user, the verb and the resource.
    pub fn forbidden() -> Self {
        Self::new(Effect::Forbid)
    }
}

/// Faults of the connection.
impl ServerFault {
    /// Breaks the connection instead of answering. A client without sockets gets the error "connection refused".
    pub fn refuse() -> Self {
        Self::new(Effect::Refuse)
    }

    /// Does not answer until the fault is [removed](crate::InjectedServerFault::remove). The connection stays open.
    pub fn stall() -> Self {
        Self::new(Effect::Stall)
    }

    /// Sends nothing more after this many events of a watch, neither events nor bookmarks nor its end. With 0 the
    /// client gets the head of the answer and nothing else.
    pub fn stall_after(events: u64) -> Self {
        Self::lines(LineEffect::StallAfter(events))
    }

    /// Delays the request by this time on tokio's clock.
    pub fn delay(by: Duration) -> Self {
        Self::new(Effect::Delay(by))
    }

    /// Breaks the connection after this many bytes of the body of any answer.
    pub fn cut_after_bytes(bytes: u64) -> Self {
        Self::new(Effect::CutAfterBytes(bytes))
    }

    /// Breaks the connection in the middle of the event that follows this many.
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

/// Faults in the events of a watch.
impl ServerFault {
    /// Ends a watch with an ERROR event, 410 `Expired`, as soon as it has begun. That is how the real server reports
    /// that a version is too old to watch from.
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

    /// Ignores `sendInitialEvents` and `resourceVersionMatch`, as an old server does. Affects only watches with
    /// `sendInitialEvents`.
    pub fn ignore_send_initial_events() -> Self {
        Self::new(Effect::IgnoreSendInitialEvents)
    }

    /// Sends the nth event twice.
    pub fn duplicate_event(n: u64) -> Self {
        Self::lines(LineEffect::Duplicate(n))
    }

    /// Sends the nth event after the line that follows it.
    pub fn reorder_event(n: u64) -> Self {
        Self::lines(LineEffect::Reorder(n))
    }

    /// Does not send the nth event. A client cannot notice this: its state is wrong until it lists again.
    pub fn lose_event(n: u64) -> Self {
        Self::lines(LineEffect::Lose(n))
    }
}

/// Faults in objects and in the history.
impl ServerFault {
    /// Makes the object of the nth event of a watch, or the nth item of a list, one that cannot be decoded: its
    /// labels are a number. Its name and version are correct.
    pub fn undecodable_object(n: u64) -> Self {
        Self::new(Effect::Undecodable(n))
    }

    /// Cuts off the JSON of the nth event of a watch; the watch goes on after it. The bodies of other answers are cut in half, and
    /// `n` does not matter.
    pub fn bad_json(n: u64) -> Self {
        Self::new(Effect::BadJson(n))
    }

    /// Restores the state as of this version before the request is answered, as from a backup; see
    /// [`EmbeddedApiserver::rewind`](crate::EmbeddedApiserver::rewind).
    pub fn rewind(version: u64) -> Self {
        Self::new(Effect::Rewind(version))
    }
}

/// Which requests a fault affects.
impl ServerFault {
    /// Only requests with this verb. May be called several times for several verbs.
    pub fn on(mut self, verb: Verb) -> Self {
        self.verbs.push(verb);
        self
    }

    /// Only requests for this resource: `pods`, `deployments.apps`. A name without a group
    /// matches the resource in any group.
    pub fn resource(mut self, resource: impl Into<String>) -> Self {
        self.resource = Some(resource.into());
        self
    }

    /// Only requests for this namespace; an empty name matches requests across all namespaces and for cluster-scoped kinds.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Only requests for the object with this name, or with a field selector for that name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only requests for which `condition` returns true.
    pub fn when(mut self, condition: impl Fn(&RecordedRequest) -> bool + Send + Sync + 'static) -> Self {
        self.condition = Some(Arc::new(condition));
        self
    }
}

/// How many of the matching requests a fault affects. The last call counts.
impl ServerFault {
    /// Only the first request that matches.
    pub fn once(self) -> Self {
        self.first(1)
    }

    /// The first `n` requests that match.
    pub fn first(mut self, n: u64) -> Self {
        self.times = Times::First(n);
        self
    }

    /// Only the nth request that matches, counted from 1.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn nth(mut self, n: u64) -> Self {
        assert!(n > 0, "requests are counted from 1");
        self.times = Times::Nth(n);
        self
    }

    /// Each request that matches with this probability, from 0 to 1. The same seed chooses the same requests.
    pub fn chance(mut self, probability: f64, seed: u64) -> Self {
        self.times = Times::Chance { probability, seed };
        self
    }
}

impl ServerFault {
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

    pub(super) fn matches(&self, request: &Request, recorded: &RecordedRequest) -> bool {
        let is =
            |wanted: &Option<String>, actual: &str| wanted.as_ref().is_none_or(|wanted| wanted == actual);
        self.effect.suits(recorded.verb, &request.query)
            && (self.verbs.is_empty() || recorded.verb.is_some_and(|verb| self.verbs.contains(&verb)))
            && (is(&self.resource, &recorded.resource) || is(&self.resource, recorded.plural()))
            && is(&self.namespace, &recorded.namespace)
            && is(&self.name, &recorded.name)
            && self.condition.as_ref().is_none_or(|condition| condition(recorded))
    }
}

impl fmt::Debug for ServerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerFault")
            .field("effect", &self.effect)
            .field("verbs", &self.verbs)
            .field("resource", &self.resource)
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}
