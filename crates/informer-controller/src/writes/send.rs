//! From a request to what is known of the object.

use std::cell::LazyCell;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use kube_client::Client;
use kube_client::core::params::GetParams;
use kube_informer::object::Uid;
use kube_informer::source::SendIf;
use kube_informer::{Object, ObjectKey};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::Instrument as _;

use super::answer::Answer;
use super::cache::Known;
use super::echo::{Base, Writing};
use super::error::WriteError;
use super::objects::Objects;
use super::seen::Until;
use super::tickets::Tickets;
use crate::election::Leadership;

/// So long events of an object wait for the answer to a write of it. Then they are news.
const HELD: Duration = Duration::from_secs(30);

/// A write that is to be sent.
pub(super) struct Outgoing {
    pub(super) key: ObjectKey,
    /// What has to be seen if there is no answer.
    pub(super) unanswered: Until,
    pub(super) request: http::Request<Vec<u8>>,
    /// What the object is before it, if the server does what is asked.
    pub(super) base: Base,
    /// What is sent in its place if the object is another one than that.
    pub(super) instead: Option<http::Request<Vec<u8>>>,
    /// Nothing changes.
    pub(super) is_dry: bool,
    /// The object is made by it.
    pub(super) is_new: bool,
}

impl Outgoing {
    pub(super) fn dry(self, is_dry: bool) -> Self {
        Self { is_dry, ..self }
    }

    pub(super) fn over(self, base: Base) -> Self {
        Self { base, ..self }
    }
}

/// Why there is no answer.
struct Failure {
    error: WriteError,
    is_not_written: bool,
}

impl Failure {
    /// The object is not of the version that was asked for. A manager's conflict about a field is something else, and stays one.
    fn is_of_another_version(&self) -> bool {
        let WriteError::Refused { error, .. } = &self.error else { return false };
        let kube_client::Error::Api(status) = &**error else { return false };
        let causes = status.details.iter().flat_map(|details| &details.causes);
        status.code == 409 && causes.into_iter().all(|cause| cause.reason != "FieldManagerConflict")
    }
}

impl<C: Send + Sync + 'static> Objects<C> {
    /// Sends a write whose answer is the object.
    pub(super) async fn write(&self, outgoing: Outgoing) -> Result<Object<C>, WriteError> {
        if outgoing.is_dry {
            return self.rehearsed(&self.rehearse(outgoing).await?);
        }
        let is_new = outgoing.is_new;
        self.send(outgoing, move |objects: Self, tickets, key, answer| async move {
            if !answer.is_status() {
                return objects.note_object(tickets, &Answer { is_new, ..answer });
            }
            // It has been written, and the answer does not say what.
            let there = objects.read_back(tickets, &key, None).await;
            there.ok_or_else(|| WriteError::NoObject {
                kind: objects.informer.kind().clone(),
                name: key.to_string(),
            })
        })
        .await
    }

    /// Sends a write to something beside the object, which may be answered by anything.
    pub(super) async fn write_beside(&self, outgoing: Outgoing) -> Result<Value, WriteError> {
        if outgoing.is_dry {
            return Ok(self.rehearse(outgoing).await?.value);
        }
        self.send(outgoing, |objects: Self, tickets, key, answer| async move {
            if answer.is_of(&objects) {
                // That it cannot be shown does not undo it.
                objects.note_object(tickets, &answer).ok();
            } else {
                objects.read_back(tickets, &key, None).await;
            }
            Ok(answer.value)
        })
        .await
    }

    /// Sends a write that changes nothing.
    pub(super) async fn rehearse(&self, outgoing: Outgoing) -> Result<Answer, WriteError> {
        let answer = self.ask(self.client()?, &outgoing.key, outgoing.request).await;
        answer.map_err(|failure| failure.error)
    }

    /// Sends a write and takes note of its answer. It does so to the end, also if the run does not wait for it any more: what is
    /// dropped on its way may arrive at any time later, when it has been looked for in vain.
    pub(super) async fn send<T, F, R>(&self, outgoing: Outgoing, settle: F) -> Result<T, WriteError>
    where
        T: Send + 'static,
        F: FnOnce(Self, Tickets, ObjectKey, Answer) -> R + Send + 'static,
        R: Future<Output = Result<T, WriteError>> + Send + 'static,
    {
        let client = self.client()?.clone();
        let Outgoing { key, unanswered, request, base, instead, .. } = outgoing;
        let ended = WriteError::Ended { kind: self.informer.kind().clone(), name: key.to_string() };
        let tickets = self.begin(&key, &unanswered);
        let mut writing = self.run.tracker.echoes.writing(&self.run.key, self.informer.kind(), &key);
        let (objects, number) = (self.clone(), tickets.number());
        let (go, gate) = oneshot::channel::<()>();
        let whole = async move {
            if gate.await.is_err() {
                tickets.void();
                return Ok(None);
            }
            let (answer, base) = {
                let mut asked = pin!(objects.ask_over(&client, &key, request, base, instead));
                let in_time = timeout(HELD, &mut asked).await;
                if in_time.is_err() {
                    writing = None;
                }
                match in_time {
                    Ok(answered) => answered,
                    Err(_) => asked.await,
                }
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(failure) => {
                    if failure.is_not_written {
                        tickets.void();
                    }
                    return Err(failure.error);
                }
            };
            // Of another answer nothing is known that an event could be compared with.
            let mut writing = writing.filter(|_| answer.is_of(&objects));
            if let Some(writing) = &mut writing {
                objects.expect_echo(writing, &tickets, &answer, base);
            }
            let settled = settle(objects, tickets, key, answer).await.map(Some);
            drop(writing);
            settled
        };
        let task = tokio::spawn(whole.in_current_span());
        // Nothing is written beyond the end of the controller: whoever works next must not meet it. What it does not know of by then
        // is not sent.
        if self.run.tracker.sends(number, task.abort_handle()) {
            go.send(()).ok();
        } else {
            drop(go);
        }
        match task.await {
            Ok(done) => done?.ok_or(ended),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The controller has ended, or the runtime.
                Err(_) => Err(ended),
            },
        }
    }

    /// Sends a request, and the other one if the object is not what was asked for. Gives also what it was.
    async fn ask_over(
        &self,
        client: &Client,
        key: &ObjectKey,
        request: http::Request<Vec<u8>>,
        base: Base,
        instead: Option<http::Request<Vec<u8>>>,
    ) -> (Result<Answer, Failure>, Base) {
        let answer = self.ask(client, key, request).await;
        match (&answer, instead) {
            (Err(failure), Some(instead)) if failure.is_of_another_version() => {
                (self.ask(client, key, instead).await, Base::Unknown)
            }
            _ => (answer, base),
        }
    }

    /// An event that shows this write is an echo for those who have it in what the run reads from now on.
    fn expect_echo(&self, writing: &mut Writing, tickets: &Tickets, answer: &Answer, base: Base) {
        let sent = LazyCell::new(|| self.known.informer.object_as_sent(answer.text.as_bytes()).ok());
        writing.expect_echo(&answer.value, base, |of| {
            tickets.are_of(of) && sent.as_ref().is_some_and(|sent| of.selects(sent) == Some(true))
        });
    }

    /// Sends a request, as long as this replica leads.
    async fn ask(
        &self,
        client: &Client,
        key: &ObjectKey,
        mut request: http::Request<Vec<u8>>,
    ) -> Result<Answer, Failure> {
        let kind = || self.informer.kind().clone();
        let not_leader = |is_not_written| {
            let error = WriteError::NotLeader { kind: kind(), name: key.to_string() };
            Failure { error, is_not_written }
        };
        let (leadership, tracker) = (self.run.leadership.clone(), self.run.tracker.clone());
        let is_wanted = move || leadership.as_ref().is_none_or(Leadership::is_valid) && !tracker.has_ended();
        request.extensions_mut().insert(SendIf::new(is_wanted));
        let answer = client.request_text(request);
        let answer = match &self.run.leadership {
            None => answer.await,
            Some(leadership) if !leadership.is_valid() => return Err(not_leader(true)),
            // It may wait for a connection until another one leads, and must not be sent then.
            Some(leadership) => tokio::select! {
                biased;
                () = leadership.lost() => return Err(not_leader(false)),
                answer = answer => answer,
            },
        };
        match answer {
            // It has been written, whatever the answer is.
            Ok(text) => Ok(Answer::new(text)),
            Err(_) if self.run.leadership.as_ref().is_some_and(|leadership| !leadership.is_valid()) => {
                Err(not_leader(false))
            }
            Err(error) => {
                // Only an answer that refuses it says that it has not been written.
                let is_refusal =
                    matches!(&error, kube_client::Error::Api(status) if (400..500).contains(&status.code));
                let (name, error) = (key.to_string(), Box::new(error));
                let error = WriteError::Refused { kind: kind(), name, error };
                Err(Failure { error, is_not_written: is_refusal })
            }
        }
    }

    /// The answer says nothing about the object, so it is read. That this fails is no failure of the write: then the next run
    /// waits until the informer has asked.
    pub(super) async fn read_back(
        &self,
        tickets: Tickets,
        key: &ObjectKey,
        uid: Option<&Uid>,
    ) -> Option<Object<C>> {
        let get = self.request(key).get(key.name(), &GetParams::default()).ok()?;
        let answer = match self.client().ok()?.request_text(get).await {
            Ok(text) => Answer::new(text),
            Err(kube_client::Error::Api(status)) if status.code == 404 => {
                let uid = uid.cloned().or_else(|| self.get(key).map(|object| object.uid().clone()));
                self.note_gone(tickets, key, uid);
                return None;
            }
            Err(error) => {
                tracing::debug!(%key, %error, "what became of a write is not known yet");
                return None;
            }
        };
        let there = answer.value["metadata"]["uid"].as_str().map(Uid::new);
        if let Some(uid) = uid.filter(|uid| Some(*uid) != there.as_ref()) {
            // Another one has taken its place.
            self.note_gone(tickets, key, Some(uid.clone()));
            return None;
        }
        self.note_object(tickets, &answer).ok()
    }

    pub(super) fn begin(&self, key: &ObjectKey, unanswered: &Until) -> Tickets {
        let (tracker, overlays) = (&self.run.tracker, &self.run.overlays);
        let begun = self.siblings().into_iter().map(|known| {
            let ticket =
                tracker.begin(&self.run.key, overlays, known.clone(), key.clone(), unanswered.clone());
            (known, ticket)
        });
        Tickets::new(begun.collect())
    }

    /// All informers that have to see what is written here. This one comes first.
    pub(super) fn siblings(&self) -> Vec<Arc<Known>> {
        self.run.tracker.siblings(&self.known, self.run.client.is_some())
    }

    pub(super) fn client(&self) -> Result<&Client, WriteError> {
        let client = self.run.client.as_ref().or(self.known.client.as_ref());
        client.ok_or_else(|| WriteError::NoClient { kind: self.informer.kind().clone() })
    }
}
