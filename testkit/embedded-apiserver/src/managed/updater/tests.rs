use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::managed::types::{Definition, Field, List, Map, Reference, Scalar, Schema};

/// What the tests of structured-merge-diff do, done in Go and here.
#[test]
#[ignore = "compares with Go: `cargo xtask e2e` runs it"]
fn the_cases_of_structured_merge_diff_come_out_as_in_go() {
    let fixture = include_str!("../../../testdata/structured_merge_diff_export.go");
    let edits = [
        test_cluster::Edit {
            file: "internal/fixture/state.go",
            replaced: &[
                ("func (s *State) UpdateObject(", "func (s *State) updateObject("),
                ("func (s *State) ApplyObject(", "func (s *State) applyObject("),
            ],
        },
        // Go takes the versions in any order, which makes a difference to what is converted.
        test_cluster::Edit {
            file: "merge/update.go",
            replaced: &[
                ("import (", "import (\n\"maps\"\n\"slices\""),
                (
                    "for version, managed := range managedAtVersion {",
                    "for _, version := range slices.Sorted(maps.Keys(managedAtVersion)) {\n\
                     managed := managedAtVersion[version]",
                ),
            ],
        },
    ];
    let package = "sigs.k8s.io/structured-merge-diff/v6/merge";
    let cases = test_cluster::exported_by_tests(package, fixture, "internal/fixture", &edits).unwrap();
    let mut schemas: HashMap<u64, &'static Schema> = HashMap::new();
    let mut count = 0;
    let mut problems = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if let Some(types) = case["types"].as_array() {
            schemas.insert(case["number"].as_u64().unwrap(), Box::leak(Box::new(schema(types))));
            continue;
        }
        count += 1;
        let ours = outcome(&case, schemas[&case["schema"].as_u64().unwrap()]);
        let theirs = expected(&case);
        if ours != theirs {
            problems.push(format!("{case}\n  Go   {theirs}\n  ours {ours}"));
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {count} differ:\n{}",
        problems.len(),
        problems[..problems.len().min(3)].join("\n")
    );
    assert!(count > 1000, "{count}");
}

fn expected(case: &Value) -> Value {
    let mut conflicts: Vec<Value> = case["conflicts"].as_array().cloned().unwrap_or_default();
    conflicts.sort_by_key(Value::to_string);
    match (conflicts.as_slice(), &case["error"]) {
        ([], Value::Null) => json!({ "live": case["liveAfter"]["value"], "managers": case["managersAfter"] }),
        ([], error) => json!({ "error": error }),
        _ => json!({ "conflicts": conflicts }),
    }
}

fn outcome(case: &Value, schema: &'static Schema) -> Value {
    let typed = |object: &Value| -> Typed<'static> {
        let of: &'static Reference = Box::leak(Box::new(reference(&object["type"])));
        Typed::new(object["value"].clone(), schema.of(of))
    };
    let text = |name: &str| case[name].as_str().unwrap();
    let versions = Recorded { case, typed: &typed };
    let updater = Updater { versions: &versions, manager: text("manager"), version: text("version") };
    let managers = case["managers"].as_object().unwrap().iter().map(|(manager, owned)| {
        let owned = Owned {
            set: Set::parse(&owned["set"]).unwrap(),
            version: owned["version"].as_str().unwrap().to_owned(),
            applied: owned["applied"].as_bool().unwrap(),
        };
        (manager.clone(), owned)
    });
    let managers = managers.collect();
    let object = typed(&case["object"]);
    let run = || -> Result<(Typed<'_>, Managers), Failure> {
        let live = versions.convert(&typed(&case["live"]), updater.version)?.unwrap();
        if text("operation") == "Update" {
            let managers = updater.update(&live, &object, &managers)?;
            return Ok((object, managers));
        }
        let (new, managers) = updater.apply(&live, &object, &managers, case["force"] == true)?;
        Ok((new.unwrap_or(live), managers))
    };
    match run() {
        Ok((live, managers)) => {
            let managers = managers.into_iter().map(|(manager, owned)| {
                let Owned { set, version, applied } = owned;
                (manager, json!({ "set": set.encoded(), "version": version, "applied": applied }))
            });
            json!({ "live": *live.value, "managers": managers.collect::<serde_json::Map<_, _>>() })
        }
        Err(Failure::Problem(problem)) => json!({ "error": problem }),
        Err(Failure::Conflicts(conflicts)) => {
            let conflicts =
                conflicts.iter().map(|conflict| json!([conflict.manager, element::printed(&conflict.path)]));
            let mut conflicts: Vec<Value> = conflicts.collect();
            conflicts.sort_by_key(Value::to_string);
            json!({ "conflicts": conflicts })
        }
    }
}

/// The conversions and filterings that Go did.
struct Recorded<'c, F> {
    case: &'c Value,
    typed: &'c F,
}

impl<F: Fn(&Value) -> Typed<'static>> Versions<'static> for Recorded<'_, F> {
    fn convert(&self, object: &Typed<'static>, version: &str) -> Result<Option<Typed<'static>>, String> {
        let conversions = self.case["conversions"].as_array().unwrap();
        let is_it = |conversion: &&Value| {
            conversion["version"] == version && element::equal(&conversion["from"]["value"], &object.value)
        };
        if let Some(conversion) = conversions.iter().find(is_it) {
            return match &conversion["to"] {
                Value::Null if conversion["missing"] == true => Ok(None),
                Value::Null => Err(conversion["error"].to_string()),
                to => Ok(Some((self.typed)(to))),
            };
        }
        if conversions.iter().all(|conversion| conversion["from"] == conversion["to"]) {
            return Ok(Some(object.clone()));
        }
        Err(format!("Go did not convert {} to {version}", object.value))
    }

    fn written(&self, version: &str, set: Set) -> Set {
        if let Some(filterings) = self.case["filterings"].as_array() {
            let encoded = set.encoded();
            let mut filterings = filterings.iter().filter(|filtering| filtering["version"] == version);
            let filtering = filterings.find(|filtering| filtering["from"] == encoded);
            return filtering.map_or(set, |filtering| Set::parse(&filtering["to"]).unwrap());
        }
        match &self.case["ignored"][version] {
            Value::Null => set,
            ignored => set.recursive_difference(&Set::parse(ignored).unwrap()),
        }
    }
}

fn schema(types: &[Value]) -> Schema {
    let types = types.iter().map(|of| (of["name"].as_str().unwrap().to_owned(), definition(of)));
    Schema { types: types.collect() }
}

fn reference(of: &Value) -> Reference {
    match &of["namedType"] {
        Value::String(name) => {
            let atomic = of["elementRelationship"].as_str().map(|relationship| relationship == "atomic");
            Reference::Named { name: name.clone(), atomic }
        }
        _ if ["scalar", "list", "map"].iter().all(|sort| of[sort].is_null()) => Reference::Nothing,
        _ => {
            let mut definition = definition(of);
            // Maps come first, as with named types.
            if let Some(relationship) = of["elementRelationship"].as_str() {
                let atomic = relationship == "atomic";
                match (&mut definition.map, &mut definition.list) {
                    (Some(map), _) => map.atomic = atomic,
                    (None, Some(list)) => list.atomic = atomic,
                    (None, None) => {}
                }
            }
            Reference::Inline(Box::new(definition))
        }
    }
}

fn definition(of: &Value) -> Definition {
    let scalar = of["scalar"].as_str().map(|scalar| match scalar {
        "numeric" => Scalar::Numeric,
        "string" => Scalar::String,
        "boolean" => Scalar::Boolean,
        _ => Scalar::Untyped,
    });
    let list = of["list"].as_object().map(|list| {
        let list = Value::Object(list.clone());
        let keys = list["keys"].as_array().into_iter().flatten();
        List {
            items: reference(&list["elementType"]),
            atomic: list["elementRelationship"] == "atomic",
            keys: keys.map(|key| key.as_str().unwrap().to_owned()).collect(),
        }
    });
    let map = of["map"].as_object().map(|map| {
        let map = Value::Object(map.clone());
        let fields = map["fields"].as_array().into_iter().flatten().map(|field| {
            let default = Some(field["default"].clone()).filter(|default| !default.is_null());
            (field["name"].as_str().unwrap().to_owned(), Field { of: reference(&field["type"]), default })
        });
        Map {
            fields: fields.collect(),
            values: reference(&map["elementType"]),
            atomic: map["elementRelationship"] == "atomic",
        }
    });
    Definition { scalar, list, map }
}
