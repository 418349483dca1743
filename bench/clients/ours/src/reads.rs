//! Reading the cache while events come.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bench_meter::{
    COLD_READS, HOT_READS, Options, Reads, Server, keys_of_reads, time_paced_reads, time_reads,
};
use kube_core::labels::{Expression, Selector};
use kube_informer::kind::InNamespaces;
use kube_informer::{Index, Kind, Object, ObjectKey, SharedInformer};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::PATIENCE;

#[derive(Deserialize)]
struct Placed {
    spec: PlacedSpec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlacedSpec {
    node_name: Option<String>,
}

/// An index by node, if reads are measured.
pub(crate) fn index<K>(options: &Options, informer: &SharedInformer<K>) -> Option<Index<K, String>>
where
    K: Send + Sync + 'static,
{
    options
        .reads
        .map(|_| informer.add_index("node", |pod| pod.view::<Placed>().map(|placed| placed.spec.node_name)))
}

/// Also returns the version of the last change, which comes with a list.
pub(crate) async fn measure<K>(
    informer: &SharedInformer<K>,
    index: Option<&Index<K, String>>,
    server: Server,
    length: Duration,
) -> Result<(Vec<Reads>, u64)>
where
    K: Kind + DeserializeOwned,
    K::Scope: InNamespaces,
{
    let index = index.context("there is no index")?.clone();
    index.wait_ready(PATIENCE).await?;
    let lister = informer.lister();
    // On a thread of their own, as blocking code would be, so that the informer goes on.
    tokio::task::spawn_blocking(move || {
        let keys: Vec<ObjectKey> = lister.keys();
        let mut namespaces: Vec<&str> = keys.iter().filter_map(ObjectKey::namespace).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        let nodes = index.values()?;
        let app = lister.list().first().and_then(|pod| pod.labels().get("app").map(str::to_owned));
        let selector: Selector = Expression::Equal("app".to_owned(), app.context("no label app")?).into();
        let hot = &keys[..keys.len().min(1_000)];
        let namespace = |n: u64| namespaces[keys_of_reads(n, namespaces.len())];
        let get = |n: u64| usize::from(lister.by_key(&keys[keys_of_reads(n, keys.len())]).is_ok());
        let decode = |n: u64, keys: &[ObjectKey]| {
            let object = lister.by_key(&keys[keys_of_reads(n, keys.len())]);
            usize::from(object.is_ok_and(|object| object.get().is_ok()))
        };
        let view = |n: u64, keys: &[ObjectKey]| {
            let object = lister.by_key(&keys[keys_of_reads(n, keys.len())]);
            usize::from(object.is_ok_and(|object| is_placed(&object)))
        };
        let mut reads = vec![
            time_reads("get", 1_000, length, get),
            time_reads("list of a namespace", 10, length, |n| lister.namespace(namespace(n)).list().len()),
            time_reads("selector in a namespace", 10, length, |n| {
                lister.namespace(namespace(n)).matching(&selector).len()
            }),
            time_reads("index", 10, length, |n| {
                index.get(&nodes[keys_of_reads(n, nodes.len())]).map_or(0, |found| found.len())
            }),
            time_reads("decoded, 1,000 hot keys", 100, length, |n| decode(n, hot)),
            time_paced_reads("decoded, 1,000 hot keys, paced", HOT_READS, length, |n| decode(n, hot)),
            time_paced_reads("decoded, any key, paced", COLD_READS, length, |n| decode(n, &keys)),
            time_paced_reads("viewed, 1,000 hot keys, paced", COLD_READS, length, |n| view(n, hot)),
            time_paced_reads("viewed, any key, paced", COLD_READS, length, |n| view(n, &keys)),
            time_reads("list of everything", 1, length, |_| lister.list().len()),
            time_reads("list, then all decoded", 1, 2 * length, |_| {
                lister.list().iter().filter(|object| object.get().is_ok()).count()
            }),
            time_reads("list, then all viewed", 1, 2 * length, |_| {
                lister.list().iter().filter(|object| is_placed(object)).count()
            }),
        ];
        reads.extend(at_hand(&lister.list(), length));
        let over = AtomicBool::new(false);
        reads.push(thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    black_box(lister.list().len());
                }
            });
            let reads = time_reads("get while another reads everything", 1, length, get);
            over.store(true, Ordering::Relaxed);
            reads
        }));
        // The list comes after a backoff of one or two seconds.
        let last = server.expire()?;
        reads.push(time_reads("get during a relist", 1, 3 * length, get));
        Ok((reads, last))
    })
    .await?
}

/// What an object costs that need not be looked up: the memory that every read has to go to.
fn at_hand<K>(objects: &[Object<K>], length: Duration) -> [Reads; 2] {
    let hot = &objects[..objects.len().min(1_000)];
    let hold = |n: u64, objects: &[Object<K>]| {
        black_box(objects[keys_of_reads(n, objects.len())].clone());
        1
    };
    [
        time_reads("at hand", 1_000, length, |n| hold(n, objects)),
        time_paced_reads("at hand, 1,000 hot objects, paced", HOT_READS, length, |n| hold(n, hot)),
    ]
}

/// Reads one field of a pod.
fn is_placed<K>(pod: &Object<K>) -> bool {
    pod.view::<Placed>().is_ok_and(|placed| black_box(placed.spec.node_name).is_some())
}
