//! Reads that are answered from the state at this moment of a replay.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{Response, StatusCode};
use kube_informer::kind::KindInfo;
use serde_json::json;

use super::accept::{ObjectForm, negotiate};
use super::watching::{Start, Watching};
use super::{Body, json_answer, status};
use crate::record::METADATA;
use crate::replay::Clock;
use crate::target::{Resource, Target, decoded};
use crate::timeline::{Key, Selection, Timeline, metadata_of};

/// The objects of one kind, and what time it is for them.
pub(super) struct Reads {
    pub(super) kind: KindInfo,
    pub(super) timeline: Arc<Timeline>,
    pub(super) clock: Clock,
}

impl Reads {
    /// The answer to a GET. `asked` is path and query, `accept` the header.
    pub(super) async fn answer(
        self,
        resource: Resource,
        target: &Target,
        asked: &str,
        accept: &str,
    ) -> Response<Body> {
        let Some(form) = negotiate(accept) else {
            let message = "of a recording there is only JSON: application/json has to be accepted";
            return status(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message);
        };
        let bad_request = |message: &str| status(StatusCode::BAD_REQUEST, "BadRequest", message);
        let parameter = |name| target.parameter(name).map(decoded).unwrap_or_default();
        if let (Some(name), false) = (&resource.name, target.is_watch()) {
            let namespace = resource.namespace.unwrap_or_default();
            return self.one(&Key { namespace, name: name.clone() }, form);
        }
        let (labels, fields) = (parameter("labelSelector"), parameter("fieldSelector"));
        let selection = match (Selection::new(resource.namespace, &labels, &fields), &resource.name) {
            (Ok(selection), Some(name)) => selection.named(name),
            (Ok(selection), None) => selection,
            (Err(error), _) => return bad_request(&error.to_string()),
        };
        if target.is_watch() {
            return match Start::of(target) {
                Ok(start) => Watching::begin(self, selection, form, start, time_limit(asked)).await,
                Err(message) => bad_request(&message),
            };
        }
        if !parameter("continue").is_empty() {
            let message = "the rest of this list was not recorded: ask for the whole list";
            return status(StatusCode::GONE, "Expired", message);
        }
        self.list(selection, form).await
    }

    fn one(&self, key: &Key, form: ObjectForm) -> Response<Body> {
        match self.timeline.get(self.timeline.place(self.clock.now()), key) {
            Some(object) => json_answer(stream::iter([Ok(in_form(object, form))]).boxed()),
            None => {
                let message = format!("{} \"{}\" not found", self.kind.resource(), key.name);
                status(StatusCode::NOT_FOUND, "NotFound", message)
            }
        }
    }

    /// All of it: a server may always give more than the limit, and this one has it in memory.
    async fn list(&self, selection: Selection, form: ObjectForm) -> Response<Body> {
        let place = self.timeline.place(self.clock.now());
        let (kind, api_version) = kind_in_form(&self.kind, form);
        let version = json!(self.timeline.version(place).to_string());
        let (kind, api_version) = (json!(format!("{kind}List")), json!(api_version));
        let head = format!(
            "{{\"kind\":{kind},\"apiVersion\":{api_version},\"metadata\":{{\"resourceVersion\":{version}}},\"items\":["
        );
        let items = self.objects(place, selection).await.into_iter().enumerate();
        let items = items.map(move |(at, object)| {
            let comma: &[u8] = if at == 0 { b"" } else { b",\n" };
            Bytes::from([comma, &in_form(&object, form)].concat())
        });
        let parts = [Bytes::from(head)].into_iter().chain(items).chain([Bytes::from_static(b"]}\n")]);
        json_answer(stream::iter(parts.map(Ok)).boxed())
    }

    /// The objects that are selected. For labels and fields all are read, which is too long for a thread with other tasks.
    pub(super) async fn objects(&self, place: usize, selection: Selection) -> Vec<Bytes> {
        let timeline = self.timeline.clone();
        let found = tokio::task::spawn_blocking(move || timeline.objects(place, &selection));
        // It fails only where the program ends.
        found.await.unwrap_or_default()
    }
}

/// Kind and API version of objects in a form.
pub(super) fn kind_in_form(kind: &KindInfo, form: ObjectForm) -> (String, String) {
    match form {
        ObjectForm::Whole => (kind.kind().to_owned(), kind.api_version()),
        ObjectForm::Metadata => (METADATA.to_owned(), "meta.k8s.io/v1".to_owned()),
    }
}

pub(super) fn in_form(object: &Bytes, form: ObjectForm) -> Bytes {
    match form {
        ObjectForm::Whole => object.clone(),
        ObjectForm::Metadata => {
            let head = r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":"#;
            format!("{head}{}}}", metadata_of(object)).into()
        }
    }
}

/// After how long a client wants its watch to end.
fn time_limit(asked: &str) -> Option<Duration> {
    let (_, query) = asked.split_once('?')?;
    let limit = query.split('&').find_map(|parameter| parameter.strip_prefix("timeoutSeconds="))?;
    limit.parse().ok().filter(|seconds| *seconds > 0).map(Duration::from_secs)
}
