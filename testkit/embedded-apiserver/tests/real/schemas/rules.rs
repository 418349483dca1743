//! Rules of schemas: which definitions are accepted, and what they say to values.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{JSON, MERGE, THINGS, Things, compared, definition, thing};
use crate::support::{DEFINITIONS, Servers, write};

/// A schema of `spec` with one field of each type.
fn schema(rules: &Value) -> Value {
    let text = json!({ "type": "string", "maxLength": 20 });
    json!({ "type": "object", "properties": { "spec": {
        "type": "object", "x-kubernetes-validations": rules, "properties": {
            "s": text, "t": text, "n": { "type": "integer" }, "f": { "type": "number" }, "b": { "type": "boolean" },
            "l": { "type": "array", "maxItems": 5, "items": text },
            "ns": { "type": "array", "maxItems": 5, "items": { "type": "integer" } },
            "m": { "type": "object", "maxProperties": 5, "additionalProperties": text },
            "o": { "type": "object", "properties": { "x": text } },
            "i": { "x-kubernetes-int-or-string": true, "maxLength": 20 },
            "any": { "x-kubernetes-preserve-unknown-fields": true },
            "set": { "type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": text },
            "nn": { "type": "string", "nullable": true, "maxLength": 5 },
            "a-b": text, "un__d": text, "namespace": text,
            "time": { "type": "string", "format": "date-time" },
        },
    } } })
}

/// Rules that both servers refuse or accept alike.
const RULES: [&str; 63] = [
    "self.s > 5",
    "self.s >",
    "self.zz == 1",
    "foo(self.s)",
    "self.s",
    "self.any == 1",
    "self.s == self.n",
    "self.l.all(x, x == 1)",
    "self.l.all(x, x == 'a')",
    "self.n.all(x, true)",
    "type(self.i) == string",
    "type(self.i) == int ? self.i < 5 : self.i.endsWith('%')",
    "self.i == 5",
    "self.nn == null",
    "self.s == null",
    "self.o == null",
    "self.a__dash__b == 'x' && self.un__underscores__d == '' && self.__namespace__ == ''",
    "self.namespace == ''",
    "self['s'] == 'a'",
    "self.n == 1.0",
    "self.n < 1.5",
    "self.n + 1.5 > 2.0",
    "self.f == 1",
    "self.f > 1",
    "self.l[0].matches('(')",
    "self.l[0].matches('^[a-z]+$')",
    "[1, 'a'].size() == 2",
    "dyn(self.s) == 1",
    "self.m.a == 'x'",
    "self.metadata.name == ''",
    "has(self.zz)",
    "has(self.s.x)",
    "has(self.o.x)",
    "has(self.time)",
    "self.s.x == 1",
    "self.s.foo()",
    "format.foo().validate(self.s) == null",
    "self.l.exists_one(x, x == 'a') && self.l.map(x, x.size()).sum() > 1",
    "self.l.filter(x, x != '').size() > 0",
    "math.abs(1) == 1",
    "cel.bind(x, self.s, x == 'a')",
    "size(self) > 1",
    "self.o == oldSelf.o",
    "self.s in ['a', 1]",
    "'a' in self.m && 'b' in self.l && 'c' in self.set",
    "{'a': 1}.a == 1",
    "self.f > 1 ? true : 1",
    "unknown",
    "self.b && self.n",
    "!self.n",
    "!self.b || -self.n < 3",
    "self.l.join(',').size() > 1 && self.s.split(',').size() > 0",
    "self.s.substring(1, 2) == self.s.charAt(1) && self.s.indexOf('a') >= 0",
    "self.s.lowerAscii().upperAscii().trim().replace('a', 'b') != ''",
    "self.ns.min() < self.ns.max() && self.ns.isSorted()",
    "self.l.sum() == 1",
    "sets.contains(self.l, ['a'])",
    "quantity(self.s).isLessThan(quantity('5')) || isQuantity(self.t)",
    "isURL(self.s) || isIP(self.s) || isCIDR(self.s)",
    "self.l + ['a'] == self.l",
    "self.m == {'a': 'b'}",
    "self.s.find('a+') == '' && self.s.findAll('b').size() == 0",
    "self.n / 2 * 3 % 4 - 1 == 0",
];

/// Rules that the real server accepts, and which need what this one does not have.
const LACKING: [(&str, &str); 27] = [
    ("format.byte().validate(self.s) == null", "format.byte"),
    ("format.date().validate(self.s) == null", "format.date"),
    ("format.datetime().validate(self.s) == null", "format.datetime"),
    ("format.dns1035Label().validate(self.s) == null", "format.dns1035Label"),
    ("format.dns1035LabelPrefix().validate(self.s) == null", "format.dns1035LabelPrefix"),
    ("format.dns1123Label().validate(self.s) == null", "format.dns1123Label"),
    ("format.dns1123LabelPrefix().validate(self.s) == null", "format.dns1123LabelPrefix"),
    ("format.dns1123Subdomain().validate(self.s) == null", "format.dns1123Subdomain"),
    ("format.dns1123SubdomainPrefix().validate(self.s) == null", "format.dns1123SubdomainPrefix"),
    ("format.labelValue().validate(self.s) == null", "format.labelValue"),
    ("format.qualifiedName().validate(self.s) == null", "format.qualifiedName"),
    ("format.uri().validate(self.s) == null", "format.uri"),
    ("format.uuid().validate(self.s) == null", "format.uuid"),
    ("self.l.sortBy(x, x) == self.l", "sortBy"),
    ("self.l.all(i, x, x == 'a')", "all"),
    ("self.l.transformList(i, x, x).size() > 0", "transformList"),
    ("self.set == ['a']", "comparison of sets and maps"),
    ("self == oldSelf", "comparison of sets and maps"),
    ("self.l + self.set == self.l", "union of sets and maps"),
    ("self.time < timestamp('2020-01-01T00:00:00Z')", "date-time"),
    ("self.?s.orValue('') == ''", "optional fields"),
    ("self.l.distinct().size() == 1", "distinct"),
    ("strings.quote('a') == ''", "strings.quote"),
    ("b'a' == b'b'", "bytes"),
    ("type(int) == type", "type"),
    ("string(self.b) == 'true'", "string"),
    ("ip(self.s).family() == 4", "ip"),
];

/// What a rule says besides its expression.
fn parts() -> Vec<Value> {
    vec![
        json!({ "rule": "" }),
        json!({ "rule": "true", "message": " " }),
        json!({ "rule": "true", "message": "a\nb" }),
        json!({ "rule": "true\n" }),
        json!({ "rule": "true\n&& true" }),
        json!({ "rule": "true\n&& true", "message": "m" }),
        json!({ "rule": "true", "messageExpression": " " }),
        json!({ "rule": "true", "messageExpression": "1" }),
        json!({ "rule": "true", "messageExpression": "'a' + " }),
        json!({ "rule": "true", "messageExpression": "self.zz" }),
        json!({ "rule": "true", "messageExpression": "'a' + self.s" }),
        json!({ "rule": "true", "reason": "Bad" }),
        json!({ "rule": "true", "reason": "FieldValueForbidden" }),
        json!({ "rule": "true", "fieldPath": "x" }),
        json!({ "rule": "true", "fieldPath": ".s" }),
        json!({ "rule": "true", "fieldPath": ".zz" }),
        json!({ "rule": "true", "fieldPath": ".m.q" }),
        json!({ "rule": "true", "fieldPath": ".m['q']" }),
        json!({ "rule": "true", "fieldPath": ".o['x']" }),
        json!({ "rule": "true", "fieldPath": ".l[0]" }),
        json!({ "rule": "true", "fieldPath": " " }),
        json!({ "rule": "true", "optionalOldSelf": true }),
        json!({ "rule": "oldSelf.hasValue()", "optionalOldSelf": true }),
        json!({ "rule": "oldSelf.s == self.s", "optionalOldSelf": false }),
        json!({ "rule": "self.s > 1", "message": "<m>", "reason": "FieldValueInvalid", "fieldPath": ".s" }),
    ]
}

/// Schemas with rules elsewhere.
fn elsewhere() -> Vec<Value> {
    let rule = |rule: &str| json!([{ "rule": rule }]);
    let field = |field: Value| json!({ "type": "object", "properties": { "a": field } });
    let item = |rules: Value| json!({ "type": "object", "required": ["k"], "x-kubernetes-validations": rules, "properties": { "k": { "type": "string", "maxLength": 5 } } });
    vec![
        json!({ "type": "object", "x-kubernetes-validations": rule("self.metadata.name == 'a' && self.kind != ''") }),
        json!({ "type": "object", "x-kubernetes-validations": rule("self.metadata.labels.size() > 0") }),
        field(
            json!({ "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 5, "x-kubernetes-validations": rule("self == oldSelf") } }),
        ),
        field(
            json!({ "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 5, "x-kubernetes-validations": rule("self != ''") } }),
        ),
        field(
            json!({ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "maxItems": 5, "items": item(rule("self == oldSelf")) }),
        ),
        field(
            json!({ "type": "object", "maxProperties": 5, "additionalProperties": { "type": "integer", "x-kubernetes-validations": rule("self == oldSelf") } }),
        ),
        field(
            json!({ "type": "string", "maxLength": 5, "allOf": [{ "x-kubernetes-validations": rule("self != ''") }] }),
        ),
    ]
}

#[tokio::test]
async fn rules_are_accepted_and_refused_as_by_the_real_server() -> Result<()> {
    let test = "rules_are_accepted_and_refused_as_by_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let with_schema = |schema: &Value| {
        definition(
            &json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }),
        )
    };
    let path = format!("POST {DEFINITIONS}?dryRun=All");
    let rules = RULES.iter().map(|rule| json!({ "rule": rule })).chain(parts());
    let schemas = rules.map(|rule| schema(&json!([rule]))).chain(elsewhere());
    let mut problems = Vec::new();
    for schema in schemas {
        let mut answers = Vec::new();
        for client in [&servers.real, &servers.embedded] {
            let mut answer = compared(write(client, &path, JSON, &with_schema(&schema).to_string()).await?);
            if answer.status == 201 {
                answer.body = Value::Null;
            }
            // What follows tells the place in the rule, and types have names that change.
            let message = answer.body.pointer_mut("/details/causes/0/message");
            if let Some(Value::String(text)) = message
                && let Some(end) = text.find("compilation failed: ")
            {
                text.truncate(end);
                answer.body["message"] = Value::Null;
            }
            answers.push(answer);
        }
        if answers[0] != answers[1] {
            let rules = schema.pointer("/properties/spec/x-kubernetes-validations").unwrap_or(&schema);
            problems.push(format!("{rules}\n  real     {:?}\n  embedded {:?}", answers[0], answers[1]));
        }
    }
    for (rule, what) in LACKING {
        let definition = with_schema(&schema(&json!([{ "rule": rule }]))).to_string();
        let real = write(&servers.real, &path, JSON, &definition).await?;
        let embedded = write(&servers.embedded, &path, JSON, &definition).await?;
        let message = embedded.body["message"].as_str().unwrap_or_default();
        let is_named = message.contains(rule) && message.contains(what);
        if (real.status, embedded.status) != (201, 501) || !is_named {
            problems.push(format!("{rule}\n  real     {real:?}\n  embedded {embedded:?}"));
        }
    }
    ensure!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    servers.stop().await
}

/// One rule for each function, all true.
const CONSTANTS: [&str; 59] = [
    "size('äb') == 2 && 'äb'.size() == 2 && size([1]) == 1 && [1, 2].size() == 2 && size({'a': 1}) == 1",
    "{'a': 1}.size() == 1",
    "string('a') == 'a' && string(-5) == '-5'",
    "int('5') == 5 && int(5) == 5",
    "double(1) == 1.0 && double(1.5) == 1.5",
    "dyn(1) == 1 && type(1) == int && type('a') == string && type([1]) == list && type({'a': 1}) == map",
    "type(true) == bool && type(1.0) == double && type(null) == null_type",
    "'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.contains('b') && !'abc'.contains('x')",
    "'abc'.matches('^a') && matches('abc', 'c$') && 'a<b'.matches('a\\\\<b')",
    "'abcb'.find('b.?') == 'bc' && 'abc'.find('x') == ''",
    "'abcb'.findAll('b') == ['b', 'b'] && 'a'.findAll('x') == []",
    "'aB'.lowerAscii() == 'ab' && 'aB'.upperAscii() == 'AB' && 'äB'.lowerAscii() == 'äb'",
    "' a\\t '.trim() == 'a'",
    "'äbc'.charAt(1) == 'b' && 'abc'.charAt(3) == ''",
    "'a,b,c'.split(',') == ['a', 'b', 'c'] && 'ab'.split('') == ['a', 'b']",
    "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a,b'.split(',', 0) == [] && 'a,b'.split(',', -1) == ['a', 'b']",
    "'aaa'.replace('a', 'b') == 'bbb' && 'aaa'.replace('a', 'b', 2) == 'bba' && 'aaa'.replace('a', 'b', 0) == 'aaa'",
    "'äbc'.substring(1) == 'bc' && 'äbc'.substring(0, 2) == 'äb' && 'abc'.substring(1, 1) == ''",
    "'abcb'.indexOf('b') == 1 && 'abcb'.indexOf('b', 2) == 3 && 'abc'.indexOf('x') == -1 && 'a'.indexOf('') == 0",
    "'abcb'.lastIndexOf('b') == 3 && 'abcb'.lastIndexOf('b', 2) == 1 && 'a'.lastIndexOf('') == 1",
    "'aaa'.replace('a', 'b', -1) == 'bbb' && 'aaa'.replace('', 'b') == 'bababab'",
    "'abcb'.indexOf('b', -1) == 1",
    "'abcb'.indexOf('b', 4) == -1",
    "'abcb'.indexOf('b', 5) == -1",
    "'abcb'.indexOf('', 2) == 2",
    "'abcb'.lastIndexOf('b', -1) == -1",
    "'abcb'.lastIndexOf('b', 3) == 3",
    "'abcb'.lastIndexOf('b', 4) == 3",
    "'abcb'.lastIndexOf('', 9) == 4",
    "'abc'.substring(2, 1) == ''",
    "'abc'.substring(9) == ''",
    "'abc'.charAt(-1) == ''",
    "[9223372036854775807, 1].sum() > 0",
    "isQuantity(' 1 ')",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1",
    "[1, 2].isSorted() && ![2, 1].isSorted() && [1.0, 1.5].isSorted() && [false, true].isSorted()",
    "[1, 2].sum() == 3 && [1.5, 1.0].sum() == 2.5",
    "[2, 1].min() == 1 && [2, 1].max() == 2 && [1.5, 2.5].max() == 2.5",
    "[1.5].min() == 1.5",
    "sets.contains([1, 2], [1]) && sets.contains([], []) && !sets.contains([1], [2])",
    "sets.equivalent([1, 2], [2, 1, 1]) && !sets.equivalent([1], [2])",
    "sets.intersects([1, 2], [2, 3]) && !sets.intersects([1], [])",
    "isURL('http://a/b') && !isURL('a b') && isURL('/x') && !isURL('')",
    "isIP('10.0.0.1') && isIP('::1') && !isIP('10.0.0.01') && !isIP('10.0.0.1/8')",
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && isCIDR('::/0')",
    "isQuantity('1Gi') && !isQuantity('1gi') && isQuantity('1e3') && !isQuantity('')",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1').isLessThan(quantity('1500m'))",
    "quantity('1').compareTo(quantity('1000m')) == 0 && sign(quantity('-1')) == -1",
    "quantity('2').isInteger() && quantity('2k').asInteger() == 2000 && quantity('1500m').asApproximateFloat() == 1.5",
    "quantity('1').add(quantity('1')).compareTo(quantity('2')) == 0 && sign(quantity('1').sub(quantity('3'))) == -1",
    "1 in [1, 2] && 'a' in {'a': 1} && !(3 in [1, 2])",
    "[1] + [2] == [1, 2] && 'a' + 'b' == 'ab' && 7 / 2 == 3 && -7 / 2 == -3 && -7 % 3 == -1 && 7.0 / 2.0 == 3.5",
    "1 < 2 && 1 < 1.5 && 1.5 > 1 && 'a' < 'b' && false < true && 2 >= 2 && 2.0 <= 2",
    "[1, 2].map(x, x * 2) == [2, 4] && [1, 2].map(x, x > 1, x * 2) == [4] && [1, 2].filter(x, x > 1) == [2]",
    "[1, 2].all(x, x > 0) && [1, 2].exists(x, x > 1) && [1, 2].exists_one(x, x > 1) && {'a': 1}.all(k, k == 'a')",
    "[[1], [2]].all(x, x.exists(y, y > 0)) && [0, 1].exists(x, 1 / x > 0) && ![1, 0].all(x, 1 / x > 5)",
    "true || 1 / 0 > 0",
    "1 / 0 > 0 || true",
    "(true ? 1 : 2) == 1 && {'a': {'b': 1}}.a.b == 1 && [1, 2][1] == 2 && {'a': 1}['a'] == 1 && has({'a': 1}.a)",
];

/// Rules and values of `spec`: each is created, and then each follows each.
fn values() -> Vec<(Value, Vec<Value>)> {
    let rule = |rule: &str| json!([{ "rule": rule }]);
    let texts = ["", "a", "aab", "ab,c", "10.0.0.1", "5Gi", "http://a/b"].map(|text| json!({ "s": text }));
    let numbers =
        [json!({}), json!({ "n": 0 }), json!({ "n": 3 }), json!({ "n": -7 }), json!({ "n": i64::MAX })];
    let lists = [json!([]), json!(["a"]), json!(["b", "a"]), json!(["a", "a", "ab"])]
        .map(|list| json!({ "l": list }));
    let either = [json!(1), json!(7), json!("50%"), json!("x")].map(|value| json!({ "i": value }));
    vec![
        (rule("self.n > 1"), numbers.to_vec()),
        (rule("has(self.n) && self.n > 1"), numbers.to_vec()),
        (rule("10 / self.n > 1 || self.n % 2 == 1"), numbers.to_vec()),
        (rule("self.n + 1 > 0 && self.n * 2 < 10"), numbers.to_vec()),
        (rule("self.n < 1.5 || -self.n == -3"), numbers.to_vec()),
        (rule("self.n >= oldSelf.n"), numbers.to_vec()),
        (rule("!has(self.n) || has(oldSelf.n)"), numbers.to_vec()),
        (rule("self.s.size() > 1 && self.s.startsWith('a')"), texts.to_vec()),
        (rule("self.s.matches('^a+b?$')"), texts.to_vec()),
        (rule("self.s.split(',').size() == 2 || self.s.contains('.')"), texts.to_vec()),
        (rule("self.s.find('[a-c]+') == 'a' || self.s.findAll('a').size() == 2"), texts.to_vec()),
        (rule("self.s.charAt(1) == 'a'"), texts.to_vec()),
        (rule("self.s.substring(1) == 'ab'"), texts.to_vec()),
        (rule("self.s.indexOf('b') > 0 && self.s.replace('a', 'c').upperAscii() == 'CCB'"), texts.to_vec()),
        (rule("isIP(self.s) || isURL(self.s)"), texts.to_vec()),
        (rule("isQuantity(self.s) && quantity(self.s).isGreaterThan(quantity('1M'))"), texts.to_vec()),
        (rule("int(self.s) == 1"), texts.to_vec()),
        (rule("string(self.n) == '3'"), numbers.to_vec()),
        (Value::from(CONSTANTS.map(|rule| json!({ "rule": rule })).to_vec()), vec![json!({})]),
        (rule("self.l.all(x, x == 'a')"), lists.to_vec()),
        (rule("self.l.exists(x, x == 'b')"), lists.to_vec()),
        (rule("self.l.exists(x, x.charAt(2) == '') || !self.l.all(x, x.charAt(2) == '')"), lists.to_vec()),
        (rule("self.l.exists_one(x, x == 'a')"), lists.to_vec()),
        (rule("self.l[0] == 'a'"), lists.to_vec()),
        (rule("self.l.map(x, x.size()).sum() == 2"), lists.to_vec()),
        (rule("self.l.filter(x, x != 'a').size() == 1 && self.l.isSorted()"), lists.to_vec()),
        (rule("self.l.join('-') == 'b-a' || 'ab' in self.l"), lists.to_vec()),
        (rule("self.l == ['a'] || self.l + ['c'] == ['c']"), lists.to_vec()),
        (rule("sets.contains(['a', 'b'], self.l)"), lists.to_vec()),
        (rule("self.l.min() == 'a'"), lists.to_vec()),
        (rule("self.l.max() == 'b' || self.l.join() == 'aaab'"), lists.to_vec()),
        (rule("type(self.i) == int ? self.i < 5 : self.i.endsWith('%')"), either.to_vec()),
        (rule("self.i > 5"), either.to_vec()),
        (rule("self.i == 1 || self.i == 'x'"), either.to_vec()),
        (
            rule("self.f > 1.5 || self.f == 0.0"),
            vec![json!({ "f": 1 }), json!({ "f": 2 }), json!({ "f": 0 }), json!({ "f": 1.75 })],
        ),
        (
            rule("'a' in self.m && self.m.a == 'b' && self.m.size() == 1"),
            vec![json!({ "m": {} }), json!({ "m": { "a": "b" } }), json!({ "m": { "a": "b", "c": "d" } })],
        ),
        (
            rule("self.m.all(k, k.size() == 1) && self.m == {'a': 'b'}"),
            vec![json!({ "m": {} }), json!({ "m": { "a": "b" } }), json!({ "m": { "aa": "b" } })],
        ),
        (
            rule("has(self.o.x) && self.o.x == 'a' && self.o == oldSelf.o"),
            vec![json!({}), json!({ "o": {} }), json!({ "o": { "x": "a" } }), json!({ "o": { "x": "b" } })],
        ),
        (
            rule("has(self.nn) && self.nn == 'a'"),
            vec![json!({}), json!({ "nn": null }), json!({ "nn": "a" }), json!({ "nn": "b" })],
        ),
        (
            json!([{ "rule": "self.s == self.t", "message": " no ", "fieldPath": ".t", "reason": "FieldValueForbidden" },
                   { "rule": "self.s == self.t", "reason": "FieldValueRequired", "fieldPath": ".m['x']" },
                   { "rule": "self.s == self.t", "reason": "FieldValueDuplicate" },
                   { "rule": "self.s == self.t", "message": "m", "messageExpression": "'not ' + self.t + ' ' + self.s" },
                   { "rule": "self.s == self.t", "message": "m", "messageExpression": "'a\\nb'" },
                   { "rule": "self.s == self.t", "message": "m", "messageExpression": "self.m.x" }]),
            vec![json!({ "s": "a", "t": "a" }), json!({ "s": "a", "t": "b" })],
        ),
        (
            json!([{ "rule": "oldSelf.hasValue() ? oldSelf.value().s == self.s : self.s == 'a'", "optionalOldSelf": true },
                   { "rule": "oldSelf.orValue(self).s == self.s", "optionalOldSelf": true }]),
            texts.to_vec(),
        ),
        // Objects that are too wrong for rules.
        (
            rule("self.n > 1"),
            vec![json!({ "n": "a" }), json!({ "n": 2 }), json!({ "s": "x".repeat(30), "n": 0 })],
        ),
    ]
}

#[tokio::test]
async fn rules_say_what_they_say_on_the_real_server() -> Result<()> {
    let test = "rules_say_what_they_say_on_the_real_server";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let mut problems = Vec::new();
    for (rules, values) in values() {
        // Half of the objects are stored before there are rules.
        things.change(&open, &Value::Null).await?;
        let old: Vec<String> = (0..values.len()).map(|index| format!("old{index}-{}", things.mark)).collect();
        for (name, spec) in old.iter().zip(&values) {
            let object = thing(name, &json!({ "spec": spec })).to_string();
            problems.extend(things.differ(&format!("POST {THINGS}"), JSON, &object).await?);
        }
        things.change(&schema(&rules), &Value::Null).await?;
        let before = problems.len();
        for (name, of) in old.iter().zip(&values) {
            let create = thing("dry", &json!({ "spec": of })).to_string();
            problems.extend(things.differ(&format!("POST {THINGS}?dryRun=All"), JSON, &create).await?);
            let label = json!({ "metadata": { "labels": { "a": "b" } } }).to_string();
            problems
                .extend(things.differ(&format!("PATCH {THINGS}/{name}?dryRun=All"), MERGE, &label).await?);
            for spec in &values {
                let mut change =
                    json!({ "spec": { "s": null, "t": null, "n": null, "l": null, "i": null, "o": null } });
                for (name, value) in spec.as_object().into_iter().flatten() {
                    change["spec"][name] = value.clone();
                }
                let path = format!("PATCH {THINGS}/{name}?dryRun=All");
                problems.extend(things.differ(&path, MERGE, &change.to_string()).await?);
            }
        }
        if problems.len() > before {
            problems.insert(before, rules.to_string());
        }
    }
    ensure!(things.accepted > 0, "nothing was accepted");
    ensure!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}

/// Rules below the spec: in lists, maps and the root, and on the status.
#[tokio::test]
async fn rules_are_evaluated_where_the_real_server_does() -> Result<()> {
    let test = "rules_are_evaluated_where_the_real_server_does";
    let Some(mut things) = Things::define(test).await? else { return Ok(()) };
    let rule = |rule: &str| json!([{ "rule": rule }]);
    let item = json!({ "type": "object", "required": ["k"], "properties": {
        "k": { "type": "string", "maxLength": 5 }, "v": { "type": "integer", "x-kubernetes-validations": rule("self >= oldSelf") } },
        "x-kubernetes-validations": rule("!has(self.v) || self.v < 5") });
    let schema = json!({ "type": "object",
        "x-kubernetes-validations": rule("self.metadata.name.startsWith('r') || self.metadata.name == 'probe'"),
        "properties": {
            "spec": { "type": "object", "properties": {
                "map": { "type": "array", "maxItems": 5, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": item },
                "list": { "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 5, "x-kubernetes-validations": rule("self != 'x'") } },
                "of": { "type": "object", "maxProperties": 5, "additionalProperties": { "type": "integer", "x-kubernetes-validations": rule("self > 0") } },
            } },
            "status": { "type": "object", "properties": { "n": { "type": "integer" } }, "x-kubernetes-validations": rule("self.n < 3") },
        } });
    let specs = [
        json!({ "map": [{ "k": "a", "v": 1 }, { "k": "b", "v": 4 }] }),
        json!({ "map": [{ "k": "b", "v": 3 }, { "k": "a", "v": 1 }] }),
        json!({ "map": [{ "k": "a", "v": 9 }, { "k": "c" }] }),
        json!({ "list": ["a", "x"], "of": { "a": 1, "b": 0 } }),
        json!({ "list": ["x", "a"], "of": { "b": 0 } }),
        json!({ "list": null, "map": null, "of": { "b": -1 } }),
    ];
    let mut problems = Vec::new();
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    things.change(&open, &json!({ "subresources": { "status": {} } })).await?;
    for (index, spec) in specs.iter().enumerate() {
        let object = thing(&format!("r{index}"), &json!({ "spec": spec })).to_string();
        problems.extend(things.differ(&format!("POST {THINGS}"), JSON, &object).await?);
        let status = json!({ "status": { "n": index } }).to_string();
        problems.extend(things.differ(&format!("PATCH {THINGS}/r{index}/status"), MERGE, &status).await?);
    }
    things.change(&schema, &json!({ "subresources": { "status": {} } })).await?;
    for (index, spec) in specs.iter().enumerate() {
        for name in ["x", "r"] {
            let create = thing(name, &json!({ "spec": spec })).to_string();
            problems.extend(things.differ(&format!("POST {THINGS}?dryRun=All"), JSON, &create).await?);
        }
        let path = format!("PATCH {THINGS}/r{index}");
        for spec in &specs {
            let change = json!({ "spec": spec }).to_string();
            problems.extend(things.differ(&format!("{path}?dryRun=All"), MERGE, &change).await?);
        }
        for n in [1, 3, 5] {
            let change = json!({ "status": { "n": n } }).to_string();
            problems.extend(things.differ(&format!("{path}/status?dryRun=All"), MERGE, &change).await?);
        }
    }
    ensure!(things.accepted > 0, "nothing was accepted");
    ensure!(problems.is_empty(), "{} of them:\n{}", problems.len(), problems.join("\n"));
    things.servers.stop().await
}
