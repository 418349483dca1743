//! What is left of rules without the feature `cel`.

use serde_json::Value;

use super::super::node::Node;
use super::super::structure::children;
use super::Findings;
use crate::status::Cause;

/// The rules of a schema, of which there are none.
#[derive(Debug)]
pub(in super::super) struct Rules;

impl Rules {
    pub(in super::super) fn read(_root: &Node) -> Option<Self> {
        None
    }

    pub(in super::super) fn validate(&self, _root: &Node, _new: &Value, _old: Option<&Value>) -> Findings {
        Findings::default()
    }
}

pub(in super::super) fn check(_root: &Node, _path: &str) -> Vec<Cause> {
    Vec::new()
}

/// Which rule cannot be evaluated.
pub(in super::super) fn lacking(root: &Node) -> Option<String> {
    let own = root.rules.first().map(|rule| {
        format!(
            "rules are not evaluated by this server, which is built without the feature `cel`: {}",
            rule.rule
        )
    });
    own.or_else(|| children(root).find_map(lacking))
}
