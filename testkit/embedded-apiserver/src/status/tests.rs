use super::*;
use crate::kinds::Registry;

fn resource(group: &str, version: &str, plural: &str) -> std::sync::Arc<Resource> {
    Registry::new().find(group, version, plural).unwrap()
}

#[test]
fn a_status_is_written_in_the_order_of_the_real_server() {
    let deployments = resource("apps", "v1", "deployments");
    assert_eq!(
        ApiError::not_found(&deployments, "web").to_json(),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \"web\" not found","reason":"NotFound","details":{"name":"web","group":"apps","kind":"deployments"},"code":404}"#
    );
    assert_eq!(
        ApiError::modified(&resource("", "v1", "pods"), "x").to_json(),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Operation cannot be fulfilled on pods \"x\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"x","kind":"pods"},"code":409}"#
    );
    assert_eq!(
        ApiError::too_large_version(999_999, 250).to_json(),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 999999, current: 250","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}"#
    );
    assert_eq!(
        ApiError::no_such_resource().to_json(),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}"#
    );
}

#[test]
fn what_was_not_foreseen_has_no_reason_and_success_no_code() {
    assert_eq!(
        ApiError::internal("oh").to_json(),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"oh","code":500}"#
    );
    let details = Details { uid: "u".to_owned(), ..resource("", "v1", "configmaps").details("x") };
    assert_eq!(
        success(&details),
        r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"x","kind":"configmaps","uid":"u"}}"#
    );
}

#[test]
fn an_expired_page_comes_with_a_token() {
    let json = ApiError::expired("too old").with_continue("abc".to_owned()).to_json();
    assert!(json.contains(r#""metadata":{"continue":"abc"},"status":"Failure""#), "{json}");
    assert!(json.ends_with(r#""reason":"Expired","code":410}"#), "{json}");
}

#[test]
fn one_cause_is_told_plainly_and_several_in_a_list() {
    let required = || Cause::required("metadata.name", "name or generateName is required");
    let one = ApiError::invalid("", "Pod", "", vec![required()]);
    assert_eq!(
        one.message,
        "Pod \"\" is invalid: metadata.name: Required value: name or generateName is required"
    );
    let scope = Cause::unsupported("spec.scope", "Foo", &["Cluster", "Namespaced"]);
    let two = ApiError::invalid("example.com", "Widget", "x", vec![required(), scope]);
    assert_eq!(
        two.message,
        "Widget.example.com \"x\" is invalid: [metadata.name: Required value: name or generateName is required, \
         spec.scope: Unsupported value: \"Foo\": supported values: \"Cluster\", \"Namespaced\"]"
    );
    let details = two.details.unwrap();
    assert_eq!((&*details.kind, &*details.group, details.causes.len()), ("Widget", "example.com", 2));
    assert_eq!(details.causes[0].reason, "FieldValueRequired");
}

#[test]
fn answers_have_a_type_and_say_when_to_come_back() {
    let header = |response: &Response<Body>, name: header::HeaderName| {
        response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    let busy = ApiError::too_many_requests("storage is (re)initializing", 3).into_response();
    assert_eq!(busy.status(), 429);
    assert_eq!(header(&busy, header::CONTENT_TYPE).unwrap(), "application/json");
    assert_eq!(header(&busy, header::RETRY_AFTER).unwrap(), "3");

    let overloaded = ApiError::overloaded(1).into_response();
    assert_eq!(header(&overloaded, header::CONTENT_TYPE).unwrap(), "text/plain; charset=utf-8");
    assert_eq!(header(&overloaded, header::RETRY_AFTER).unwrap(), "1");

    let nowhere = ApiError::page_not_found().into_response();
    assert_eq!((nowhere.status().as_u16(), header(&nowhere, header::RETRY_AFTER)), (404, None));
    assert_eq!(header(&nowhere, header::X_CONTENT_TYPE_OPTIONS).unwrap(), "nosniff");
}
