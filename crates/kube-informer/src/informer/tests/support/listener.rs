//! A handler that checks what it hears: a legal history per key.

use std::collections::HashMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use crate::handler::Event;
use crate::object::Object;

/// What one handler has been told, and whether it was legal.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<Heard>>);

#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) knows: HashMap<String, Object<ConfigMap>>,
    pub(crate) log: Vec<String>,
    pub(crate) calls: usize,
    /// The first thing that was not legal.
    pub(crate) wrong: Option<String>,
    removed: bool,
}

impl Listener {
    pub(crate) fn hear(&self, event: &Event<ConfigMap>) {
        let mut heard = self.0.lock();
        heard.calls += 1;
        if heard.removed {
            heard.wrong.get_or_insert(format!("{event:?} after removal"));
        }
        let wrong = match event {
            Event::Added { object, initial } => {
                heard.log.push(format!("add {}{}", version(object), if *initial { " initial" } else { "" }));
                let before = heard.knows.insert(object.key().to_string(), object.clone());
                before.map(|before| format!("{object} added over {}", version(&before)))
            }
            Event::Updated { old, new, resync } => {
                let tail = if *resync { " resync" } else { "" };
                heard.log.push(format!("update {} {}{tail}", version(old), new.resource_version()));
                match heard.knows.insert(new.key().to_string(), new.clone()) {
                    None => Some(format!("{new} updated but never added")),
                    Some(before) if !same(&before, old) => {
                        Some(format!("{} is not what was told last, {}", version(old), version(&before)))
                    }
                    Some(_) if old.uid() != new.uid() => Some(format!("{new} updated across uids")),
                    Some(_) => None,
                }
            }
            Event::Deleted { object, final_state_known } => {
                let tail = if *final_state_known { "" } else { " guessed" };
                heard.log.push(format!("delete {}{tail}", version(object)));
                match heard.knows.remove(&object.key().to_string()) {
                    None => Some(format!("{object} deleted but never added")),
                    Some(before) if before.uid() != object.uid() => {
                        Some(format!("{object} deleted with another uid"))
                    }
                    Some(_) => None,
                }
            }
            Event::Merged => None,
        };
        if let Some(wrong) = wrong {
            heard.wrong.get_or_insert(wrong);
        }
    }

    /// From here on nothing may be heard.
    pub(crate) fn removed(&self) {
        self.0.lock().removed = true;
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.0.lock().log.clone()
    }

    pub(crate) fn calls(&self) -> usize {
        self.0.lock().calls
    }

    /// Keys and versions it believes in.
    pub(crate) fn believes(&self) -> Vec<(String, String)> {
        let mut believes: Vec<_> = (self.0.lock().knows.iter())
            .map(|(key, object)| (key.clone(), object.resource_version().to_string()))
            .collect();
        believes.sort();
        believes
    }

    pub(crate) fn check(&self) {
        if let Some(wrong) = &self.0.lock().wrong {
            panic!("illegal history: {wrong}");
        }
    }
}

/// The very same, or read again without a difference.
fn same(one: &Object<ConfigMap>, other: &Object<ConfigMap>) -> bool {
    Arc::ptr_eq(one.record(), other.record())
        || (one.same_version(other) && one.record().same_content(other.record()))
}

fn version(object: &Object<ConfigMap>) -> String {
    format!("{}@{}", object.key(), object.resource_version())
}
