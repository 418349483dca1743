use serde_json::json;

use super::*;

#[test]
fn a_status_is_read_whole() {
    let failure = Status::from_status(&json!({
        "kind": "Status", "code": 504, "reason": "Timeout",
        "message": "Timeout: Too large resource version: 999999, current: 250",
        "details": {
            "causes": [{ "reason": "ResourceVersionTooLarge", "message": "Too large resource version" }],
            "retryAfterSeconds": 1,
        },
    }));
    assert_eq!(failure.code, 504);
    assert_eq!(failure.retry_after, Some(Duration::from_secs(1)));
    assert_eq!(failure.causes, ["ResourceVersionTooLarge", "Too large resource version"]);
    assert!(failure.is_version_too_large() && !failure.is_expired());
}

#[test]
fn b_021_version_too_large_in_all_three_forms() {
    let by_cause = json!({ "reason": "Timeout", "code": 504, "message": "m",
        "details": { "causes": [{ "reason": "ResourceVersionTooLarge" }] } });
    let by_cause_message = json!({ "reason": "Timeout", "code": 504, "message": "m",
        "details": { "causes": [{ "message": "Too large resource version" }] } });
    let by_message = json!({ "reason": "Timeout", "code": 504,
        "message": "Timeout: Too large resource version: 9, current: 2" });
    for status in [by_cause, by_cause_message, by_message] {
        assert!(Status::from_status(&status).is_version_too_large(), "{status}");
    }
    let other_timeout = json!({ "reason": "Timeout", "code": 504,
        "message": "Timeout: request did not complete within the allotted timeout" });
    let other_reason = json!({ "reason": "Invalid", "code": 422,
        "details": { "causes": [{ "message": "Too large resource version" }] } });
    for status in [other_timeout, other_reason] {
        assert!(!Status::from_status(&status).is_version_too_large(), "{status}");
    }
}

#[test]
fn odd_statuses_are_still_errors() {
    for odd in [json!(null), json!({}), json!([1]), json!({ "code": "x", "details": 7 })] {
        let failure = Status::from_status(&odd);
        assert_eq!(failure.code, 500);
        assert!(!failure.to_string().is_empty());
    }
}

fn answer(code: u16, content_type: Option<&str>, body: &str) -> Status {
    let content_type = content_type.map(str::to_owned);
    Status::from_answer(code, None, &ErrorBody { content_type, bytes: body.into(), cut: false })
}

#[test]
fn p_045_short_texts_are_quoted() {
    let failure = answer(404, None, "404 page not found\n");
    assert_eq!((failure.code, failure.message.as_str()), (404, "404 page not found"));
    let failure = Status::from_answer(429, Some(Duration::from_secs(5)), &ErrorBody::default());
    assert_eq!(failure.message, "Too Many Requests");
    assert_eq!(failure.retry_after, Some(Duration::from_secs(5)));
    let failure = answer(502, Some("text/html"), "<html>\n  <h1>Bad Gateway</h1>\n</html>");
    assert_eq!(failure.message, "<html> <h1>Bad Gateway</h1> </html>");
}

#[test]
fn objects_and_long_bodies_are_described() {
    let list = r#"{"kind":"SecretList","items":[{"data":{"password":"aHVudGVyMg=="}}]}"#;
    let message = |content_type, body: &str| answer(502, content_type, body).message;
    assert_eq!(
        message(Some("application/json; charset=utf-8"), list),
        format!("Bad Gateway ({} bytes of application/json, not shown)", list.len())
    );
    for objects in [&list[..40], &list[1..], &format!("upstream said: {list}"), &format!("[{list}]")] {
        let told = message(None, objects);
        assert_eq!(told, format!("Bad Gateway ({} bytes of unknown type, not shown)", objects.len()));
    }
    assert!(message(Some("text/plain"), &"x".repeat(513)).ends_with("(513 bytes of text/plain, not shown)"));
    assert!(message(Some("k8s\0 hunter2"), "a\u{0}b").ends_with("(3 bytes of unknown type, not shown)"));
    let cut = ErrorBody { bytes: b"short".to_vec(), cut: true, content_type: None };
    let told = Status::from_answer(500, None, &cut).message;
    assert_eq!(told, "Internal Server Error (5 bytes or more of unknown type, not shown)");
}

#[test]
fn of_secret_kinds_only_what_is_about_the_request_is_told() {
    let failure = |code, reason: &str| Status {
        code,
        reason: reason.into(),
        message: "hunter2".into(),
        causes: vec!["hunter2".into()],
        retry_after: Some(Duration::from_secs(5)),
    };
    let told = |code, reason| failure(code, reason).without_content();
    assert_eq!(told(403, "Forbidden").message, "hunter2");
    assert_eq!(told(500, "InternalError").message, "InternalError");
    assert_eq!(told(502, "").message, "Bad Gateway");
    assert_eq!((told(403, "hunter2").message, told(403, "hunter2").reason), ("Forbidden".into(), "".into()));
    assert_eq!(told(799, "").message, "HTTP status 799");
    for (code, reason) in [(500, "InternalError"), (502, ""), (403, "hunter2"), (410, "Expired")] {
        let told = told(code, reason);
        assert!(!format!("{:?} {:?}", told.causes, told.reason).contains("hunter2"));
        assert_eq!((told.code, told.retry_after), (code, Some(Duration::from_secs(5))));
        assert_eq!(told.is_expired(), failure(code, reason).is_expired());
    }
    let ahead = Status { message: "Too large resource version: 9".into(), ..failure(504, "Timeout") };
    assert!(ahead.is_version_too_large() && ahead.without_content().is_version_too_large());
}
