//! The names of the controllers that run in this process.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

/// Those that are taken, and by how many.
static TAKEN: LazyLock<Mutex<HashMap<Arc<str>, BTreeSet<u32>>>> = LazyLock::new(Mutex::default);

/// A name that a controller has until this is dropped.
pub(super) struct Name {
    name: Arc<str>,
    number: u32,
}

impl Name {
    /// A second controller of one name is told, and is another one in metrics: one would overwrite what the other says.
    pub(super) fn take(name: &Arc<str>) -> Self {
        let mut taken = TAKEN.lock();
        let numbers = taken.entry(name.clone()).or_default();
        let number = (1..=u32::MAX).find(|number| !numbers.contains(number)).unwrap_or(u32::MAX);
        numbers.insert(number);
        drop(taken);
        let it = Self { name: name.clone(), number };
        if number > 1 {
            let (controller, metrics) = (&**name, it.label());
            tracing::warn!(
                controller,
                metrics,
                "another controller of this name runs already; give each its own: logs cannot tell them apart, and this one's metrics have another name"
            );
        }
        it
    }

    /// What it is called in metrics.
    pub(super) fn label(&self) -> String {
        match self.number {
            1 => self.name.to_string(),
            number => format!("{}#{number}", self.name),
        }
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let mut taken = TAKEN.lock();
        let Some(numbers) = taken.get_mut(&self.name) else { return };
        numbers.remove(&self.number);
        if numbers.is_empty() {
            taken.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests;
