//! Events have two APIs, `v1` and `events.k8s.io/v1`, and one store. They are stored in the form of `v1`.

use serde_json::{Map, Value, json};

use super::Resource;

/// Fields that have another name in `events.k8s.io/v1`: first that of `v1`.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

impl Resource {
    /// Whether its objects are stored in another form than they are served in.
    pub(crate) fn is_converted(&self) -> bool {
        !self.custom && (&*self.group, &*self.plural) == ("events.k8s.io", "events")
    }

    /// Turns an object as it is stored into what is served.
    pub(crate) fn served(&self, mut object: Map<String, Value>) -> Map<String, Value> {
        if self.is_converted() {
            for (stored, served) in NAMES {
                rename(&mut object, stored, served);
            }
            for name in ["reportingController", "reportingInstance"] {
                if object.get(name) == Some(&json!("")) {
                    object.remove(name);
                }
            }
        }
        object
    }

    /// Turns an object as a client sends it into what is stored.
    pub(crate) fn stored(&self, mut object: Map<String, Value>) -> Map<String, Value> {
        if self.is_converted() {
            for (stored, served) in NAMES {
                rename(&mut object, served, stored);
            }
        }
        object
    }
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = object.remove(from) {
        object.insert(to.to_owned(), value);
    }
}
