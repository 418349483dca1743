//! What really happened: every state that was written, by key.

use std::collections::BTreeMap;

use kube_client::ResourceExt;
use kube_client::core::DynamicObject;

/// The label that decides whether a selector matches.
pub(crate) const LABEL: &str = "shown";

/// A part of the objects of a kind that an observer looks at.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// None for all.
    pub(crate) namespaces: Vec<String>,
    /// Only those with the label.
    pub(crate) labelled: bool,
}

impl View {
    pub(crate) fn selector(&self) -> String {
        if self.labelled { format!("{LABEL}=yes") } else { String::new() }
    }

    pub(crate) fn includes(&self, namespace: &str) -> bool {
        self.namespaces.is_empty() || self.namespaces.iter().any(|included| included == namespace)
    }

    /// Whether an object in this state is there for the observer.
    pub(crate) fn shows(&self, state: &State) -> bool {
        match state {
            State::Is { labelled, .. } => *labelled || !self.labelled,
            State::Gone => false,
        }
    }
}

/// A state of a key.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Is { rv: String, labelled: bool },
    Gone,
}

impl State {
    pub(crate) fn rv(&self) -> Option<&String> {
        match self {
            Self::Is { rv, .. } => Some(rv),
            Self::Gone => None,
        }
    }
}

/// All states of all keys of a kind, in order.
#[derive(Default)]
pub(crate) struct Truth {
    states: BTreeMap<String, Vec<State>>,
}

impl Truth {
    pub(crate) fn wrote(&mut self, object: &DynamicObject) {
        let key = format!("{}/{}", object.namespace().unwrap_or_default(), object.name_any());
        let labelled = object.labels().get(LABEL).is_some_and(|value| value == "yes");
        let rv = object.resource_version().unwrap_or_default();
        let states = self.states.entry(key).or_default();
        // A write that changes nothing is none.
        if states.last().and_then(State::rv) != Some(&rv) {
            states.push(State::Is { rv, labelled });
        }
    }

    pub(crate) fn deleted(&mut self, key: &str) {
        self.states.entry(key.to_owned()).or_default().push(State::Gone);
    }

    /// The states of a key; none if it is none of ours.
    pub(crate) fn of(&self, key: &str) -> &[State] {
        self.states.get(key).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn exists(&self, key: &str) -> bool {
        self.of(key).last().is_some_and(|state| state.rv().is_some())
    }

    /// The version of everything that is there now for an observer.
    pub(crate) fn now(&self, view: &View) -> BTreeMap<String, String> {
        let shown = self.states.iter().filter_map(|(key, states)| {
            let namespace = key.split('/').next().unwrap_or_default();
            let last = states.last().filter(|state| view.includes(namespace) && view.shows(state))?;
            Some((key.clone(), last.rv()?.clone()))
        });
        shown.collect()
    }
}
