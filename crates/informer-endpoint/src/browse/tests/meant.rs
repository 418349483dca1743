//! A page that says which informer it means gets that one or none.

use k8s_openapi::api::core::v1::Secret;

use super::*;

#[tokio::test(start_paused = true)]
async fn another_informer_at_the_same_place_is_not_taken_for_the_one_that_is_meant() {
    let maps = maps(&ScriptedSource::of::<ConfigMap>()).await;
    let secrets =
        run(SharedInformer::<Secret>::builder(ScriptedSource::of::<Secret>()).build().unwrap()).await;
    let before = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&maps).informer(&secrets));
    let after = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&secrets).informer(&maps));
    let meant = "informer=0&of=configmaps&apiVersion=v1&kind=ConfigMap";
    for path in ["search?", "changes?", "object?namespace=shop&name=x&"] {
        let path = format!("/debug/objects/{path}{meant}");
        assert_eq!((status(&before, &path, None), status(&after, &path, None)), (200, 409), "{path}");
    }
    for wrong in ["of=pods", "apiVersion=v2", "kind=Secret"] {
        assert_eq!(
            status(&before, &format!("/debug/objects/search?informer=0&{wrong}"), None),
            409,
            "{wrong}"
        );
    }
    assert_eq!(after.object_seats.available_permits(), OBJECT_VIEWERS);
}
