//! Reading the store while events come. It has no indexes: everything but a get is a scan. Objects are decoded already, so that
//! to decode and to view one is the same.

use std::hash::Hash;
use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context as _, Result};
use bench_meter::{COLD_READS, HOT_READS, Reads, keys_of_reads, time_paced_reads, time_reads};
use kube_core::{Resource, ResourceExt as _};
use kube_runtime::reflector::{ObjectRef, Store};

use crate::key;

pub(crate) async fn measure<K>(store: Store<K>, kind: K::DynamicType, length: Duration) -> Result<Vec<Reads>>
where
    K: Resource + Clone + Send + Sync + 'static,
    K::DynamicType: Clone + Eq + Hash + Send + Sync + 'static,
{
    tokio::task::spawn_blocking(move || {
        let all = store.state();
        let keys: Vec<ObjectRef<K>> =
            all.iter().map(|object| ObjectRef::from_obj_with(&**object, kind.clone())).collect();
        let mut namespaces: Vec<String> = all.iter().map(|object| key(&**object).0).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        let app = all.first().and_then(|pod| pod.labels().get("app").cloned()).context("no label app")?;
        drop(all);
        let namespace = |n: u64| namespaces[keys_of_reads(n, namespaces.len())].as_str();
        let get = |n: u64, keys: &[ObjectRef<K>]| {
            usize::from(
                store.get(&keys[keys_of_reads(n, keys.len())]).is_some_and(|object| is_named(&*object)),
            )
        };
        let hot = &keys[..keys.len().min(1_000)];
        let all = || store.state().iter().filter(|object| is_named(&***object)).count();
        Ok(vec![
            time_reads("get", 1_000, length, |n| {
                usize::from(store.get(&keys[keys_of_reads(n, keys.len())]).is_some())
            }),
            time_reads("list of a namespace", 1, length, |n| {
                store.state_filter(|pod| pod.meta().namespace.as_deref() == Some(namespace(n))).len()
            }),
            time_reads("selector in a namespace", 1, length, |n| {
                let matches = |pod: &K| {
                    pod.meta().namespace.as_deref() == Some(namespace(n))
                        && pod.labels().get("app") == Some(&app)
                };
                store.state_filter(matches).len()
            }),
            time_reads("decoded, 1,000 hot keys", 100, length, |n| get(n, hot)),
            time_paced_reads("decoded, 1,000 hot keys, paced", HOT_READS, length, |n| get(n, hot)),
            time_paced_reads("decoded, any key, paced", COLD_READS, length, |n| get(n, &keys)),
            time_paced_reads("viewed, 1,000 hot keys, paced", COLD_READS, length, |n| get(n, hot)),
            time_paced_reads("viewed, any key, paced", COLD_READS, length, |n| get(n, &keys)),
            time_reads("list of everything", 1, length, |_| store.state().len()),
            time_reads("list, then all decoded", 1, 2 * length, |_| all()),
            time_reads("list, then all viewed", 1, 2 * length, |_| all()),
        ])
    })
    .await?
}

/// Reads one field of an object.
fn is_named<K: Resource>(object: &K) -> bool {
    black_box(object.meta().name.as_deref()).is_some()
}
