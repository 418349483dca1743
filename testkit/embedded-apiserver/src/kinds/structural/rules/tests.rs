use serde_json::{Value, json};

use super::*;

fn node(schema: Value) -> Node {
    serde_json::from_value(schema).unwrap()
}

fn with_rules(rules: &[&str]) -> Node {
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    node(json!({ "type": "object", "x-kubernetes-validations": rules, "properties": {
        "s": { "type": "string" }, "n": { "type": "integer" }, "l": { "type": "array", "items": { "type": "string" } },
        "set": { "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } },
        "time": { "type": "string", "format": "date-time" },
    } }))
}

#[test]
fn rules_are_refused_when_they_are_written() {
    let refused = |rule: &str| check(&with_rules(&[rule]), "s").len() == 1;
    for rule in [
        "self.s >",
        "self.zz == 1",
        "self.s == 1",
        "self.s",
        "foo()",
        "self.l.all(x, x > 1)",
        "1 in self.l",
        "format.foo()",
    ] {
        assert!(refused(rule), "{rule}");
    }
    let lacking = |rule: &str| lacking(&with_rules(&[rule])).unwrap_or_default();
    for (rule, what) in [
        ("self.l.sortBy(x, x) == self.l", "sortBy"),
        ("self.l.all(i, x, x == '')", "all"),
        ("self.set == ['a']", "comparison of sets"),
        ("self == oldSelf", "comparison of sets"),
        ("self.time < timestamp('2020-01-01T00:00:00Z')", "date-time"),
        ("format.dns1123Label().validate(self.s) == null", "format.dns1123Label"),
        ("!format.qualifiedName().validate(self.s).hasValue()", "format.qualifiedName"),
        ("self.s.matches(r'^\\pL{1000}$')", "regular expressions as large as"),
    ] {
        assert!(
            !refused(rule) && lacking(rule).contains(what) && lacking(rule).contains(rule),
            "{}",
            lacking(rule)
        );
    }
    for rule in
        ["self.s.size() < 5", "has(self.time)", "'a' in self.set", "self.l.exists(x, x.startsWith(self.s))"]
    {
        assert!(!refused(rule) && lacking(rule).is_empty(), "{rule}: {}", lacking(rule));
    }
}

#[test]
fn rules_are_evaluated() {
    let root = with_rules(&["self.n > 1", "self.n >= oldSelf.n"]);
    let rules = Rules::read(&root).unwrap();
    let told = |new: Value, old: Option<Value>| {
        let findings = rules.validate(&root, &new, old.as_ref());
        let causes = findings.causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message));
        causes
            .chain(findings.warnings.iter().map(|warning| format!("warning: {warning}")))
            .collect::<Vec<_>>()
    };
    assert!(told(json!({ "n": 2 }), None).is_empty());
    assert_eq!(told(json!({ "n": 1 }), None), ["<nil>: Invalid value: failed rule: self.n > 1"]);
    assert_eq!(told(json!({ "n": 2 }), Some(json!({ "n": 3 }))).len(), 1);
    assert_eq!(
        told(json!({}), None),
        ["<nil>: Invalid value: \"object\": no such key: n evaluating rule: self.n > 1"]
    );
    let same = json!({ "n": 1 });
    assert_eq!(told(same.clone(), Some(same)), ["warning: <nil>: Invalid value: failed rule: self.n > 1"]);
}

#[test]
fn no_rule_and_no_value_is_too_much() {
    let long = |count: usize| format!("self.n > {}", vec!["1"; count].join(" + "));
    assert!(lacking(&with_rules(&[&long(1_000)])).unwrap_or_default().contains("operators"));
    assert!(lacking(&with_rules(&["self.l.all(x, x == '+.+.+')"])).is_none());
    let told = |rule: &str, value: Value| {
        let root =
            node(json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }], "properties": {
            "s": { "type": "string" }, "n": { "type": "integer" },
            "l": { "type": "array", "items": { "type": "integer" } },
        } }));
        assert!(check(&root, "s").is_empty() && lacking(&root).is_none(), "{rule}");
        let findings = Rules::read(&root).unwrap().validate(&root, &value, None);
        findings.causes.iter().map(|cause| cause.message.clone()).collect::<Vec<_>>()
    };
    // As deep as a rule can be.
    assert_eq!(told(&long(190), json!({ "n": 1_000 })), Vec::<String>::new());
    let big = json!({ "l": [i64::MAX, 1] });
    assert!(told("self.l.sum() > 0", big)[0].contains("integer overflow"));
    for (text, is_one) in [("1", true), ("1e3", true), (" 1 ", false), ("one", false), ("1e39", true)] {
        assert_eq!(told("isQuantity(self.s)", json!({ "s": text })).is_empty(), is_one, "{text}");
    }
    let less = "quantity(self.s).isLessThan(quantity('1Ei'))";
    assert_eq!(told(less, json!({ "s": "1.5Gi" })), Vec::<String>::new());
    assert_eq!(told(less, json!({ "s": "0.000000001" })), Vec::<String>::new());
    for text in ["1e39", "1e999999999999999999999", "99999999999999999999999999999999999999999999", "1e-300"]
    {
        assert_eq!(told(less, json!({ "s": text })).len(), 1, "{text}");
    }
    // Errors of items in items: one more is as long as four of those before.
    let nested = (0..20).fold("self.l[9] > 0".to_owned(), |inner, n| format!("[1].all(x{n}, {inner})"));
    assert_eq!(told(&nested, json!({ "l": [1] })).len(), 1);
}

#[test]
fn many_unchanged_items_that_break_a_rule_are_compared_once() {
    let item = json!({ "type": "integer", "x-kubernetes-validations": [{ "rule": "self > 5" }] });
    let root = node(json!({ "type": "object", "properties": { "l": { "type": "array", "items": item } } }));
    let rules = Rules::read(&root).unwrap();
    let value = json!({ "l": vec![1; 20_000] });
    let findings = rules.validate(&root, &value, Some(&value));
    assert_eq!((findings.causes.len(), findings.warnings.len()), (0, 20_000));
}
