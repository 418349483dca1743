//! No value of a Secret is told, whatever the server or a proxy makes of the objects: not in an error, a log, a status,
//! a metric, nor by `Debug`. Random Secrets over a server that fails in random ways, each with objects in the answer.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::future::BoxFuture;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Client;
use kube_client::client::Body;
use kube_core::Resource;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};

use super::support::{Meter, SOON, rest};
use crate::handler::handler;
use crate::informer::{InformerBuilder, SharedInformer};
use crate::kind::Kind;
use crate::source::{ByteStream, HttpSource, ListWatch, Request, ScriptedSource, SourceError};

/// How many random worlds there are; each takes some milliseconds.
const ROUNDS: u64 = 60;

/// Everything that may be read by somebody who must not know the values.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<String>>);

impl Told {
    fn add(&self, text: impl std::fmt::Display) {
        writeln!(self.0.lock(), "{text}").unwrap();
    }
}

/// Logs of every level are told.
impl tracing::Subscriber for Told {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("kube_informer")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Fields(self));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields(self));
    }

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Fields(self));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Fields<'a>(&'a Told);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.add(format_args!("log: {field} {value:?}"));
    }
}

/// Random objects with values that occur nowhere else.
struct World {
    random: fastrand::Rng,
    values: Vec<String>,
}

impl World {
    fn word(&mut self, length: std::ops::Range<usize>) -> String {
        let length = self.random.usize(length);
        (0..length).map(|_| self.random.alphanumeric()).collect()
    }

    /// A value, and how it is written in `data`.
    fn value(&mut self) -> (String, String) {
        let mut value = self.word(20..60);
        if self.random.bool() {
            value.insert_str(10, ["\n", "\"", "ß", "\\", "{"][self.random.usize(..5)]);
        }
        self.values.push(value.clone());
        let encoded = serde_json::to_value(ByteString(value.clone().into_bytes())).unwrap();
        (value, encoded.as_str().unwrap().to_owned())
    }

    /// A Secret, or what has the fields of one, at times of a form that no server lets through.
    fn object(&mut self, name: &str) -> Value {
        let labels = json!({ "app": self.word(3..9) });
        let mut object = json!({ "metadata": { "namespace": "a", "name": name, "labels": labels } });
        for _ in 0..self.random.usize(1..4) {
            let (key, (plain, encoded)) = (self.word(1..20), self.value());
            object["data"][&key] = encoded.into();
            object["stringData"][&key] = plain.into();
        }
        if self.random.bool() {
            let copy = object.to_string();
            let last_applied = "kubectl.kubernetes.io/last-applied-configuration";
            object["metadata"]["annotations"] = json!({ "note": self.value().0, last_applied: copy });
        }
        let odd = self.value().0;
        match self.random.usize(..8) {
            0 => object["data"] = odd.into(),
            1 => object["data"]["list"] = json!([odd]),
            2 => object["type"] = json!({ "a": odd }),
            3 => object["immutable"] = odd.into(),
            _ => {}
        }
        object
    }

    /// How the values may be written: as they are, in JSON, in base64.
    fn writings(&self) -> Vec<String> {
        let mut writings = Vec::new();
        for value in &self.values {
            let encoded = serde_json::to_value(ByteString(value.clone().into_bytes())).unwrap();
            writings.push(encoded.as_str().unwrap().trim_end_matches('=').to_owned());
            // What was put into it may be escaped in many ways; its two halves stay as they are.
            writings.extend(value.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned));
        }
        writings
    }

    fn assert_none_told(&self, told: &Told, seed: u64) {
        let told = told.0.lock();
        for writing in self.writings() {
            if let Some(at) = told.find(&writing) {
                let line = told[..at].rfind('\n').map_or(0, |end| end + 1);
                panic!("seed {seed}: {writing} is told: {}", told[line..].lines().next().unwrap());
            }
        }
    }
}

#[derive(Clone)]
struct Answer {
    status: u16,
    content_type: &'static str,
    body: String,
}

/// Answers over HTTP with objects where none should be; when it has no more of them, as a good server.
struct Hostile {
    http: HttpSource,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    good: ScriptedSource,
    /// What the source itself says, where it knows the kind to be sensitive.
    told: Option<Told>,
}

impl ListWatch for Hostile {
    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        if self.answers.lock().is_empty() {
            return self.good.open(request);
        }
        let (opened, told) = (self.http.open(request), self.told.clone());
        Box::pin(async move {
            let answer = opened.await;
            if let (Err(error), Some(told)) = (&answer, told) {
                told.add(format_args!("source: {error} {error:?}"));
            }
            answer
        })
    }
}

/// One answer with these objects in it.
fn answer(random: &mut fastrand::Rng, objects: &[Value], value: &str) -> Answer {
    let list = json!({ "kind": "SecretList", "metadata": { "resourceVersion": "9" }, "items": objects });
    let event =
        |event_type: &str, object: &Value| json!({ "type": event_type, "object": object }).to_string();
    let status = |code: u16, reason: &str| {
        json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
            "message": format!("cannot read {}", objects[0]), "details": { "name": value, "causes": [
                { "reason": value, "message": objects[0].to_string() } ] } })
    };
    let json = "application/json";
    let (status, content_type, body) = match random.usize(..18) {
        0 => (502, json, list.to_string()),
        1 => (502, "text/plain", format!("upstream says {list}")),
        2 => (403, "text/plain", value.to_owned()),
        3 => (503, "text/html", format!("<html>{value}</html>")),
        4 => (500, json, status(500, "InternalError").to_string()),
        5 => (500, json, status(500, value).to_string()),
        6 => (403, json, status(403, value).to_string()),
        7 => (200, json, status(500, "").to_string()),
        8 => (200, json, objects[0].to_string()),
        9 => (200, json, list.to_string().replace("resourceVersion", "version")),
        10 => (200, json, list.to_string().replacen(':', "", 40)),
        11 => (200, json, String::from_utf8_lossy(&list.to_string().as_bytes()[..150]).into_owned()),
        12 => (200, json, event("ERROR", &objects[0])),
        13 => (200, json, event("ERROR", &status(500, "InternalError"))),
        14 => (200, json, json!({ "type": objects[0], "object": value }).to_string()),
        15 => (200, json, event("ADDED", &json!({ "data": objects[0], "metadata": { "uid": value } }))),
        16 => (504, json, status(504, "Timeout").to_string()),
        _ => (200, "application/yaml", format!("data:\n  a: {value}\n")),
    };
    Answer { status, content_type, body }
}

/// Builds an informer on such a server, lives through its answers, and gathers all that can be heard or read of it.
async fn live<K>(seed: u64, set: impl FnOnce(InformerBuilder<K>) -> InformerBuilder<K>)
where
    K: Kind<Dynamic = ()> + Resource + DeserializeOwned + Clone + std::fmt::Debug,
{
    let mut world = World { random: fastrand::Rng::with_seed(seed), values: Vec::new() };
    let told = Told::default();
    // Of a single subscriber tracing asks whichever thread comes to a place first, and remembers that nobody listens there.
    let _beside = tracing::Dispatch::new(told.clone());
    let _logs = tracing::subscriber::set_default(told.clone());
    let good = ScriptedSource::of::<K>();
    let names = ["s0", "s1", "s2"];
    let objects: Vec<_> = names.iter().map(|name| world.object(name)).collect();
    for object in &objects {
        good.put_json(object.clone()).unwrap();
    }
    let answers: VecDeque<_> = (0..6)
        .map(|_| {
            let value = world.value().0;
            answer(&mut world.random, &objects, &value)
        })
        .collect();
    let answers = Arc::new(Mutex::new(answers));
    let left = answers.clone();
    let service = tower::service_fn(move |_: http::Request<Body>| {
        let Answer { status, content_type, body } = left.lock().pop_front().expect("one that is left");
        let answer = http::Response::builder().status(status).header("content-type", content_type);
        async move { Ok::<_, Infallible>(answer.body(Body::from(Bytes::from(body))).unwrap()) }
    });
    let http = HttpSource::new(Client::new(service, "default"), K::info(&())).unwrap();
    let told_by_source = informer_wire::kind::is_sensitive(&K::info(&())).then(|| told.clone());
    let source = Hostile { http, answers: answers.clone(), good: good.clone(), told: told_by_source };
    let heard = told.clone();
    let builder = SharedInformer::<K>::builder(source)
        .on_error(move |failure| heard.add(format_args!("failure: {failure} {failure:?}")));
    let (informer, meter) = Meter::during(|| set(builder).build().unwrap());
    let heard = told.clone();
    let hears = handler::<K>().on_event(move |event| heard.add(format_args!("event: {event:?}")));
    let registration = informer.add_event_handler(hears).unwrap();
    let mut stream = informer.stream().unwrap();
    let by_type =
        informer.add_index("type", |object| object.get().map(|object| Some(format!("{object:?}").len())));
    let run = tokio::spawn({
        let informer = informer.clone();
        async move { informer.run(std::future::pending()).await }
    });

    // Look at it while it is in trouble.
    while !answers.lock().is_empty() {
        let waited = informer.wait_synced(std::time::Duration::from_millis(300)).await;
        told.add(format_args!("waited: {waited:?}"));
        waited.err().into_iter().for_each(|error| told.add(error));
        let status = informer.status();
        told.add(format_args!("status: {status:?}"));
        status.last_failure.into_iter().for_each(|failure| told.add(failure));
    }
    informer.wait_synced(SOON).await.unwrap();
    for name in names {
        good.put_json(world.object(name)).unwrap();
    }
    good.delete("a/s0").unwrap();
    rest().await;

    for object in informer.lister().list() {
        told.add(format_args!("object: {object} {object:?}"));
        object.get().err().into_iter().for_each(|error| told.add(format_args!("{error} {error:?}")));
        let as_number = object.view::<u64>();
        as_number.err().into_iter().for_each(|error| told.add(format_args!("{error} {error:?}")));
    }
    while let Ok(Some(event)) = tokio::time::timeout(std::time::Duration::from_secs(1), stream.next()).await {
        told.add(format_args!("stream: {event:?}"));
    }
    informer.lister().list_decoded();
    told.add(format_args!("{informer:?} {:?} {:?} {registration:?}", informer.status(), informer.lister()));
    told.add(format_args!("{stream:?} {by_type:?} {:?} {:?}", by_type.get(&1), meter.names()));
    run.abort();
    assert!(told.0.lock().contains("failure: cannot "), "seed {seed}: something failed");
    assert!(told.0.lock().contains("log: message cannot "), "seed {seed}: it was logged");
    world.assert_none_told(&told, seed);
}

#[tokio::test(start_paused = true)]
async fn no_value_of_a_secret_is_told_whatever_the_server_answers() {
    for seed in 0..ROUNDS {
        live::<Secret>(seed, |builder| builder).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nor_of_a_kind_that_is_marked_sensitive() {
    for seed in 0..ROUNDS {
        live::<ConfigMap>(seed, InformerBuilder::sensitive).await;
    }
}
