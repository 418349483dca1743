//! `informer get`: objects from a synced cache.

pub(crate) mod table;

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kube_client::api::DynamicObject;
use kube_informer::Object;
use serde_json::{Value, json};

use self::table::{Row, table};
use crate::args::{GetArgs, Objects};
use crate::cluster::{Cluster, Without};
use crate::content::shown;
use crate::failure::Failure;
use crate::kinds::synced;
use crate::plain::plain_lines;
use crate::screen::Screen;

pub(crate) async fn run(args: &GetArgs) -> Result<(), Failure> {
    let cluster = Cluster::find(&args.cluster, Without::Fails).await?;
    let mut wanted = args.objects.clone();
    if let Some(name) = &args.name {
        // The server selects the object, because there may be very many of its kind.
        let named = format!("metadata.name={}", escaped(name));
        wanted.fields =
            Some(wanted.fields.map_or_else(|| named.clone(), |fields| format!("{fields},{named}")));
    }
    let (factory, informer) = synced(&cluster, &wanted, &args.kind, args.timeout).await?;
    let kind = informer.kind().clone();
    let mut objects = informer.lister().list();
    objects.sort_by(|a, b| a.key().cmp(b.key()));
    if let Some(name) = &args.name {
        objects.retain(|object| object.name() == name);
        if objects.is_empty() {
            return Err(Failure::negative(format!("{kind} {name:?} not found")));
        }
    }
    factory.shutdown().await;
    let screen = Screen::new();
    match args.output {
        Objects::Table if objects.is_empty() => match cluster.namespace(&args.objects) {
            Some(namespace) if kind.is_namespaced() != Some(false) => {
                screen.note(&format!("no {kind} in namespace {namespace:?} (-A for all namespaces)"));
            }
            _ => screen.note(&format!("no {kind} found")),
        },
        Objects::Table => {
            let everywhere =
                cluster.namespace(&args.objects).is_none() && kind.is_namespaced() != Some(false);
            screen.text(&as_table(kind.kind(), &objects, everywhere))?;
        }
        Objects::Name => {
            let name = |object: &Object<DynamicObject>| match kind.group() {
                "" => format!("{}/{}\n", kind.kind().to_lowercase(), object.name()),
                group => format!("{}.{group}/{}\n", kind.kind().to_lowercase(), object.name()),
            };
            screen.text(&plain_lines(&objects.iter().map(name).collect::<String>()))?;
        }
        Objects::Json => screen.text(&format!("{:#}\n", document(&objects, args.name.is_some())))?,
        Objects::Yaml => {
            let yaml = serde_saphyr::to_string(&document(&objects, args.name.is_some()));
            screen.text(&yaml.map_err(Failure::local)?)?;
        }
    }
    Ok(())
}

/// Escapes a value for a field selector.
fn escaped(value: &str) -> String {
    value.chars().flat_map(|c| [Some('\\').filter(|_| ",=\\".contains(c)), Some(c)]).flatten().collect()
}

/// One object if it was named on the command line, a List otherwise.
fn document(objects: &[Object<DynamicObject>], named: bool) -> Value {
    let mut items: Vec<_> = objects.iter().map(shown).collect();
    match items.len() {
        1 if named => items.remove(0),
        _ => json!({ "apiVersion": "v1", "kind": "List", "items": items }),
    }
}

fn as_table(kind: &str, objects: &[Object<DynamicObject>], with_namespace: bool) -> String {
    let now = Timestamp::now().as_second();
    let contents: Vec<_> = objects.iter().map(shown).collect();
    let rows: Vec<_> = objects
        .iter()
        .zip(&contents)
        .map(|(object, content)| Row {
            namespace: object.namespace(),
            name: object.name(),
            age: object.creation_timestamp().map(|at| age(now, at.as_second())),
            object: content,
        })
        .collect();
    table(kind, &rows, with_namespace)
}

/// The age of an object. Clocks of machines differ, so one that was created in the future has age zero.
fn age(now: i64, then: i64) -> Duration {
    Duration::from_secs(u64::try_from(now - then).unwrap_or(0))
}
