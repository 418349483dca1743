use super::*;

fn list(params: ListParams) -> Request {
    Request {
        scope: Scope::All,
        verb: Verb::List(params),
        label_selector: None,
        field_selector: None,
        metadata_only: false,
        drop_managed_fields: false,
        sensitive: false,
        silence: None,
    }
}

fn watch(version: &str, send_initial_events: bool) -> Request {
    Request {
        verb: Verb::Watch(WatchParams {
            resource_version: version.into(),
            timeout_seconds: 300,
            send_initial_events,
        }),
        ..list(ListParams::default())
    }
}

fn at(version: &str) -> ListParams {
    ListParams { resource_version: version.into(), ..ListParams::default() }
}

#[test]
fn b_065_lists_name_the_version_only_if_there_is_one() {
    assert_eq!(list(at("")).query(), "");
    assert_eq!(list(at("0")).query(), "resourceVersion=0");
    assert_eq!(list(at("12345")).query(), "resourceVersion=12345");
    assert_eq!(list(ListParams { limit: Some(500), ..at("") }).query(), "limit=500");
    assert_eq!(list(ListParams { limit: Some(500), ..at("0") }).query(), "resourceVersion=0&limit=500");
    assert_eq!(list(ListParams { limit: Some(0), ..at("") }).query(), "", "no limit");
}

#[test]
fn b_065_lists_not_older_than_a_version() {
    let params = ListParams { version_match: Some(VersionMatch::NotOlderThan), limit: Some(1), ..at("7") };
    assert_eq!(list(params).query(), "resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=1");
    let params = ListParams { version_match: Some(VersionMatch::Exact), ..at("7") };
    assert_eq!(list(params).query(), "resourceVersion=7&resourceVersionMatch=Exact");
    let params = ListParams { version_match: Some(VersionMatch::NotOlderThan), ..at("") };
    assert_eq!(list(params).query(), "", "a match without a version is refused by the server");
}

#[test]
fn p_026_continued_lists_drop_version_and_match_and_keep_limit_and_selectors() {
    let mut request = list(ListParams {
        version_match: Some(VersionMatch::NotOlderThan),
        limit: Some(500),
        continue_token: Some("eyJ2Ijoi/+=".into()),
        ..at("7")
    });
    request.label_selector = Some("app=web".into());
    assert_eq!(request.query(), "continue=eyJ2Ijoi%2F%2B%3D&limit=500&labelSelector=app%3Dweb");
    let empty = ListParams { continue_token: Some(String::new()), ..at("7") };
    assert_eq!(list(empty).query(), "resourceVersion=7", "an empty token is none");
}

#[test]
fn watches_ask_for_bookmarks_and_an_end() {
    assert_eq!(
        watch("42", false).query(),
        "watch=true&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=42"
    );
    assert_eq!(watch("", false).query(), "watch=true&allowWatchBookmarks=true&timeoutSeconds=300");
}

#[test]
fn b_069_streaming_lists_always_name_the_match() {
    let common = "watch=true&allowWatchBookmarks=true&timeoutSeconds=300&sendInitialEvents=true\
                  &resourceVersionMatch=NotOlderThan";
    assert_eq!(watch("", true).query(), common);
    assert_eq!(watch("42", true).query(), format!("{common}&resourceVersion=42"));
}

#[test]
fn selectors_are_encoded() {
    let mut request = list(ListParams::default());
    request.label_selector = Some("app in (web, api),tier!=back&x".into());
    request.field_selector = Some("status.phase=Running".into());
    assert_eq!(
        request.query(),
        "labelSelector=app%20in%20%28web%2C%20api%29%2Ctier%21%3Dback%26x&fieldSelector=status.phase%3DRunning"
    );
    request.label_selector = Some(String::new());
    assert_eq!(request.query(), "fieldSelector=status.phase%3DRunning", "an empty selector is none");
}

#[test]
fn paths_are_of_the_group_and_the_scope() {
    let pods = KindInfo::new("", "v1", "Pod", "pods");
    let deployments = KindInfo::new("apps", "v1", "Deployment", "deployments");
    let mut request = list(at("0"));
    assert_eq!(request.path_and_query(&pods), "/api/v1/pods?resourceVersion=0");
    request.scope = Scope::namespace("default");
    assert_eq!(
        request.path_and_query(&deployments),
        "/apis/apps/v1/namespaces/default/deployments?resourceVersion=0"
    );
    request.scope = Scope::namespace("../x?");
    assert_eq!(
        request.path_and_query(&pods),
        "/api/v1/namespaces/..%2Fx%3F/pods?resourceVersion=0",
        "no name leads out of the path"
    );
}
