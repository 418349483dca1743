//! The selectors that the real server accepts, and its error messages, word for word.

use super::*;
use crate::kinds::Registry;

fn pods(labels: &str, fields: &str) -> Result<Selector, String> {
    let resource = Registry::new().find("", "v1", "pods").unwrap();
    let options = ListOptions {
        label_selector: labels.to_owned(),
        field_selector: fields.to_owned(),
        ..ListOptions::default()
    };
    Selector::parse(&resource, &options).map_err(|error| error.message)
}

const KEY: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                   alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                   '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

#[test]
fn label_selectors_that_cannot_be_parsed() {
    for (selector, why) in [
        ("a in x)", "unable to parse requirement: found 'x' expected: '('"),
        ("a in", "unable to parse requirement: found '' expected: '('"),
        ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
        ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!a b", "found 'b', expected: ',' or 'end of string'"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a,,b", "found ',', expected: identifier after ','"),
        (",a", "found ',', expected: !, identifier, or 'end of string'"),
        ("(", "found '(', expected: !, identifier, or 'end of string'"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("a=b,", "found '', expected: identifier after ','"),
        ("a)", "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"),
        ("a! b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("a foo b", "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt"),
        (
            "a>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be \
             an integer",
        ),
        ("-a=x", &format!("unable to parse requirement: <nil>: Invalid value: \"-a\": {KEY}")),
    ] {
        assert_eq!(pods(selector, "").unwrap_err(), why, "{selector}");
    }
    let message = pods("a=-b", "").unwrap_err();
    assert!(
        message
            .starts_with("unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label")
    );
}

#[test]
fn field_selectors_that_cannot_be_parsed() {
    for (selector, why) in [
        ("foo", "invalid selector: 'foo'; can't understand 'foo'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"),
        ("metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"),
        ("spec.foo=x", "field label not supported: spec.foo"),
    ] {
        assert_eq!(pods("", selector).unwrap_err(), why, "{selector}");
    }
    for selector in
        ["", ",", "metadata.name!=x,", "metadata.name=a\\,b", "spec.nodeName=,status.phase!=Running"]
    {
        assert!(pods("", selector).is_ok(), "{selector}");
    }
}

/// A pod with these labels.
fn stored(labels: &serde_json::Value, phase: &str) -> Stored {
    let pod =
        serde_json::json!({ "metadata": { "name": "a,b", "labels": labels }, "status": { "phase": phase } });
    let resource = Registry::new().find("", "v1", "pods").unwrap();
    let content = crate::storage::Content::new("ns/a,b", pod.as_object().unwrap(), &resource.fields);
    Stored { version: 1, content: content.into() }
}

#[test]
fn labels_are_matched() {
    let pod = stored(&serde_json::json!({ "k": "x", "n": "7", "e": "", "in": "y" }), "");
    for (selector, matches) in [
        ("", true),
        ("k", true),
        ("!k", false),
        ("k=x", true),
        ("k==x", true),
        ("k!=x", false),
        ("k!=y", true),
        ("none!=y", true),
        ("none=y", false),
        ("k in (y, x)", true),
        ("k notin (y,x)", false),
        ("none notin (y)", true),
        ("in in (in,y)", true),
        ("e=", true),
        ("e in ()", true),
        ("e in (,)", true),
        ("none in (,)", false),
        ("n>6", true),
        ("n>7", false),
        ("n<8", true),
        ("k>1", false),
        ("k,n,!none , k = x", true),
        ("k,none", false),
    ] {
        assert_eq!(pods(selector, "").unwrap().matches(&pod), matches, "{selector}");
    }
}

#[test]
fn fields_are_matched() {
    let pod = stored(&serde_json::json!({}), "Running");
    for (selector, matches) in [
        ("metadata.name=a\\,b", true),
        ("metadata.name==a\\,b,metadata.namespace=ns", true),
        ("metadata.namespace!=ns", false),
        ("status.phase=Running", true),
        ("status.phase!=Running", false),
        ("spec.nodeName=", true),
        ("spec.nodeName=n1", false),
        ("spec.restartPolicy=Always", true),
    ] {
        assert_eq!(pods("", selector).unwrap().matches(&pod), matches, "{selector}");
    }
    assert!(!Selector::default().named("a").matches(&pod));
    assert!(Selector::default().named("a,b").matches(&pod));
}
