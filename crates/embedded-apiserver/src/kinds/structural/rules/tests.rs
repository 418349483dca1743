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
    for rule in
        ["self.s >", "self.zz == 1", "self.s == 1", "self.s", "foo()", "self.l.all(x, x > 1)", "1 in self.l"]
    {
        assert!(refused(rule), "{rule}");
    }
    let lacking = |rule: &str| lacking(&with_rules(&[rule])).unwrap_or_default();
    for (rule, what) in [
        ("self.l.sortBy(x, x) == self.l", "sortBy"),
        ("self.l.all(i, x, x == '')", "all"),
        ("self.set == ['a']", "comparison of sets"),
        ("self == oldSelf", "comparison of sets"),
        ("self.time < timestamp('2020-01-01T00:00:00Z')", "date-time"),
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
