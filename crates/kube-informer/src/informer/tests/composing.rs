//! Handlers that are put together from several parts: every part is heard of, none takes the place of another.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use super::support::{Rig, SOON};
use crate::handler::{Event, Handler, async_handler, handler};

/// What the parts of a handler have said, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// A function of one argument that says a word.
    fn says<T: ?Sized>(&self, word: &'static str) -> impl FnMut(&T) + Send + 'static + use<T> {
        let log = self.0.clone();
        move |_| log.lock().push(word.to_owned())
    }

    fn asynchronous(&self) -> Handler<ConfigMap> {
        let log = self.0.clone();
        async_handler(move |_: Event<ConfigMap>| {
            let log = log.clone();
            async move { log.lock().push("async".to_owned()) }
        })
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

#[tokio::test(start_paused = true)]
async fn an_asynchronous_handler_with_typed_functions_calls_both() {
    let rig = Rig::new(&["a/x"]);
    let log = Log::default();
    let typed = log.asynchronous().on_add(log.says("object")).typed().on_add(log.says("typed")).build();
    let registration = rig.add(typed);
    let _rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(log.take(), ["object", "typed", "async"]);
}

#[tokio::test(start_paused = true)]
async fn functions_that_are_set_again_are_called_beside_the_first() {
    let rig = Rig::new(&["a/x"]);
    let log = Log::default();
    let (update, typed_update) = (log.clone(), log.clone());
    let (again, typed_again) = (log.clone(), log.clone());
    let registration = rig.add(
        handler::<ConfigMap>()
            .on_event(log.says("event"))
            .on_event(log.says("event again"))
            .on_add(log.says("add"))
            .on_add(log.says("add again"))
            .on_update(move |_, _| update.0.lock().push("update".to_owned()))
            .on_update(move |_, _| again.0.lock().push("update again".to_owned()))
            .on_delete(log.says("delete"))
            .on_delete(log.says("delete again"))
            .typed()
            .on_add(log.says("typed add"))
            .on_add(log.says("typed add again"))
            .on_update(move |_, _| typed_update.0.lock().push("typed update".to_owned()))
            .build()
            .typed()
            .on_update(move |_, _| typed_again.0.lock().push("typed update again".to_owned()))
            .on_delete(log.says("typed delete")),
    );
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    assert_eq!(log.take(), ["event", "event again", "add", "add again", "typed add", "typed add again"]);
    rig.put("a/x", "new");
    rig.settle().await;
    let updates = ["event", "event again", "update", "update again", "typed update", "typed update again"];
    assert_eq!(log.take(), updates);
    rig.delete("a/x");
    rig.settle().await;
    assert_eq!(log.take(), ["event", "event again", "delete", "delete again", "typed delete"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_has_to_pass_all_filters() {
    let rig = Rig::new(&["a/x", "a/y", "b/x"]);
    let (first, _) = rig.listen_with(|handler| {
        handler.filter(|map| map.name() == "x").filter(|map| map.namespace() == Some("a"))
    });
    let typed = Arc::new(Mutex::new(Vec::new()));
    let hears = typed.clone();
    rig.add(
        handler::<ConfigMap>()
            .filter(|map| map.name() == "x")
            .typed()
            .on_add(move |map| hears.lock().push(map.metadata.namespace.clone()))
            .build()
            .filter(|map| map.namespace() == Some("b")),
    );
    let rig = rig.started().await;
    rig.settle().await;
    assert_eq!(first.log(), ["add a/x@2 initial"]);
    assert_eq!(*typed.lock(), [Some("b".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_typed_delete_beside_other_typed_functions_is_told_what_it_was_told_last() {
    let rig = Rig::new(&["a/x"]);
    let log = Arc::new(Mutex::new(Vec::new()));
    let hears = log.clone();
    let registration = rig.add(
        handler::<ConfigMap>()
            .typed()
            .on_delete(move |map| {
                hears.lock().push(map.metadata.resource_version.clone().unwrap_or_default());
            })
            .build()
            .typed()
            .on_add(|_| {}),
    );
    let rig = rig.started().await;
    registration.wait_synced(SOON).await.unwrap();
    // One commit: the object ends in a state that does not decode, and another takes its key.
    let mut odd = serde_json::to_value(super::support::map("a/x", "")).unwrap();
    odd["data"] = serde_json::json!("not a map");
    rig.server.put_json(odd).unwrap();
    rig.delete("a/x");
    rig.put("a/x", "another");
    rig.settle().await;
    assert_eq!(*log.lock(), ["2"]);
}
