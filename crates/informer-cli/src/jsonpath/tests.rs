use serde_json::{Value, json};

use super::*;

fn printed(template: &str, document: &Value) -> String {
    Template::parse(template).unwrap().print(document).unwrap()
}

fn list() -> Value {
    json!({ "kind": "List", "items": [
        { "metadata": { "name": "web-0", "labels": { "app.kubernetes.io/name": "web", "tier": "front" } },
          "spec": { "replicas": 3, "ratio": 0.5, "on": true, "containers": [{ "name": "a", "image": "x" }, { "name": "b", "image": "y" }] },
          "status": { "conditions": [{ "type": "Ready", "status": "True" }, { "type": "Live", "status": "False" }] } },
        { "metadata": { "name": "web-1", "labels": {} },
          "spec": { "replicas": 10, "on": false, "containers": [{ "name": "a", "image": "z" }] } },
    ] })
}

#[test]
fn paths_lead_to_values() {
    let cases = [
        ("{.kind}", "List"),
        ("{$.kind}{@.kind}", "ListList"),
        ("{ .kind }", "List"),
        ("{.no.such.field}", ""),
        ("{.kind.no}", ""),
        ("{.items[*].metadata.name}", "web-0 web-1"),
        ("{.items.*.metadata.name}", ""),
        ("{.items[0].metadata.name}", "web-0"),
        ("{.items[-1].metadata.name}", "web-1"),
        ("{.items[-2].metadata.name}", "web-0"),
        ("{.items[0:1].metadata.name}", "web-0"),
        ("{.items[:].metadata.name}", "web-0 web-1"),
        ("{.items[1:].metadata.name}", "web-1"),
        ("{.items[::2].metadata.name}", "web-0"),
        ("{.items[0:0].metadata.name}", ""),
        ("{.items[:-1].metadata.name}", "web-0"),
        ("{.items[0,1].metadata.name}", "web-0 web-1"),
        ("{.items[1,0].metadata.name}", "web-1 web-0"),
        ("{.items[0].spec['replicas','on']}", "3 true"),
        ("{.items[0]['metadata']['name']}", "web-0"),
        ("{.items[0][\"metadata\"].name}", "web-0"),
        (r"{.items[0].metadata.labels.app\.kubernetes\.io/name}", "web"),
        (r"{.items[0].metadata.labels['app\.kubernetes\.io/name']}", "web"),
        ("{.items[0].metadata.labels['app.kubernetes.io/name']}", "web"),
        ("{..name}", "web-0 a b web-1 a"),
        ("{.items[0]..image}", "x y"),
        ("{.items[*].spec.containers[*].image}", "x y z"),
        (
            "{.items[0].spec.*}",
            "[{\"image\":\"x\",\"name\":\"a\"},{\"image\":\"y\",\"name\":\"b\"}] true 0.5 3",
        ),
        ("{.items[*].spec.replicas}", "3 10"),
        ("{.items[0].spec.ratio}", "0.5"),
        ("{.items[1].metadata}", "{\"labels\":{},\"name\":\"web-1\"}"),
    ];
    for (template, wanted) in cases {
        let wanted = if template == "{.items.*.metadata.name}" { "web-0 web-1" } else { wanted };
        assert_eq!(printed(template, &list()), wanted, "{template}");
    }
    assert_eq!(printed("{.}", &json!({ "a": 1 })), "{\"a\":1}");
    assert_eq!(printed("{@}", &json!([1, 2])), "[1,2]");
    assert_eq!(printed("{.[0]}", &json!(["x"])), "x");
}

#[test]
fn filters_choose_elements() {
    let cases = [
        (r#"{.items[?(@.metadata.name=="web-1")].spec.replicas}"#, "10"),
        (r#"{.items[?(@.metadata.name!="web-1")].spec.replicas}"#, "3"),
        (r#"{.items[?(.metadata.name == 'web-1')].spec.replicas}"#, "10"),
        ("{.items[?(@.spec.replicas>3)].metadata.name}", "web-1"),
        ("{.items[?(@.spec.replicas>=3)].metadata.name}", "web-0 web-1"),
        ("{.items[?(@.spec.replicas<10)].metadata.name}", "web-0"),
        ("{.items[?(@.spec.replicas<=2.5)].metadata.name}", ""),
        ("{.items[?(@.spec.on==true)].metadata.name}", "web-0"),
        ("{.items[?(@.status)].metadata.name}", "web-0"),
        ("{.items[?(@.status.conditions[0].type=='Ready')].metadata.name}", "web-0"),
        (r#"{.items[*].status.conditions[?(@.type=="Live")].status}"#, "False"),
        (r#"{.items[?(@.metadata.labels.tier=="a)]b")].metadata.name}"#, ""),
        (r#"{.items[?(@.metadata.labels.app\.kubernetes\.io/name=="web")].metadata.name}"#, "web-0"),
        ("{.items[?(@.spec.replicas==@.spec.replicas)].metadata.name}", "web-0 web-1"),
        (r#"{.items[?("web-0"==@.metadata.name)].metadata.name}"#, "web-0"),
    ];
    for (template, wanted) in cases {
        assert_eq!(printed(template, &list()), wanted, "{template}");
    }
}

#[test]
fn ranges_repeat_and_texts_stay() {
    let cases = [
        ("plain", "plain"),
        ("", ""),
        ("a } b", "a } b"),
        ("name: {.items[0].metadata.name}\n", "name: web-0\n"),
        (r#"{range .items[*]}{.metadata.name}{"\t"}{.spec.replicas}{"\n"}{end}"#, "web-0\t3\nweb-1\t10\n"),
        (
            r#"{range .items[*]}{.metadata.name}:{range .spec.containers[*]} {.image}{end};{end}."#,
            "web-0: x y;web-1: z;.",
        ),
        (r#"{range .items[*]}[{.metadata.name}, {.spec.on}] {end}"#, "[web-0, true] [web-1, false] "),
        ("{range .no[*]}x{end}y", "y"),
        ("{range .items[*]}{.metadata.name} ", "web-0 web-1 "),
        (r#"{'single'}{"dou\"ble"}{"\\"}{"☃"}"#, "singledou\"ble\\☃"),
        ("{1}{-2.5}{true}", "1-2.5true"),
    ];
    for (template, wanted) in cases {
        assert_eq!(printed(template, &list()), wanted, "{template}");
    }
}

#[test]
fn values_are_written_as_go_writes_them() {
    let odd = json!({ "html": { "a": "<b> & c" }, "text": "<b> & c", "one": 1.0, "list": [1.0, 1.5, null], "null": null,
        "big": 1234567890123_i64 });
    assert_eq!(printed("{.html}", &odd), r#"{"a":"\u003cb\u003e \u0026 c"}"#);
    assert_eq!(printed("{.text}", &odd), "<b> & c");
    assert_eq!(printed("{.one} {.list} {.null} {.big}", &odd), "1 [1,1.5,null] null 1234567890123");
    assert_eq!(
        go_text(&json!({ "b": [1, "x", null], "a": { "c": true } })),
        "map[a:map[c:true] b:[1 x <nil>]]"
    );
    let template = Template::parse("{.list}{.no}").unwrap();
    assert_eq!(
        template.print_json(&odd).unwrap(),
        "[\n    [\n        1,\n        1.5,\n        null\n    ]\n]\n[]\n"
    );
}

#[test]
fn what_a_document_says_cannot_control_a_terminal() {
    let hostile = json!({ "a": "x\u{1b}[2J\u{202e}\r\ny\tz", "b": { "\u{9b}": "\u{1b}\u{2028}" } });
    assert_eq!(
        printed("{.a}{\"\\r\"}", &hostile),
        "x\\u{1b}[2J\\u{202e}\\r\ny\tz\r",
        "the template's own text stays"
    );
    assert_eq!(printed("{.b}", &hostile), r#"{"\u009b":"\u001b\u2028"}"#);
}

#[test]
fn syntax_that_is_not_understood_is_refused_with_what_to_write() {
    let cases = [
        ("{", "a brace { is not closed"),
        ("{.a", "a brace { is not closed"),
        ("{name}", "did you mean {.name}?"),
        ("{end}", "{end} without {range}"),
        ("{.a}{end}", "{end} without {range}"),
        ("{.a[}", "a bracket [ is not closed"),
        ("{.a[]}", "[*] means all"),
        ("{.a[Ready]}", "[Ready] is no index"),
        ("{.a[1:2:3:4]}", "is no index"),
        ("{.a[::0]}", "at least 1"),
        ("{.a['b}", "a quote in a bracket is not closed"),
        ("{\"a}", "a text is not closed"),
        ("{\"\\q\"}", "\\q is no escape"),
        ("{.a...b}", "only once"),
        ("{.a \"b\"}", "one path or one text"),
        ("{.a, .b}", "one path or one text"),
        ("{.a[?(@.b=~\"c\")]}", "not with =~"),
        ("{.a[?(@.b=\"c\")]}", "not with ="),
        ("{.a[?(@.b==c)]}", "a text has quotes"),
        ("{.a[?(@.b==\"c\" && @.d)]}", "&& and ||"),
        ("{.a[?(@.b==\"c\")}", "expected )]"),
        ("{.a[?(@.b==)]}", "compares a path with a value"),
        ("{.a[?(@.b", "not closed with )]"),
        ("{1.2.3}", "is not a number"),
        ("{.a\\", "a backslash at the end"),
        ("{(@.length-1)}", "one path or one text"),
    ];
    for (template, wanted) in cases {
        let error = Template::parse(template).unwrap_err();
        assert!(error.contains(wanted), "{template}: {error}");
    }
}

#[test]
fn a_path_that_does_not_fit_the_document_says_why() {
    let cases = [
        ("{.items[5]}", "index 5 is outside of a list of 2"),
        ("{.items[-3]}", "index -1 is outside of a list of 2"),
        ("{.items[0:3]}", "index 2 is outside of a list of 2"),
        ("{.items[1:0]}", "begins at 1"),
        ("{.kind[0]}", "a text is not a list and has no elements"),
        ("{.items[0].metadata[*]}", "an object is not a list"),
        ("{.items[0].metadata[?(@.a)]}", "cannot be filtered"),
        ("{.items[?(@.metadata.name>3)]}", "a text cannot be compared with a number"),
        ("{.items[?(@.spec.containers[*].name==\"a\")]}", "there are several"),
    ];
    for (template, wanted) in cases {
        let error = Template::parse(template).unwrap().print(&list()).unwrap_err();
        assert!(error.contains(wanted), "{template}: {error}");
    }
}

#[test]
fn a_path_alone_needs_no_braces_and_no_dot() {
    let wanted = Path::parse("{.metadata.name}").unwrap();
    for text in [".metadata.name", "metadata.name", "{metadata.name}", " .metadata.name "] {
        assert_eq!(Path::parse(text).unwrap(), wanted, "{text}");
    }
    let object = json!({ "a": [{ "b": 1 }, { "b": 2 }] });
    assert_eq!(Path::parse("a[*].b").unwrap().found(&object), [&json!(1), &json!(2)]);
    assert!(Path::parse("a[7]").unwrap().found(&object).is_empty(), "what does not fit is not there");
    for (text, wanted) in
        [("", "empty"), ("{}", "empty"), ("{.a}{.b}", "does not belong"), ("a b", "does not belong")]
    {
        let error = Path::parse(text).unwrap_err();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}
