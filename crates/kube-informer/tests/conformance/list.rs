//! P-001 to P-017: LIST.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::api;
use crate::support::wire::{Answer, Api, items, name, names, rv};

#[tokio::test]
async fn p_001_a_list_of_nothing_is_empty_and_has_a_version() -> Result<()> {
    let Some(api) = api("p_001").await? else { return Ok(()) };
    for path in [&api.configmaps(""), "/api/v1/namespaces/there-is-none/configmaps"] {
        let list = api.got(path).await?;
        assert_eq!(list["items"], json!([]), "{path}");
        assert!(rv(&list) > 0, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn p_002_items_have_a_kind_only_where_the_resource_is_custom() -> Result<()> {
    let Some(api) = api("p_002").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    let list = api.got(&api.configmaps("")).await?;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("ConfigMapList"), &json!("v1")));
    assert_eq!((items(&list)[0].get("kind"), items(&list)[0].get("apiVersion")), (None, None));

    api.serve_widgets().await?;
    let widget = Api::widget("a", &json!({}));
    api.create(&api.widgets(""), widget.clone()).await?;
    let list = api.got(&api.widgets("")).await?;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("WidgetList"), &widget["apiVersion"]));
    assert_eq!(items(&list)[0]["kind"], "Widget");
    assert_eq!(items(&list)[0]["apiVersion"], widget["apiVersion"]);
    Ok(())
}

#[tokio::test]
async fn p_003_a_list_is_not_older_than_its_items_and_includes_every_write_before_it() -> Result<()> {
    let Some(api) = api("p_003").await? else { return Ok(()) };
    for round in 0..10 {
        let written = api.configmap(&format!("c{round}"), "").await?;
        let list = api.got(&api.configmaps("")).await?;
        assert_eq!(items(&list).len(), round + 1);
        assert!(items(&list).iter().all(|item| rv(item) <= rv(&list)), "{list}");
        assert!(rv(&list) >= rv(&written), "{list}");
    }
    Ok(())
}

#[tokio::test]
async fn p_004_items_are_in_byte_order_of_namespace_slash_name() -> Result<()> {
    let Some(api) = api("p_004").await? else { return Ok(()) };
    let label = format!("test={}", api.namespace);
    for name in ["b", "a", "a.b", "a-b", "a0"] {
        api.configmap(name, &label).await?;
    }
    let list = api.got(&api.configmaps("")).await?;
    assert_eq!(names(&list), ["a", "a-b", "a.b", "a0", "b"]);

    let (first, second) = (format!("{}-b", api.namespace), &api.namespace);
    api.create("/api/v1/namespaces", json!({ "metadata": { "name": first } })).await?;
    let object = json!({ "metadata": { "name": "x", "labels": { "test": second } } });
    api.create(&format!("/api/v1/namespaces/{first}/configmaps"), object).await?;
    let list = api.got(&format!("/api/v1/configmaps?labelSelector={label}")).await?;
    let namespaces: Vec<&Value> = items(&list).iter().map(|item| &item["metadata"]["namespace"]).collect();
    assert_eq!(namespaces[0], &first, "a-b/x is before a/x: {namespaces:?}");
    assert!(namespaces[1..].iter().all(|namespace| *namespace == second), "{namespaces:?}");
    Ok(())
}

#[tokio::test]
async fn p_005_two_lists_without_a_write_between_are_equal() -> Result<()> {
    let Some(api) = api("p_005").await? else { return Ok(()) };
    for name in ["c", "a", "b"] {
        api.configmap(name, "").await?;
    }
    let (one, other) = (api.got(&api.configmaps("")).await?, api.got(&api.configmaps("")).await?);
    assert_eq!(one["items"], other["items"]);
    assert!(rv(&one) <= rv(&other));
    Ok(())
}

#[tokio::test]
async fn p_006_version_0_returns_everything_whatever_the_limit() -> Result<()> {
    let Some(api) = api("p_006").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    let last = rv(&api.configmap("b", "").await?);
    // What is in the cache may be older than the last write; it is not after this.
    api.got(&api.configmaps(&format!("?resourceVersion={last}"))).await?;
    for query in
        ["?resourceVersion=0&limit=1", "?resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1"]
    {
        let list = api.got(&api.configmaps(query)).await?;
        assert_eq!(names(&list), ["a", "b"], "{query}");
        assert_eq!(list["metadata"]["continue"].as_str().unwrap_or_default(), "", "{query}");
    }
    Ok(())
}

#[tokio::test]
async fn p_007_a_version_is_a_lower_bound_and_with_a_limit_exact() -> Result<()> {
    let Some(api) = api("p_007").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    let old = rv(&api.configmap("a", "").await?);
    let new = rv(&api.configmap("b", "").await?);
    api.got(&api.configmaps(&format!("?resourceVersion={new}"))).await?;
    let list = api.got(&api.configmaps(&format!("?resourceVersion={old}"))).await?;
    assert!(rv(&list) >= old);
    assert_eq!(names(&list), ["a", "b"], "the cache is at {new} already");
    let list = api.got(&api.configmaps(&format!("?resourceVersion={old}&limit=5"))).await?;
    assert_eq!((rv(&list), names(&list)), (old, vec!["a"]));
    Ok(())
}

#[tokio::test]
async fn p_008_exact_is_the_state_as_of_that_version() -> Result<()> {
    let Some(api) = api("p_008").await? else { return Ok(()) };
    let _kept = api.server.history.read().await;
    api.configmap("deleted", "").await?;
    let then = rv(&api.configmap("modified", "").await?);
    api.configmap("created", "").await?;
    api.step("modified", "1").await?;
    api.deleted(&api.configmaps("/deleted")).await?;
    let path = api.configmaps(&format!("?resourceVersion={then}&resourceVersionMatch=Exact"));
    let list = api.got(&path).await?;
    assert_eq!((rv(&list), names(&list)), (then, vec!["deleted", "modified"]));
    assert_eq!(items(&list)[1]["data"]["step"], "0");
    assert_eq!(rv(&items(&list)[1]), then);
    Ok(())
}

#[tokio::test]
async fn p_009_not_older_than_the_last_write_includes_it() -> Result<()> {
    let Some(api) = api("p_009").await? else { return Ok(()) };
    for round in 0..10 {
        let name = format!("c{round}");
        let written = rv(&api.configmap(&name, "").await?);
        let query = format!("?resourceVersion={written}&resourceVersionMatch=NotOlderThan");
        let list = api.got(&api.configmaps(&query)).await?;
        assert!(rv(&list) >= written);
        assert!(names(&list).contains(&name.as_str()), "{list}");
    }
    Ok(())
}

#[tokio::test]
async fn p_010_a_version_of_the_future_is_waited_for_then_504() -> Result<()> {
    let Some(api) = api("p_010").await? else { return Ok(()) };
    let future = rv(&api.got(&api.configmaps("")).await?) + 1_000_000;
    let asked = |query: String| {
        let path = api.configmaps(&format!("?resourceVersion={future}{query}"));
        let api = &api;
        async move {
            let started = Instant::now();
            let answer = api.get(&path).await?;
            let took = started.elapsed();
            assert!(took > Duration::from_secs(2) && took < Duration::from_secs(30), "{path}: {took:?}");
            anyhow::Ok(answer)
        }
    };
    let answers = futures::future::try_join_all([
        asked(String::new()),
        asked("&resourceVersionMatch=NotOlderThan".to_owned()),
        asked("&resourceVersionMatch=Exact".to_owned()),
    ]);
    for answer in answers.await? {
        let message = answer.failure(504, "Timeout");
        let expected = format!("Timeout: Too large resource version: {future}, current: ");
        assert!(message.starts_with(&expected), "{message}");
        let details = &answer.json()["details"];
        let cause = json!({ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" });
        assert_eq!(details["causes"], json!([cause]));
        assert_eq!((answer.header("retry-after"), &details["retryAfterSeconds"]), ("1", &json!(1)));
    }
    Ok(())
}

#[tokio::test]
async fn p_011_options_that_contradict_are_refused_word_for_word() -> Result<()> {
    let Some(api) = api("p_011").await? else { return Ok(()) };
    let field = "resourceVersionMatch";
    for (query, field, why) in [
        (
            "resourceVersionMatch=Exact",
            field,
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            "resourceVersionMatch=NotOlderThan&resourceVersion=0&continue=x",
            field,
            "Forbidden: resourceVersionMatch is forbidden when continue is provided",
        ),
        (
            "resourceVersionMatch=Foo&resourceVersion=1",
            field,
            "Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            field,
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        ("sendInitialEvents=true", "sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list"),
        (
            "sendInitialEvents=false",
            "sendInitialEvents",
            "Forbidden: sendInitialEvents is forbidden for list",
        ),
    ] {
        let answer = api.get(&api.configmaps(&format!("?{query}"))).await?;
        assert_eq!(
            answer.failure(422, "Invalid"),
            format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {why}"),
            "{query}"
        );
        let details = &answer.json()["details"];
        assert_eq!((&details["group"], &details["kind"]), (&json!("meta.k8s.io"), &json!("ListOptions")));
        assert_eq!(
            (&details["causes"][0]["field"], &details["causes"][0]["message"]),
            (&json!(field), &json!(why))
        );
    }
    Ok(())
}

#[tokio::test]
async fn p_012_a_version_that_is_no_number_is_400_for_a_list_and_500_for_a_watch() -> Result<()> {
    let Some(api) = api("p_012").await? else { return Ok(()) };
    let why = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";
    let list = api.get(&api.configmaps("?resourceVersion=abc")).await?;
    assert_eq!(list.failure(400, "BadRequest"), format!("invalid resource version: {why}"));
    let watch = api.get(&api.configmaps("?watch=1&resourceVersion=abc")).await?;
    assert_eq!(watch.failure(500, ""), why);
    Ok(())
}

#[tokio::test]
async fn p_013_what_cannot_be_parsed_is_a_bad_request() -> Result<()> {
    let Some(api) = api("p_013").await? else { return Ok(()) };
    let refused = |path: String| {
        let api = &api;
        async move { anyhow::Ok(api.get(&path).await?.failure(400, "BadRequest")) }
    };
    let message = refused(api.configmaps("?labelSelector=a in x)")).await?;
    assert!(message.contains("unable to parse requirement: found 'x'"), "{message}");
    let message = refused(api.configmaps("?fieldSelector=foo")).await?;
    assert!(message.contains("invalid selector: 'foo'"), "{message}");
    assert_eq!(refused(api.pods("?fieldSelector=spec.foo=x")).await?, "field label not supported: spec.foo");
    assert_eq!(
        refused(api.configmaps("?fieldSelector=spec.foo=x")).await?,
        "\"spec.foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
    );
    let message = refused(api.configmaps("?limit=x")).await?;
    assert!(message.contains("strconv.ParseInt: parsing \"x\": invalid syntax"), "{message}");
    Ok(())
}

#[tokio::test]
async fn p_014_label_selectors() -> Result<()> {
    let Some(api) = api("p_014").await? else { return Ok(()) };
    for (name, labels) in [("none", ""), ("x", "k=x"), ("y", "k=y"), ("z", "k=z,other=1")] {
        api.configmap(name, labels).await?;
    }
    for (selector, expected) in [
        ("k=x", "x"),
        ("k==x", "x"),
        ("k!=x", "none y z"),
        ("k in (x,y)", "x y"),
        ("k notin (x,y)", "none z"),
        ("k", "x y z"),
        ("!k", "none"),
        ("k,k!=x", "y z"),
        ("k in (y,z),!other", "y"),
        ("", "none x y z"),
    ] {
        let list = api.got(&api.configmaps(&format!("?labelSelector={selector}"))).await?;
        assert_eq!(names(&list).join(" "), expected, "{selector}");
    }
    Ok(())
}

#[tokio::test]
async fn p_015_field_selectors_of_name_and_namespace() -> Result<()> {
    let Some(api) = api("p_015").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    api.configmap("b", "").await?;
    for (path, expected) in [
        (api.configmaps("?fieldSelector=metadata.name=a"), "a"),
        (api.configmaps("?fieldSelector=metadata.name==a"), "a"),
        (api.configmaps("?fieldSelector=metadata.name!=a"), "b"),
        (api.configmaps("?fieldSelector=metadata.name=c"), ""),
        (api.configmaps("?fieldSelector=metadata.name=a,metadata.name=b"), ""),
        (format!("/api/v1/configmaps?fieldSelector=metadata.namespace={}", api.namespace), "a b"),
        (
            format!("/api/v1/configmaps?fieldSelector=metadata.name=b,metadata.namespace={}", api.namespace),
            "b",
        ),
    ] {
        assert_eq!(names(&api.got(&path).await?).join(" "), expected, "{path}");
    }
    Ok(())
}

#[tokio::test]
async fn p_016_unknown_parameters_are_ignored_and_any_word_but_false_is_true() -> Result<()> {
    let Some(api) = api("p_016").await? else { return Ok(()) };
    let version = rv(&api.configmap("a", "").await?);
    for query in ["?foo=bar", "?watch=0", "?watch=False", "?watch=false&watch=true"] {
        assert_eq!(names(&api.got(&api.configmaps(query)).await?), ["a"], "{query}");
    }
    let watched = |word: &'static str| {
        let query = format!("?watch{word}&timeoutSeconds=1&resourceVersion={version}");
        let (api, path) = (&api, api.configmaps(&query));
        async move { api.get(&path).await }
    };
    let answers: Vec<Answer> =
        futures::future::try_join_all([watched("="), watched(""), watched("=1"), watched("=no")]).await?;
    for answer in answers {
        assert_eq!((answer.status, answer.body.as_ref()), (200, &b""[..]), "a watch without events");
    }
    // Not a watch on one object.
    assert_eq!(name(&api.got(&api.configmaps("/a?watch=1")).await?), "a");
    Ok(())
}

#[tokio::test]
async fn p_017_a_list_has_no_use_for_timeout_seconds() -> Result<()> {
    let Some(api) = api("p_017").await? else { return Ok(()) };
    api.configmap("a", "").await?;
    for seconds in [-1, 0, 1, 1_000_000] {
        let list = api.got(&api.configmaps(&format!("?timeoutSeconds={seconds}"))).await?;
        assert_eq!(names(&list), ["a"], "{seconds}");
    }
    Ok(())
}
