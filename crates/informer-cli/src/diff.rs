//! `informer diff`: compares the cache with a new list from the server.

mod running;

use std::collections::BTreeMap;

use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::kind::KindInfo;
use serde_json::{Value, json};

use crate::args::{DiffArgs, Lines};
use crate::cluster::{Cluster, Without};
use crate::content::content;
use crate::failure::{Failure, unless_nobody_reads};
use crate::kinds::synced;
use crate::listing::Listing;
use crate::plain::{plain, plain_json};
use crate::screen::Screen;
use crate::secrets;
use crate::watch::changes::{Change, changes};

/// How often both are read again before a difference is reported: while objects change, the cache lags a moment behind the
/// list.
const TRIES: u32 = 10;

/// Objects per page.
const PAGE: u32 = 500;

/// Objects by key.
type Content = BTreeMap<String, Value>;

/// A difference between the cache and the server.
#[derive(Debug, PartialEq)]
enum Difference {
    /// The object is only on the server.
    Missing(String),
    /// The object is only in the cache.
    Surplus(String),
    /// Both have the object, with these changes from the cache to the server.
    Differs(String, Vec<Change>),
}

pub(crate) async fn run(args: &DiffArgs) -> Result<(), Failure> {
    if let Some(url) = &args.endpoint {
        return running::run(args, url).await;
    }
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let mut outcome = Ok(());
    for kind in &args.kinds {
        match of_kind(args, &cluster, kind).await {
            Err(failure) if failure.is_negative() => outcome = Err(failure),
            done => done?,
        }
    }
    outcome
}

/// Compares a new cache of one kind.
async fn of_kind(args: &DiffArgs, cluster: &Cluster, kind: &str) -> Result<(), Failure> {
    let (factory, informer) = synced(cluster, &args.objects, kind, args.timeout).await?;
    let listings = Listing::all(cluster, informer.kind(), &args.objects)?;
    let mut tries = 0;
    let is_secret = secrets::is_secret(informer.kind().group(), informer.kind().plural());
    let (count, differences) = loop {
        let listed = tokio::time::timeout(args.timeout, listed(&listings, informer.kind())).await;
        let server = listed.map_err(|_| {
            Failure::cluster(format!(
                "the list of {} did not come within {:?}",
                informer.kind(),
                args.timeout
            ))
        })??;
        let found = compare(&cached(&informer), &server, is_secret);
        tries += 1;
        if found.is_empty() || tries == TRIES {
            break (server.len(), found);
        }
        // Gives the watch time to bring what has changed since the list.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    };
    let kind = informer.kind().clone();
    factory.shutdown().await;
    let screen = Screen::new();
    let text = match args.output {
        Lines::Json => plain_json(&format!("{}\n", as_json(&kind, count, &differences))).into_owned(),
        Lines::Text if differences.is_empty() => {
            format!("{kind}: cache and server are equal, {count} objects\n")
        }
        Lines::Text => differences.iter().map(as_text).collect(),
    };
    unless_nobody_reads(screen.text(&text))?;
    match differences.len() {
        0 => Ok(()),
        number => Err(Failure::negative(format!("{kind}: {number} of {count} objects differ"))),
    }
}

fn cached(informer: &SharedInformer<DynamicObject>) -> Content {
    informer.lister().list().iter().map(|object| (object.key().to_string(), content(object))).collect()
}

/// Lists the objects on the server, page by page, without the fields that the cache drops.
async fn listed(listings: &[Listing], kind: &KindInfo) -> Result<Content, Failure> {
    let (mut content, mut token) = (Content::new(), None);
    let mut listings = listings.iter();
    let mut listing = listings.next();
    while let Some(pages) = listing {
        let page = pages.page(PAGE, token).await?;
        for item in page.items {
            let mut object: Value = serde_json::from_str(item.get()).unwrap_or_default();
            let Some(members) = object.as_object_mut() else { continue };
            members.insert("kind".to_owned(), kind.kind().into());
            members.insert("apiVersion".to_owned(), kind.api_version().into());
            if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("managedFields");
            }
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
            let key = match text("namespace") {
                "" => text("name").to_owned(),
                namespace => format!("{namespace}/{}", text("name")),
            };
            content.insert(key, object);
        }
        token = page.next;
        if token.is_none() {
            listing = listings.next();
        }
    }
    Ok(content)
}

fn compare(cache: &Content, server: &Content, is_secret: bool) -> Vec<Difference> {
    let mut found = Vec::new();
    for (key, there) in server {
        match cache.get(key) {
            None => found.push(Difference::Missing(key.clone())),
            Some(here) if here == there => {}
            Some(here) => {
                let (mut here, mut there) = (here.clone(), there.clone());
                if is_secret {
                    secrets::hide_both(&mut here, &mut there);
                }
                found.push(Difference::Differs(key.clone(), changes(&here, &there)));
            }
        }
    }
    found.extend(cache.keys().filter(|key| !server.contains_key(*key)).cloned().map(Difference::Surplus));
    found
}

fn as_text(difference: &Difference) -> String {
    let text = match difference {
        Difference::Missing(key) => format!("{key}: not in the cache"),
        Difference::Surplus(key) => format!("{key}: not on the server"),
        Difference::Differs(key, changes) if changes.is_empty() => format!("{key}: another version"),
        Difference::Differs(key, changes) => {
            let told: Vec<_> = changes.iter().map(ToString::to_string).collect();
            format!("{key}: {}", told.join(", "))
        }
    };
    format!("{}\n", plain(&text))
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
mod tests;
