//! `informer diff`: the cache against a fresh list of the server.

use std::collections::BTreeMap;

use kube_client::Client;
use kube_client::api::{Api, DynamicObject, ListParams};
use kube_informer::{KindInfo, SharedInformer};
use serde_json::{Value, json};

use crate::args::{DiffArgs, Lines, ObjectArgs};
use crate::cluster::{Cluster, Without};
use crate::content::content;
use crate::failure::Failure;
use crate::kinds::{api_resource, synced};
use crate::screen::Screen;
use crate::secrets;
use crate::watch::changes::{Change, changes};

/// How often both are looked at again before a difference counts: while objects change, the cache is a moment behind.
const TRIES: u32 = 10;

/// Objects by key.
type Content = BTreeMap<String, Value>;

/// What is not the same in both.
#[derive(Debug, PartialEq)]
enum Difference {
    /// The server has it, the cache has not.
    Missing(String),
    /// The cache has it, the server has not.
    Surplus(String),
    /// Both have it, with these differences from cache to server.
    Differs(String, Vec<Change>),
}

pub(crate) async fn run(args: &DiffArgs) -> Result<(), Failure> {
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let (factory, informer) = synced(&cluster, &args.objects, &args.kind, args.timeout).await?;
    let client = cluster.client()?;
    let namespace = cluster.namespace(&args.objects);
    let mut tries = 0;
    let (count, mut differences) = loop {
        let server = listed(&client, informer.kind(), namespace.as_deref(), &args.objects).await?;
        let found = compare(&cached(&informer), &server);
        tries += 1;
        if found.is_empty() || tries == TRIES {
            break (server.len(), found);
        }
        // What has changed since the list is on its way.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    let kind = informer.kind().clone();
    factory.shutdown().await;
    if secrets::is_secret(kind.group(), kind.plural()) {
        differences.iter_mut().for_each(hide);
    }
    let screen = Screen::new();
    match args.output {
        Lines::Json => screen.text(&format!("{}\n", as_json(&kind, count, &differences)))?,
        Lines::Text if differences.is_empty() => {
            screen.text(&format!("{kind}: cache and server are equal, {count} objects\n"))?;
        }
        Lines::Text => screen.text(&differences.iter().map(as_text).collect::<String>())?,
    }
    match differences.len() {
        0 => Ok(()),
        number => Err(Failure::negative(format!("{kind}: {number} of {count} objects differ"))),
    }
}

fn cached(informer: &SharedInformer<DynamicObject>) -> Content {
    informer.lister().list().iter().map(|object| (object.key().to_string(), content(object))).collect()
}

/// What the server has now, page by page, in the form in which the cache keeps it.
async fn listed(
    client: &Client,
    kind: &KindInfo,
    namespace: Option<&str>,
    objects: &ObjectArgs,
) -> Result<Content, Failure> {
    let resource = api_resource(kind);
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) if kind.is_namespaced() != Some(false) => {
            Api::namespaced_with(client.clone(), namespace, &resource)
        }
        _ => Api::all_with(client.clone(), &resource),
    };
    let mut params = ListParams::default().limit(500);
    params.label_selector = objects.labels.clone();
    params.field_selector = objects.fields.clone();
    let mut content = Content::new();
    loop {
        let page = api.list(&params).await.map_err(Failure::cluster)?;
        for mut object in page.items {
            object.metadata.managed_fields = None;
            let key = match &object.metadata.namespace {
                Some(namespace) => {
                    format!("{namespace}/{}", object.metadata.name.clone().unwrap_or_default())
                }
                None => object.metadata.name.clone().unwrap_or_default(),
            };
            let mut value = serde_json::to_value(&object).map_err(Failure::cluster)?;
            value["kind"] = kind.kind().into();
            value["apiVersion"] = kind.api_version().into();
            content.insert(key, value);
        }
        params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
        if params.continue_token.is_none() {
            return Ok(content);
        }
    }
}

fn compare(cache: &Content, server: &Content) -> Vec<Difference> {
    let mut found = Vec::new();
    for (key, there) in server {
        match cache.get(key) {
            None => found.push(Difference::Missing(key.clone())),
            Some(here) if here == there => {}
            Some(here) => found.push(Difference::Differs(key.clone(), changes(here, there))),
        }
    }
    found.extend(cache.keys().filter(|key| !server.contains_key(*key)).cloned().map(Difference::Surplus));
    found
}

fn hide(difference: &mut Difference) {
    if let Difference::Differs(_, changes) = difference {
        secrets::hide_in(changes);
    }
}

fn as_text(difference: &Difference) -> String {
    match difference {
        Difference::Missing(key) => format!("{key}: not in the cache\n"),
        Difference::Surplus(key) => format!("{key}: not on the server\n"),
        Difference::Differs(key, changes) if changes.is_empty() => format!("{key}: another version\n"),
        Difference::Differs(key, changes) => {
            let told: Vec<_> = changes.iter().map(ToString::to_string).collect();
            format!("{key}: {}\n", told.join(", "))
        }
    }
}

fn as_json(kind: &KindInfo, count: usize, differences: &[Difference]) -> Value {
    let keys = |wanted: fn(&Difference) -> Option<&String>| {
        differences.iter().filter_map(wanted).collect::<Vec<_>>()
    };
    let missing = keys(|it| if let Difference::Missing(key) = it { Some(key) } else { None });
    let surplus = keys(|it| if let Difference::Surplus(key) = it { Some(key) } else { None });
    let differs = differences.iter().filter_map(|difference| match difference {
        Difference::Differs(key, changes) => {
            let changes: Vec<_> = changes
                .iter()
                .map(|it| json!({ "path": it.path, "cache": it.old, "server": it.new }))
                .collect();
            Some(json!({ "key": key, "changes": changes }))
        }
        _ => None,
    });
    json!({
        "kind": kind.kind(),
        "apiVersion": kind.api_version(),
        "equal": differences.is_empty(),
        "objects": count,
        "notInCache": missing,
        "notOnServer": surplus,
        "different": differs.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(objects: &[(&str, i64)]) -> Content {
        let object = |(key, value): &(&str, i64)| ((*key).to_owned(), json!({ "spec": { "n": value } }));
        objects.iter().map(object).collect()
    }

    #[test]
    fn each_difference_is_named() {
        let (cache, server) =
            (content(&[("a/x", 1), ("a/y", 1), ("a/z", 1)]), content(&[("a/x", 1), ("a/y", 2), ("b/w", 1)]));
        let found = compare(&cache, &server);
        let text: String = found.iter().map(as_text).collect();
        assert_eq!(text, "a/y: spec.n 1 → 2\nb/w: not in the cache\na/z: not on the server\n");
        let kind = KindInfo::new("example.com", "v1", "Widget", "widgets");
        let json = as_json(&kind, server.len(), &found);
        assert_eq!(json["equal"], false);
        assert_eq!(json["notInCache"], json!(["b/w"]));
        assert_eq!(json["notOnServer"], json!(["a/z"]));
        assert_eq!(json["different"][0]["changes"][0], json!({ "path": "spec.n", "cache": 1, "server": 2 }));
    }

    #[test]
    fn equal_is_equal() {
        let both = content(&[("a/x", 1)]);
        assert_eq!(compare(&both, &both), []);
    }
}
