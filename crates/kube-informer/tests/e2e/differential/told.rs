//! What a handler was told, and what it may be told.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use kube_client::core::DynamicObject;
use kube_informer::{Event, Object};
use serde::Deserialize;

use super::truth::{Truth, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Call {
    Add,
    Update,
    Delete,
}

/// One call of a handler, ours or client-go's.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told {
    pub(crate) call: Call,
    pub(crate) key: String,
    pub(crate) uid: String,
    pub(crate) rv: String,
    #[serde(default)]
    pub(crate) old_rv: String,
    #[serde(default)]
    pub(crate) initial: bool,
    #[serde(default)]
    pub(crate) final_state_known: bool,
}

impl Told {
    pub(crate) fn of(event: &Event<DynamicObject>) -> Self {
        let about = |call, object: &Object<DynamicObject>| Self {
            call,
            key: object.key().to_string(),
            uid: object.uid().to_string(),
            rv: object.resource_version().to_string(),
            old_rv: String::new(),
            initial: false,
            final_state_known: false,
        };
        match event {
            Event::Added { object, initial } => Self { initial: *initial, ..about(Call::Add, object) },
            Event::Updated { old, new, .. } => {
                Self { old_rv: old.resource_version().to_string(), ..about(Call::Update, new) }
            }
            Event::Deleted { object, final_state_known } => {
                Self { final_state_known: *final_state_known, ..about(Call::Delete, object) }
            }
            other => panic!("not within the limit of the handler: {other:?}"),
        }
    }
}

/// Whose rules a history goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    /// An update is of the same incarnation and brings a later state.
    Ours,
    /// A relist may tell what is known already, and an object that was re-created meanwhile as an update.
    ClientGo,
}

/// What one key's history has come to.
#[derive(Default)]
struct Known {
    /// What was told last, if it was not a delete.
    now: Option<(String, String)>,
    /// The next state that may be told, as a place in the true history.
    next: usize,
}

/// Checks that a history is a legal view of what really happened, and says what it comes to: the version of every
/// object that was told and not deleted.
pub(crate) fn check(
    history: &[Told],
    truth: &Truth,
    view: &View,
    rules: Rules,
) -> Result<BTreeMap<String, String>> {
    let mut keys = BTreeMap::<&str, Known>::new();
    for told in history {
        step(keys.entry(&told.key).or_default(), told, truth, view, rules).with_context(|| {
            let calls: Vec<_> = history.iter().filter(|other| other.key == told.key).collect();
            let key = &told.key;
            format!(
                "{rules:?}: {told:?}\nall that was told of {key}: {calls:#?}\nthe truth: {:#?}",
                truth.of(key)
            )
        })?;
    }
    let known = keys.into_iter().filter_map(|(key, known)| Some((key.to_owned(), known.now?.1)));
    Ok(known.collect())
}

fn step(known: &mut Known, told: &Told, truth: &Truth, view: &View, rules: Rules) -> Result<()> {
    let states = truth.of(&told.key);
    let place = states.iter().position(|state| state.rv() == Some(&told.rv));
    match (told.call, &known.now) {
        (Call::Add, Some(_)) => bail!("an add of what is known"),
        (Call::Update | Call::Delete, None) => bail!("about something that is not known"),
        (Call::Update, Some((_, rv))) if *rv != told.old_rv => bail!("old is not what was told last"),
        (Call::Update, Some((uid, _))) if rules == Rules::Ours && *uid != told.uid => {
            bail!("an update of another incarnation")
        }
        (Call::Delete, Some((uid, _))) if *uid != told.uid => bail!("a delete of another incarnation"),
        (Call::Delete, Some(_)) => {
            known.now = None;
            if !states.is_empty() {
                let gone = states[known.next..].iter().position(|state| !view.shows(state));
                known.next += 1 + gone.context("a delete of what is still there")?;
            }
        }
        (Call::Add | Call::Update, _) => {
            let again = told.call == Call::Update && told.rv == told.old_rv;
            ensure!(!again || rules == Rules::ClientGo, "an update without a change");
            if !states.is_empty() && !again {
                let place = place.context("a state that never was")?;
                ensure!(place >= known.next, "a state of the past");
                ensure!(view.shows(&states[place]), "a state that the selector does not match");
                known.next = place + 1;
            }
            known.now = Some((told.uid.clone(), told.rv.clone()));
        }
    }
    Ok(())
}

#[test]
fn the_rules_are_those_of_the_contract() {
    let told = |call, uid: &str, rv: &str, old_rv: &str| Told {
        call,
        key: "a/b".into(),
        uid: uid.into(),
        rv: rv.into(),
        old_rv: old_rv.into(),
        initial: false,
        final_state_known: true,
    };
    let mut truth = Truth::default();
    for (uid, rv) in [("x", "1"), ("x", "2"), ("y", "4")] {
        let metadata =
            serde_json::json!({ "namespace": "a", "name": "b", "uid": uid, "resourceVersion": rv });
        truth.wrote(&serde_json::from_value(serde_json::json!({ "metadata": metadata })).unwrap());
        if rv == "2" {
            truth.deleted("a/b");
        }
    }
    let view = View { namespaces: Vec::new(), labelled: false };
    let legal = |history: &[Told]| {
        [Rules::Ours, Rules::ClientGo].map(|rules| check(history, &truth, &view, rules).is_ok())
    };
    let add = || told(Call::Add, "x", "1", "");
    let update = || told(Call::Update, "x", "2", "1");
    let delete = || told(Call::Delete, "x", "3", "");
    assert_eq!(legal(&[add(), update(), delete(), told(Call::Add, "y", "4", "")]), [true, true]);
    assert_eq!(legal(&[add(), told(Call::Update, "y", "4", "1")]), [false, true], "another incarnation");
    assert_eq!(legal(&[add(), told(Call::Update, "x", "1", "1")]), [false, true], "nothing changed");
    for (history, why) in [
        (vec![add(), add()], "added twice"),
        (vec![update()], "never added"),
        (vec![add(), told(Call::Update, "x", "2", "0")], "old is another state"),
        (vec![told(Call::Add, "x", "2", ""), told(Call::Update, "x", "1", "2")], "back in time"),
        (vec![told(Call::Add, "y", "4", ""), told(Call::Delete, "y", "5", "")], "it is still there"),
        (vec![told(Call::Add, "x", "7", "")], "never was"),
        (vec![delete()], "nothing to delete"),
    ] {
        assert_eq!(legal(&history), [false, false], "{why}");
    }
}
