//! Decoding over the whole pipeline: what a user's `Deserialize` may do, and what is left when an informer has gone.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::support::{Rig, SOON, map, rest};
use crate::informer::SharedInformer;
use crate::kind::{Kind, KindInfo, Namespaced};
use crate::object::DecodeCache;
use crate::source::ScriptedSource;

/// Looks around while it is decoded.
#[derive(Debug)]
struct Curious;

/// Whom the next one that is decoded asks.
static ASKED: Mutex<Option<SharedInformer<Curious>>> = Mutex::new(None);

/// How many objects it decoded meanwhile.
static SEEN: AtomicUsize = AtomicUsize::new(0);

impl<'de> Deserialize<'de> for Curious {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        let asked = ASKED.lock().take();
        if let Some(informer) = asked {
            look_around(&informer);
            // Another thread does the same, and is waited for.
            thread::scope(|scope| drop(scope.spawn(|| look_around(&informer)).join()));
        }
        Ok(Self)
    }
}

impl Kind for Curious {
    type Scope = Namespaced;
    type Dynamic = ();
    fn info(_: &()) -> KindInfo {
        ConfigMap::info(&())
    }
}

/// Decodes all objects, that which is being decoded as well, into its own type and into another.
fn look_around(informer: &SharedInformer<Curious>) {
    for object in informer.lister().list() {
        let decoded = object.get().is_ok() && object.as_kind::<Value>().get().is_ok();
        SEEN.fetch_add(usize::from(decoded), Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn no_lock_is_held_while_a_users_deserialize_runs() {
    let server = ScriptedSource::of::<ConfigMap>();
    for number in 0..20 {
        server.create(&map(&format!("a/o{number}"), "")).unwrap();
    }
    let builder = SharedInformer::<Curious>::builder(server);
    let builder = builder.options(|options| options.decode_cache(DecodeCache::new(1 << 20)));
    let informer = builder.build().unwrap();
    let running = informer.clone();
    tokio::spawn(async move { running.run(std::future::pending()).await });
    informer.wait_synced(SOON).await.unwrap();
    let object = informer.lister().namespace("a").get("o7").unwrap();
    *ASKED.lock() = Some(informer.clone());
    let (done, finished) = mpsc::channel();
    thread::spawn(move || done.send(object.get().is_ok()));
    assert_eq!(finished.recv_timeout(Duration::from_secs(60)), Ok(true), "it waits for itself");
    assert_eq!(SEEN.load(Ordering::Relaxed), 40);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_has_gone_leaves_nothing_in_the_cache() {
    let cache = DecodeCache::new(64 << 10);
    let keys: Vec<String> = (0..300).map(|number| format!("a/o{number}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let rig = Rig::with(&keys, |builder| builder.options(|options| options.decode_cache(cache.clone())));
    let (stop, ended) = rig.start_until();
    rig.synced().await;
    let objects = rig.informer.lister().list();
    let held: Vec<_> = objects.iter().take(50).map(|object| object.get().unwrap()).collect();
    (0..2).for_each(|_| objects.iter().for_each(|object| drop(object.get().unwrap())));
    drop(held);
    let last = objects.into_iter().next().unwrap();
    stop.send(()).unwrap();
    ended.await.unwrap();
    drop(rig);
    rest().await;
    assert!(cache.0.places() > 0, "an object is held");
    drop(last);
    assert_eq!((cache.0.places(), cache.bytes()), (0, 0));
}
