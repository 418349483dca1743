//! Observations: single facts about the objects of one resource, out of the answers to requests for it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kube_informer::kind::KindInfo;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Key;
use crate::exchange::{Exchange, Happened};
use crate::record::METADATA;
use crate::target::{Resource, decoded};

/// A fact, and of which part of the objects it is the truth.
#[derive(Debug)]
pub(super) struct Observation {
    pub(super) at: Duration,
    pub(super) scope: Arc<Scope>,
    pub(super) news: News,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scope {
    pub(super) namespace: Option<String>,
    labels: Option<String>,
    fields: Option<String>,
}

#[derive(Debug)]
pub(super) enum News {
    /// A watch begins that shows what is newer than this.
    Watched(u64),
    /// These objects are there, and no others.
    Listed {
        version: u64,
        items: Vec<Item>,
    },
    There(Item),
    Gone(Item),
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) key: Key,
    pub(super) version: u64,
    pub(super) json: Bytes,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(default)]
    metadata: Metadata,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    metadata: &'a RawValue,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    resource_version: String,
    #[serde(rename = "continue")]
    token: String,
}

#[derive(Deserialize)]
struct Bookmark {
    metadata: BookmarkMetadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BookmarkMetadata {
    resource_version: String,
    annotations: Option<HashMap<String, String>>,
}

impl Scope {
    /// Whether it is every object of its namespace.
    pub(super) fn is_whole(&self) -> bool {
        self.labels.is_none() && self.fields.is_none()
    }

    /// The scopes, other than this one, that every object of this one is in.
    fn wider(&self) -> impl Iterator<Item = Self> {
        let whole = |namespace| Self { namespace, labels: None, fields: None };
        [whole(None), whole(self.namespace.clone())].into_iter().filter(move |wide| wide != self)
    }

    fn of(exchange: &Exchange) -> Option<Self> {
        let selector =
            |name| exchange.target.parameter(name).map(decoded).filter(|selector| !selector.is_empty());
        let resource = Resource::of(&exchange.target.path)?;
        let (labels, fields) = (selector("labelSelector"), selector("fieldSelector"));
        Some(Self { namespace: resource.namespace, labels, fields })
    }
}

/// All observations of a kind, in the order in which they came.
pub(super) fn of_kind(kind: &KindInfo, exchanges: &[Exchange]) -> Vec<Observation> {
    let of_kind = exchanges.iter().filter(|exchange| concerns(kind, exchange));
    let of_kind: Vec<&Exchange> = of_kind.collect();
    // Whoever watches one object has listed it before. Other questions about one tell nothing of the rest.
    let watched: HashSet<Scope> =
        of_kind.iter().filter(|one| one.target.is_watch()).filter_map(|one| Scope::of(one)).collect();
    let is_of_watched = |exchange: &&Exchange| {
        !exchange.is_question() || Scope::of(exchange).is_some_and(|scope| watched.contains(&scope))
    };
    let of_kind = of_kind.into_iter().filter(is_of_watched);
    // Metadata alone is only a stand-in for objects that nobody asked for.
    let (whole, metadata): (Vec<_>, Vec<_>) = of_kind.partition(|exchange| exchange.line.form.is_none());
    let all = [whole, metadata].map(|exchanges| in_order(kind, &exchanges));
    all.into_iter().find(|observations| !observations.is_empty()).unwrap_or_default()
}

fn concerns(kind: &KindInfo, exchange: &Exchange) -> bool {
    let is_of_kind = |resource: Resource| resource.is_of(kind) && resource.version == kind.version();
    (exchange.is_of_objects() || exchange.is_question())
        && Resource::of(&exchange.target.path).is_some_and(is_of_kind)
}

fn in_order(kind: &KindInfo, exchanges: &[&Exchange]) -> Vec<Observation> {
    let mut observations = Vec::new();
    // What came of lists whose next page has this token.
    let mut pages = HashMap::new();
    for exchange in exchanges.iter().filter(|exchange| exchange.is_answered()) {
        let Some(scope) = Scope::of(exchange).map(Arc::new) else { continue };
        let news = if exchange.target.is_watch() {
            watched(kind, exchange)
        } else {
            listed(kind, exchange, &mut pages).into_iter().collect()
        };
        observations.extend(news.into_iter().map(|(at, news)| Observation {
            at,
            scope: scope.clone(),
            news,
        }));
    }
    without_doubles(&mut observations);
    observations.sort_by_key(|observation| observation.at);
    observations
}

/// Leaves out what somebody listed of objects that somebody else watched before and after that: it says nothing new, and a list
/// is compared with everything that is known.
fn without_doubles(observations: &mut Vec<Observation>) {
    // From the first to the last that was told by watches.
    let mut watched: HashMap<Arc<Scope>, RangeInclusive<Duration>> = HashMap::new();
    for seen in observations.iter().filter(|seen| !matches!(seen.news, News::Listed { .. })) {
        let known = watched.entry(seen.scope.clone()).or_insert(seen.at..=seen.at);
        *known = seen.at.min(*known.start())..=seen.at.max(*known.end());
    }
    observations.retain(|seen| match seen.news {
        News::There(_) | News::Gone(_) => true,
        News::Watched(_) | News::Listed { .. } => {
            let is_double = |wide| watched.get(&wide).is_some_and(|watched| watched.contains(&seen.at));
            !seen.scope.wider().any(is_double)
        }
    });
}

fn watched(kind: &KindInfo, exchange: &Exchange) -> Vec<(Duration, News)> {
    let from = exchange.target.parameter("resourceVersion").unwrap_or_default();
    let mut initial = exchange.target.is_streaming_list().then(Vec::new);
    let mut news = Vec::new();
    if initial.is_none() {
        news.push((exchange.at, News::Watched(number(from))));
    }
    for (at, chunk) in exchange.chunks() {
        for event in serde_json::Deserializer::from_slice(chunk).into_iter::<Event<'_>>() {
            // Nobody understands what comes after something that is not JSON.
            let Ok(Event { kind: event, object }) = event else { return news };
            if event == "BOOKMARK" {
                if let Some(version) = end_of_initial_events(object) {
                    let items = initial.take();
                    news.extend(items.map(|items| (at, News::Listed { version, items })));
                }
                continue;
            }
            let Some(item) = item(kind, chunk, object) else { continue };
            match (&*event, &mut initial) {
                ("ADDED" | "MODIFIED", Some(items)) => items.push(item),
                ("ADDED" | "MODIFIED", None) => news.push((at, News::There(item))),
                ("DELETED", None) => news.push((at, News::Gone(item))),
                _ => {}
            }
        }
    }
    news
}

fn end_of_initial_events(object: &RawValue) -> Option<u64> {
    let Bookmark { metadata } = serde_json::from_str(object.get()).ok()?;
    let is_end = metadata.annotations?.get("k8s.io/initial-events-end").is_some_and(|end| end == "true");
    is_end.then(|| number(&metadata.resource_version))
}

/// A list whose last page this is.
fn listed(
    kind: &KindInfo,
    exchange: &Exchange,
    pages: &mut HashMap<String, Vec<Item>>,
) -> Option<(Duration, News)> {
    let end = exchange.steps.iter().find(|step| step.what == Happened::End)?;
    let body = Bytes::from(exchange.chunks().map(|(_, chunk)| &chunk[..]).collect::<Vec<_>>().concat());
    let list: List<'_> = serde_json::from_slice(&body).ok()?;
    let mut items = match exchange.target.parameter("continue").filter(|token| !token.is_empty()) {
        Some(token) => pages.remove(&decoded(token))?,
        None => Vec::new(),
    };
    items.extend(list.items?.into_iter().filter_map(|object| item(kind, &body, object)));
    if list.metadata.token.is_empty() {
        let version = number(&list.metadata.resource_version);
        return Some((end.at, News::Listed { version, items }));
    }
    pages.insert(list.metadata.token, items);
    None
}

/// An object with its kind, which items of a list do without.
fn item(kind: &KindInfo, within: &Bytes, raw: &RawValue) -> Option<Item> {
    let object: Object<'_> = serde_json::from_str(raw.get()).ok()?;
    let metadata: Metadata = serde_json::from_str(object.metadata.get()).ok()?;
    let head = || format!("{{\"kind\":\"{}\",\"apiVersion\":\"{}\"", kind.kind(), kind.api_version());
    let json = match object.kind.as_deref() {
        Some(METADATA) => format!("{},\"metadata\":{}}}", head(), object.metadata.get()).into(),
        Some(_) => within.slice_ref(raw.get().as_bytes()),
        // It has metadata, so there is something that follows.
        None => format!("{},{}", head(), raw.get().strip_prefix('{')?).into(),
    };
    let key = Key { namespace: metadata.namespace, name: metadata.name };
    Some(Item { key, version: number(&metadata.resource_version), json })
}

/// The metadata of an object, as they stand there.
pub(crate) fn metadata_of(object: &Bytes) -> &str {
    serde_json::from_slice::<Object<'_>>(object).map_or("{}", |object| object.metadata.get())
}

/// Versions are numbers; nothing is newer than something that is not.
fn number(version: &str) -> u64 {
    version.parse().unwrap_or_default()
}
