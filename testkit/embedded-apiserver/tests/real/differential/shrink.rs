//! Makes a failing round smaller, as long as it still fails.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::Value;

use super::answers::{Write, answer};
use super::builtin;
use super::custom::Slot;
use super::plan::{Difference, Round};

/// How often it is tried to make a round smaller.
const ATTEMPTS: usize = 300;

/// A round that can be repeated.
#[derive(Clone)]
struct Attempt {
    /// Null for built-in kinds.
    schemas: [Value; 2],
    writes: [Vec<Write>; 2],
}

impl Attempt {
    /// Runs it with an object of that name. Returns the first difference.
    async fn run(&self, slot: &mut Slot<'_>, collection: &str, name: &str) -> Result<Option<Difference>> {
        for (schema, writes) in self.schemas.iter().zip(&self.writes) {
            if !schema.is_null() && slot.change(schema).await? != Ok(true) {
                return Ok(None);
            }
            for write in writes {
                let real = answer(&slot.servers.real, collection, name, write).await?;
                let embedded = answer(&slot.servers.embedded, collection, name, write).await?;
                if real != embedded && !builtin::is_unchecked(collection, &real, &embedded) {
                    return Ok(Some(Difference::of(&real, &embedded)));
                }
            }
        }
        Ok(None)
    }

    /// Everything that is a bit smaller.
    fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for stage in [0, 1] {
            for index in 0..self.writes[stage].len() {
                let mut smaller = self.clone();
                smaller.writes[stage].remove(index);
                found.push(smaller);
                for body in parts_removed(&self.writes[stage][index].body) {
                    let mut smaller = self.clone();
                    smaller.writes[stage][index].body = body;
                    found.push(smaller);
                }
            }
            for schema in parts_removed(&self.schemas[stage]) {
                let mut smaller = self.clone();
                smaller.schemas[stage] = schema;
                found.push(smaller);
            }
        }
        found
    }
}

/// The value without one of its members or items, the largest first.
fn parts_removed(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for name in
                members.keys().filter(|name| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"))
            {
                let mut smaller = members.clone();
                smaller.remove(name);
                found.push(smaller.into());
            }
            for (name, part) in members {
                for part in parts_removed(part) {
                    let mut smaller = members.clone();
                    smaller.insert(name.clone(), part);
                    found.push(smaller.into());
                }
            }
        }
        Value::Array(items) => {
            for index in 0..items.len() {
                let mut smaller = items.clone();
                smaller.remove(index);
                found.push(smaller.into());
            }
            for (index, part) in items.iter().enumerate() {
                for part in parts_removed(part) {
                    let mut smaller = items.clone();
                    smaller[index] = part;
                    found.push(smaller.into());
                }
            }
        }
        _ => {}
    }
    found
}

/// Tells the smallest round that differs as this one does.
pub(super) async fn shrink(slot: &mut Slot<'_>, round: &Round, schemas: &[Value; 2]) -> Result<String> {
    let mut smallest = Attempt { schemas: schemas.clone(), writes: round.writes.clone() };
    let Some(mut differs) = round.differs.clone() else { return Ok(String::new()) };
    let mut attempts = 0;
    'smaller: loop {
        for smaller in smallest.smaller() {
            attempts += 1;
            if attempts > ATTEMPTS {
                break 'smaller;
            }
            let name = format!("{}-{attempts}", round.name);
            let found = smaller.run(slot, &round.collection, &name).await?;
            // Not by another mistake, such as one that comes of making it smaller.
            if let Some(found) = found.filter(|found| found.statuses == differs.statuses) {
                (smallest, differs) = (smaller, found);
                continue 'smaller;
            }
        }
        break;
    }
    let mut told = format!("{}, made smaller in {attempts} attempts:\n", round.collection);
    for (schema, writes) in smallest.schemas.iter().zip(&smallest.writes) {
        if !schema.is_null() {
            writeln!(told, "  schema {schema}")?;
        }
        for write in writes {
            writeln!(told, "  {} {} {} {}", write.method, write.query, write.media_type, write.body)?;
        }
    }
    told.push_str(&differs.told);
    Ok(told)
}
