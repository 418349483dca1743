//! Waiting until the caches of a factory have filled.

use std::fmt;
use std::time::Duration;

use futures::future::join_all;

use crate::factory::SharedInformerFactory;
use crate::informer::{NotSynced, SharedInformer};

/// Some informers of a factory have not been synced in time: each kind and scope, and why.
#[derive(Clone, Debug)]
pub struct FactoryNotSynced {
    started: bool,
    waited: Duration,
    informers: usize,
    unsynced: Vec<Unsynced>,
}

#[derive(Clone, Debug)]
struct Unsynced {
    /// The informer's name, if it is not just that of its kind.
    name: Option<String>,
    why: NotSynced,
    /// It has to wait until others have their lists.
    waits: bool,
}

impl FactoryNotSynced {
    /// The informers that are not synced.
    pub fn informers(&self) -> impl Iterator<Item = &NotSynced> {
        self.unsynced.iter().map(|unsynced| &unsynced.why)
    }
}

impl fmt::Display for FactoryNotSynced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unsynced, informers) = (self.unsynced.len(), self.informers);
        let noun = if informers == 1 { "informer" } else { "informers" };
        if !self.started {
            return write!(f, "{unsynced} of {informers} {noun} not synced: the factory was not started");
        }
        write!(f, "{unsynced} of {informers} {noun} not synced after {:?}", self.waited)?;
        for Unsynced { name, why, waits } in &self.unsynced {
            f.write_str("\n  ")?;
            if let Some(name) = name {
                write!(f, "{name:?}: ")?;
            }
            match waits {
                true => write!(f, "{} not synced: it waits until others have their lists", why.kind())?,
                false => write!(f, "{why}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for FactoryNotSynced {}

impl SharedInformerFactory {
    /// Waits until the caches of all informers that have been asked for so far are filled. The error names those that are
    /// not, each of their scopes, and why.
    ///
    /// It does not wait for the deadline if the factory was never started.
    pub async fn wait_for_cache_sync(&self, deadline: Duration) -> Result<(), FactoryNotSynced> {
        let (informers, started) =
            self.inner.registry(|registry| (registry.informers(), registry.is_started()));
        let patience = if started { deadline } else { Duration::ZERO };
        let waits = informers.iter().map(|informer| informer.wait_synced(patience));
        let results = join_all(waits).await;
        let unsynced = |(informer, result): (&SharedInformer<()>, Result<(), NotSynced>)| {
            let why = result.err()?;
            let name = Some(informer.name().to_owned()).filter(|name| *name != why.kind().resource());
            let waits = started && why.is_pending();
            Some(Unsynced { name, why, waits })
        };
        let unsynced: Vec<_> = informers.iter().zip(results).filter_map(unsynced).collect();
        match unsynced.is_empty() {
            true => Ok(()),
            false => {
                Err(FactoryNotSynced { started, waited: deadline, informers: informers.len(), unsynced })
            }
        }
    }
}
