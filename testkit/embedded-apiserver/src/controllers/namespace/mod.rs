//! The controller of namespaces: empties those that are being deleted.
//!
//! It looks at a namespace some time after each change of it or in it. kube-controller-manager looks at intervals as well,
//! because it does not hear of the changes in a namespace; here nothing would be found between two changes, except that
//! pods use up their time.

mod conditions;
mod content;

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::Method;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::Knowledge;
use super::requests::{Refusal, Requests, Write};
use crate::front::Front;
use crate::kinds::StorageId;
use crate::storage::{Event, Feed, Stored};
use conditions::Findings;

const USER: &str = "system:serviceaccount:kube-system:namespace-controller";
/// The finalizer of this controller in the spec of a namespace.
const FINALIZER: &str = "kubernetes";
/// How soon it tries again what the server refused.
const RETRY: Duration = Duration::from_secs(1);

/// Runs until the server is gone.
pub(super) async fn run(server: Weak<Front>, objects: Vec<(StorageId, Stored)>, mut feed: Feed) {
    let Some(wait) = server.upgrade().map(|front| front.api.options.namespace_wait) else { return };
    let mut agenda = Agenda { wait, pending: BTreeMap::new() };
    agenda.start_over(&objects);
    drop(objects);
    loop {
        let Some(front) = server.upgrade() else { return };
        agenda.catch_up(&front.api.storage, &mut feed);
        if let Some((name, since)) = agenda.next() {
            let look = Look { requests: Requests { front: &front, user: USER }, name: &name, since };
            if let Some(again) = look.look().await {
                agenda.look_after(&name, again);
            }
            continue;
        }
        drop(front);
        let is_there = match agenda.pending.values().filter_map(|pending| pending.due).min() {
            None => feed.changed().await,
            Some(due) => tokio::select! {
                biased;
                is_there = feed.changed() => is_there,
                () = sleep_until(due) => true,
            },
        };
        if !is_there {
            return;
        }
    }
}

/// The namespaces that are being deleted.
#[derive(Debug)]
struct Agenda {
    wait: Duration,
    pending: BTreeMap<Arc<str>, Pending>,
}

#[derive(Debug)]
struct Pending {
    /// When it was deleted.
    since: Instant,
    /// When to look at it.
    due: Option<Instant>,
}

impl Agenda {
    /// A namespace to look at now, and when it was deleted.
    fn next(&mut self) -> Option<(Arc<str>, Instant)> {
        let now = Instant::now();
        let due = self.pending.iter_mut().filter(|(_, pending)| pending.due.is_some_and(|due| due <= now));
        let (name, pending) = due.min_by_key(|(_, pending)| pending.due)?;
        pending.due = None;
        Some((name.clone(), pending.since))
    }

    /// Looks at a namespace after some time, or earlier if that is planned.
    fn look_after(&mut self, name: &str, wait: Duration) {
        if let Some(pending) = self.pending.get_mut(name) {
            // A wait without end is one that the clock cannot hold.
            let at = Instant::now().checked_add(wait);
            pending.due = pending.due.into_iter().chain(at).min();
        }
    }

    fn put(&mut self, id: &StorageId, stored: &Stored) {
        if is_namespace(id) && stored.content.terminating {
            let new = || Pending { since: Instant::now(), due: None };
            self.pending.entry(stored.content.key.clone()).or_insert_with(new);
        }
        self.touch(id, stored);
    }

    fn touch(&mut self, id: &StorageId, stored: &Stored) {
        let content = &stored.content;
        let namespace = if is_namespace(id) { content.name() } else { content.namespace() };
        self.look_after(namespace, self.wait);
    }
}

impl Knowledge for Agenda {
    fn start_over(&mut self, objects: &[(StorageId, Stored)]) {
        self.pending.clear();
        objects.iter().filter(|(id, _)| is_namespace(id)).for_each(|(id, stored)| self.put(id, stored));
    }

    fn observe(&mut self, id: &StorageId, event: &Event) {
        match (&event.new, &event.old) {
            (Some(new), _) => self.put(id, new),
            (None, Some(old)) if is_namespace(id) => drop(self.pending.remove(&old.content.key)),
            (None, Some(old)) => self.touch(id, old),
            (None, None) => {}
        }
    }
}

fn is_namespace(id: &StorageId) -> bool {
    id.is("", "namespaces")
}

/// One look at a namespace.
struct Look<'a> {
    requests: Requests<'a>,
    name: &'a str,
    /// When the namespace was deleted.
    since: Instant,
}

impl Look<'_> {
    /// Returns after what time another look is due, whatever happens until then.
    async fn look(&self) -> Option<Duration> {
        let namespace = self.read()?;
        if namespace["status"]["phase"] != "Terminating" {
            let mut changed = namespace.clone();
            changed["status"]["phase"] = "Terminating".into();
            return Some(self.write("status", &changed).await.err().unwrap_or(Duration::ZERO));
        }
        if namespace["spec"]["finalizers"].as_array().is_none_or(Vec::is_empty) {
            return None;
        }
        let mut findings = Findings::default();
        let left = self.delete_content(&mut findings).await;
        // It may have been changed meanwhile.
        let mut namespace = self.read()?;
        if findings.write(&mut namespace["status"]["conditions"], &self.requests.front.api.clock.now()) {
            // If it is refused because of another change, there will be another look because of that change.
            let _ = self.write("status", &namespace).await;
        }
        if left.is_empty() && findings.errors.is_empty() {
            return self.finalise().await;
        }
        if findings.is_refused { Some(RETRY) } else { left.time }
    }

    /// The namespace, if it is being deleted.
    fn read(&self) -> Option<Value> {
        let id = StorageId { group: "".into(), plural: "namespaces".into() };
        let stored = self.requests.front.api.storage.get(&id, self.name)?;
        stored.to_object().ok().filter(|_| stored.content.terminating).map(Value::Object)
    }

    /// Writes a part of the namespace. If it is refused, returns after what time to look again.
    async fn write(&self, part: &str, namespace: &Value) -> Result<(), Duration> {
        let path = format!("/api/v1/namespaces/{}/{part}", self.name);
        let write = Write { method: Method::PUT, path: path.clone(), body: namespace.clone() };
        self.requests.send(write).await.map_err(|Refusal { code, message }| match code {
            // Somebody else has changed it meanwhile, or removed it.
            404 | 409 => Duration::ZERO,
            _ => {
                tracing::warn!(code, message, path, "the controller of namespaces was refused a write");
                RETRY
            }
        })
    }

    /// Removes the finalizer of this controller, and with it the namespace if there are no others.
    async fn finalise(&self) -> Option<Duration> {
        let mut namespace = self.read()?;
        if let Some(finalizers) = namespace["spec"]["finalizers"].as_array_mut() {
            finalizers.retain(|finalizer| finalizer != FINALIZER);
        }
        self.write("finalize", &namespace).await.err()
    }
}
