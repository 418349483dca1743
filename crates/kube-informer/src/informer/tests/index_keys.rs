//! Indexes that are known ahead of time.

use informer_core::store::index_error::IndexError;
use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Rig, SOON, index_error, texts};
use crate::error::WaitError;
use crate::informer::IndexKey;
use crate::object::Object;

const BY_TEXT: IndexKey<ConfigMap, String> = IndexKey::new("text", "data.text");

async fn coloured() -> Rig {
    let rig = Rig::new(&[]);
    rig.put("a/x", "red");
    rig.put("b/y", "green");
    rig.started().await
}

#[tokio::test(start_paused = true)]
async fn objects_are_found_by_the_values_of_a_field() {
    let rig = Rig::new(&[]);
    let by_text = rig.informer.index_by(BY_TEXT);
    rig.put("a/x", "red");
    let rig = rig.started().await;
    assert_eq!(by_text.get("red").unwrap()[0].key().to_string(), "a/x");
    rig.put("a/x", "green");
    rig.settle().await;
    assert_eq!(by_text.values().unwrap(), ["green"]);
}

#[tokio::test(start_paused = true)]
async fn all_who_use_a_key_share_one_index() {
    let rig = coloured().await;
    // None of them is ready when the others are asked for.
    let indexes =
        [rig.informer.index_by(BY_TEXT), rig.informer.index_by(BY_TEXT), rig.informer.index_by(BY_TEXT)];
    for index in &indexes {
        index.wait_ready(SOON).await.unwrap();
        assert_eq!(index.get("red").unwrap().len(), 1);
    }
    assert_eq!(rig.informer.index_names(), [BY_TEXT.name().into()]);
    assert_eq!(rig.informer.index_by(BY_TEXT).get("green").unwrap().len(), 1, "ready at once");
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_same_name_on_other_values_is_refused() {
    let rig = coloured().await;
    let first = rig.informer.index_by(BY_TEXT);
    let other = rig.informer.index_by(IndexKey::<ConfigMap, u64>::new("text", "data.size"));
    assert_eq!(
        other.wait_ready(SOON).await.unwrap_err(),
        WaitError::from(index_error(IndexError::OtherType("text".into())))
    );
    assert_eq!(first.get("red").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_same_name_on_another_field_is_refused_and_says_so() {
    const BY_COLOUR: IndexKey<ConfigMap, String> = IndexKey::new("text", "data.colour");
    let rig = coloured().await;
    // Asked for while the first one is being built, and again when it is there.
    let first = rig.informer.index_by(BY_TEXT);
    for _ in 0..2 {
        let other = rig.informer.index_by(BY_COLOUR);
        let error = other.wait_ready(SOON).await.unwrap_err();
        assert_eq!(Some(&other.get("red").unwrap_err()), error.informer_error());
        assert_eq!(
            error.to_string(),
            r#"index "text" is on "data.text", not on "data.colour"; give this one another name"#
        );
        assert_eq!(first.get("red").unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_same_name_as_an_index_on_a_function_is_refused_and_says_so() {
    let rig = coloured().await;
    let first = rig.informer.add_index("text", |map| Some(map.name().to_owned()));
    first.wait_ready(SOON).await.unwrap();
    let error = rig.informer.index_by(BY_TEXT).wait_ready(SOON).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"index "text" is on a function, not on "data.text"; give this one another name"#
    );
    assert_eq!(first.get("x").unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn values_of_another_type_and_paths_that_are_none_are_reported() {
    let rig = coloured().await;
    for key in
        [IndexKey::<ConfigMap, u64>::new("number", "data.text"), IndexKey::new("nonsense", "data..text")]
    {
        let index = rig.informer.index_by(key);
        index.wait_ready(SOON).await.unwrap();
        assert!(index.values().unwrap().is_empty());
    }
    let failures = texts(&rig.failures.lock());
    let about = |index: &str, why: &str| {
        failures.iter().filter(|text| text.contains(index) && text.contains(why)).count()
    };
    assert_eq!(about("index \"number\"", "expected u64"), 2, "{failures:?}");
    assert_eq!(about("index \"nonsense\"", "is not a path to a field"), 2, "{failures:?}");
}

#[tokio::test(start_paused = true)]
async fn listers_read_by_index_all_or_one_namespace() {
    let rig = coloured().await;
    rig.put("b/z", "red");
    rig.settle().await;
    let (lister, by_text) = (rig.informer.lister(), rig.informer.index_by(BY_TEXT));
    let found = |objects: Vec<Object<ConfigMap>>| {
        let mut keys: Vec<_> = objects.iter().map(|object| object.key().to_string()).collect();
        keys.sort();
        keys
    };
    let read =
        |namespace: &str, text: &str| found(lister.namespace(namespace).by_index(&by_text, text).unwrap());
    assert_eq!(found(lister.by_index(&by_text, "red").unwrap()), ["a/x", "b/z"]);
    assert_eq!((read("a", "red"), read("b", "red")), (vec!["a/x".to_owned()], vec!["b/z".to_owned()]));
    assert_eq!((read("a", "green"), read("none", "red")), (vec![], vec![]));
    assert_eq!(read("", "red"), ["a/x", "b/z"], "blank is all, as elsewhere");

    rig.put("a/x", "green");
    rig.settle().await;
    assert_eq!(read("a", "green"), ["a/x"]);
    by_text.remove();
    rig.settle().await;
    assert_eq!(
        lister.by_index(&by_text, "red").unwrap_err(),
        index_error(IndexError::Unknown("text".into()))
    );
}

#[tokio::test(start_paused = true)]
async fn a_lister_refuses_the_index_of_another_informer() {
    let (rig, other) = (coloured().await, coloured().await);
    let by_text = other.informer.index_by(BY_TEXT);
    by_text.wait_ready(SOON).await.unwrap();
    let refused = rig.informer.lister().by_index(&by_text, "red").unwrap_err();
    assert_eq!(refused, index_error(IndexError::OtherInformer("text".into())));
    assert_eq!(refused.to_string(), "index \"text\" is not of the informer that this lister reads");
    let namespaced = rig.informer.lister().namespace("a").by_index(&by_text, "red");
    assert_eq!(namespaced.unwrap_err(), refused);
    // Another face of the same informer has the same cache.
    assert_eq!(other.informer.as_kind::<ConfigMap>().lister().by_index(&by_text, "red").unwrap().len(), 1);
}
