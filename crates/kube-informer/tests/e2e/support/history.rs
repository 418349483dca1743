//! What a handler was told, checked to be a legal history of every key.

use std::collections::BTreeMap;

use kube_client::api::DynamicObject;
use kube_informer::{Event, Object};

use crate::support::objects::Content;

/// One call of the handler. Holds no object, so that the versions alive can be counted.
#[derive(Debug)]
pub(crate) enum Told {
    Added(String, Version),
    Updated(String, Version, Version),
    Deleted(String, Version, bool),
    Unexpected(String),
}

/// Which version of which object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Version {
    uid: String,
    version: String,
}

impl From<&Object<DynamicObject>> for Version {
    fn from(object: &Object<DynamicObject>) -> Self {
        Self { uid: object.uid().to_string(), version: object.resource_version().to_string() }
    }
}

impl From<&Event<DynamicObject>> for Told {
    fn from(event: &Event<DynamicObject>) -> Self {
        match event {
            Event::Added { object, .. } => Self::Added(object.key().to_string(), object.into()),
            Event::Updated { old, new, resync: false } => {
                Self::Updated(new.key().to_string(), old.into(), new.into())
            }
            Event::Deleted { object, final_state_known } => {
                Self::Deleted(object.key().to_string(), object.into(), *final_state_known)
            }
            other => Self::Unexpected(format!("{other:?}")),
        }
    }
}

/// What the handler knows by what it was told, and how much that was.
#[derive(Debug, Default)]
pub(crate) struct History {
    knows: BTreeMap<String, Version>,
    pub(crate) counts: Counts,
}

/// How many calls there were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) added: usize,
    pub(crate) updated: usize,
    pub(crate) deleted: usize,
    /// Deletes found by comparing with a list, among `deleted`.
    pub(crate) found_missing: usize,
}

impl History {
    pub(crate) fn hear(&mut self, told: Told) {
        match told {
            Told::Added(key, new) => {
                let before = self.knows.insert(key.clone(), new);
                assert_eq!(before, None, "{key} was added while the handler knew it");
                self.counts.added += 1;
            }
            Told::Updated(key, old, new) => {
                assert_eq!(old.uid, new.uid, "{key}: another uid is a delete and an add");
                assert_ne!(old.version, new.version, "{key}: an update changes something");
                let before = self.knows.insert(key.clone(), new);
                assert_eq!(before, Some(old), "{key}: old is what was told last");
                self.counts.updated += 1;
            }
            Told::Deleted(key, last, final_state_known) => {
                let before = self.knows.remove(&key);
                let same_object = before.is_some_and(|before| before.uid == last.uid);
                assert!(same_object, "{key} was deleted while the handler did not know it");
                self.counts.deleted += 1;
                self.counts.found_missing += usize::from(!final_state_known);
            }
            Told::Unexpected(event) => panic!("nobody asked for {event}"),
        }
    }

    /// Whether it knows exactly this. Compares without copying: there may be tens of thousands.
    pub(crate) fn is(&self, wanted: &Content) -> bool {
        let alike = |((key, version), (wanted, at)): ((&String, &Version), (&String, &String))| {
            key == wanted && version.version == *at
        };
        self.knows.len() == wanted.len() && self.knows.iter().zip(wanted).all(alike)
    }

    pub(crate) fn content(&self) -> Content {
        self.knows.iter().map(|(key, version)| (key.clone(), version.version.clone())).collect()
    }
}
