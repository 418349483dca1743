//! A watch of the state of a replay: what there is, and what becomes of it when it is due.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::time::sleep_until;

use super::accept::ObjectForm;
use super::reads::{Reads, in_form, kind_in_form};
use super::{Body, json_answer, status_object};
use crate::replay::Clock;
use crate::target::{Target, decoded};
use crate::timeline::{Change, Selection, Timeline};

/// Where a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With what is newer than a version.
    After(u64),
    /// With the objects that there are, and with a bookmark that says that these were all of them.
    State { bookmark: bool },
}

pub(super) struct Watching {
    timeline: Arc<Timeline>,
    clock: Clock,
    selection: Selection,
    form: ObjectForm,
    /// Objects that are there when it begins.
    initial: VecDeque<Bytes>,
    /// What is told after these.
    then: Option<Value>,
    /// The next change; nothing more comes where there is no place.
    place: Option<usize>,
}

impl Start {
    pub(super) fn of(target: &Target) -> Result<Self, String> {
        if target.is_streaming_list() {
            return Ok(Self::State { bookmark: target.parameter("allowWatchBookmarks") == Some("true") });
        }
        match &*target.parameter("resourceVersion").map(decoded).unwrap_or_default() {
            "" | "0" => Ok(Self::State { bookmark: false }),
            version => {
                let number = version.parse().map(Self::After);
                number.map_err(|_| format!("invalid resource version {version:?}: it is not a number"))
            }
        }
    }
}

impl Watching {
    pub(super) async fn begin(
        reads: Reads,
        selection: Selection,
        form: ObjectForm,
        start: Start,
        limit: Option<Duration>,
    ) -> Response<Body> {
        let (mut initial, mut then) = (Vec::new(), None);
        let place = match start {
            Start::State { bookmark } => {
                let place = reads.timeline.place(reads.clock.now());
                initial = reads.objects(place, selection.clone()).await;
                then = bookmark.then(|| {
                    let (kind, api_version) = kind_in_form(&reads.kind, form);
                    json!({ "type": "BOOKMARK", "object": { "kind": kind, "apiVersion": api_version,
                        "metadata": { "resourceVersion": reads.timeline.version(place).to_string(),
                            "annotations": { "k8s.io/initial-events-end": "true" } } } })
                });
                Some(place)
            }
            Start::After(version) => match reads.timeline.after(version) {
                Ok(place) => Some(place),
                // The version of the object that it is about: nothing has happened to it since.
                Err(_) if selection.is_by_name() => Some(0),
                Err(old) => {
                    let message = format!("too old resource version: {version} ({})", old.oldest);
                    let status = status_object(StatusCode::GONE, "Expired", message);
                    then = Some(json!({ "type": "ERROR", "object": status }));
                    None
                }
            },
        };
        let Reads { timeline, clock, .. } = reads;
        let watching = Self { timeline, clock, selection, form, initial: initial.into(), then, place };
        let events = stream::unfold(watching, |mut watching| async move {
            let event = watching.next().await?;
            Some((Ok(event), watching))
        });
        let over = async move {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => pending().await,
            }
        };
        json_answer(events.take_until(over).boxed())
    }

    async fn next(&mut self) -> Option<Bytes> {
        if let Some(object) = self.initial.pop_front() {
            return Some(self.event("ADDED", &object));
        }
        if let Some(told) = self.then.take() {
            return Some(format!("{told}\n").into());
        }
        let mut place = self.place?;
        loop {
            let Some(change) = self.timeline.change(place) else { return pending().await };
            match self.clock.due(change.at) {
                Some(due) => sleep_until(due).await,
                // Other tasks have their turn, or a long history would be read in one go.
                None => tokio::task::yield_now().await,
            }
            place += 1;
            self.place = Some(place);
            if let Some(what) = what_happened(&self.selection, change) {
                return Some(self.event(what, &change.shown));
            }
        }
    }

    fn event(&self, what: &str, object: &Bytes) -> Bytes {
        let object = in_form(object, self.form);
        [format!("{{\"type\":\"{what}\",\"object\":").as_bytes(), &object, b"}\n"].concat().into()
    }
}

/// What a change is for somebody who only hears of some objects.
fn what_happened(selection: &Selection, change: &Change) -> Option<&'static str> {
    let has = |object: &Option<Bytes>| object.as_ref().is_some_and(|it| selection.has(&change.key, it));
    match (has(&change.before), has(&change.after)) {
        (false, false) => None,
        (false, true) => Some("ADDED"),
        (true, true) => Some("MODIFIED"),
        (true, false) => Some("DELETED"),
    }
}
