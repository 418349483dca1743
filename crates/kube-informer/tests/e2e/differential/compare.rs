//! What has to be the same when both observers have seen everything.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, ensure};

use super::observers::{Ours, Store, Theirs};
use super::told::{Call, Rules, Told, check};
use super::truth::{Truth, View};

/// How a round went, for the summary.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) told_ours: usize,
    pub(crate) told_theirs: usize,
    pub(crate) relists_ours: u64,
    pub(crate) relists_theirs: u64,
    /// How often the server said 410, which is one of the reasons to relist.
    pub(crate) expired_ours: u64,
    pub(crate) expired_theirs: u64,
    pub(crate) connections_ours: u64,
    pub(crate) connections_theirs: u64,
    /// Pairs of histories that had to be the same call by call.
    pub(crate) identical: usize,
    pub(crate) compared: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} pairs of histories, {} of them the same call by call",
            self.compared, self.identical
        )?;
        let mut row = |who, told, relists, expired, connections| {
            writeln!(
                f,
                "  {who}: {told} changes told, {relists} relists, {expired} times 410 Expired, {connections} connections"
            )
        };
        row("kube-informer", self.told_ours, self.relists_ours, self.expired_ours, self.connections_ours)?;
        row("client-go", self.told_theirs, self.relists_theirs, self.expired_theirs, self.connections_theirs)
    }
}

/// Compares the stores with each other and with the truth, and the histories by the contract.
pub(crate) fn compare(
    ours: &Ours,
    theirs: &mut Theirs,
    truth: &Truth,
    view: &View,
    tally: &mut Tally,
) -> Result<()> {
    let (our_store, their_store) = (ours.store()?, theirs.store()?);
    same("what we hold", &our_store, "what client-go holds", &their_store)?;
    let is = truth.now(view);
    // The server's own objects are in no account of ours.
    let kept: BTreeMap<_, _> =
        versions(&our_store).into_iter().filter(|(key, _)| !truth.of(key).is_empty()).collect();
    same("what we hold", &kept, "what is", &is)?;

    let our_end = check(&ours.history.calls, truth, view, Rules::Ours)?;
    let their_end = check(&theirs.history.calls, truth, view, Rules::ClientGo)?;
    same("what our handler was told", &our_end, "what we hold", &versions(&our_store))?;
    same("what client-go's handler was told", &their_end, "what it holds", &versions(&their_store))?;
    let initial = |calls: &[Told]| {
        let first = calls.iter().filter(|told| told.initial);
        first.map(|told| (told.key.clone(), told.rv.clone())).collect::<BTreeMap<_, _>>()
    };
    let first = (initial(&ours.history.calls), initial(&theirs.history.calls));
    same("what we were told first", &first.0, "what client-go was", &first.1)?;

    let numbers = theirs.numbers()?;
    let first_lists = view.namespaces.len().max(1) as u64;
    let (relists_ours, relists_theirs) = (ours.relists(), numbers.lists.saturating_sub(first_lists));
    // Without a relist both have seen every event there was, and the histories are the same call by call.
    if relists_ours == 0 && relists_theirs == 0 && ours.every_event {
        let (one, other) = (by_key(&ours.history.calls), by_key(&theirs.history.calls));
        same("what our handler was told", &one, "what client-go's was", &other)?;
        tally.identical += 1;
    }
    tally.compared += 1;
    tally.told_ours += ours.history.calls.len();
    tally.told_theirs += theirs.history.calls.len();
    tally.relists_ours += relists_ours;
    tally.relists_theirs += relists_theirs;
    tally.expired_ours += ours.expired();
    tally.expired_theirs += numbers.expired;
    tally.connections_ours += ours.proxy.connections();
    tally.connections_theirs += theirs.proxy.connections();
    Ok(())
}

fn versions(store: &Store) -> BTreeMap<String, String> {
    let version = |object: &serde_json::Value| {
        object["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned()
    };
    store.iter().map(|(key, object)| (key.clone(), version(object))).collect()
}

fn by_key(calls: &[Told]) -> BTreeMap<String, Vec<&Told>> {
    let mut keys = BTreeMap::<_, Vec<_>>::new();
    for told in calls {
        keys.entry(told.key.clone()).or_default().push(told);
    }
    keys
}

/// An error that shows the first key that differs.
fn same<V: PartialEq + fmt::Debug>(
    one_name: &str,
    one: &BTreeMap<String, V>,
    other_name: &str,
    other: &BTreeMap<String, V>,
) -> Result<()> {
    for key in one.keys().chain(other.keys()) {
        let (one, other) = (one.get(key), other.get(key));
        ensure!(one == other, "{key}: {one_name}: {one:#?}\n{other_name}: {other:#?}");
    }
    Ok(())
}

/// Deletes are complete because the end of a history is compared with the store.
#[test]
fn a_missing_delete_is_found() {
    let added = Told {
        call: Call::Add,
        key: "a/b".into(),
        uid: "1".into(),
        rv: "1".into(),
        old_rv: String::new(),
        initial: false,
        final_state_known: false,
    };
    let view = View { namespaces: Vec::new(), labelled: false };
    let end = check(&[added], &Truth::default(), &view, Rules::Ours).context("legal").unwrap();
    assert!(same("told", &end, "held", &BTreeMap::new()).is_err());
}
