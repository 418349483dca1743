//! Which names are taken: two informers that live at the same time never write to the same series.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::kind::KindInfo;

/// Who has which number of a name. The first of a name has number 1, which is not shown.
static TAKEN: LazyLock<Mutex<HashMap<Wanted, BTreeSet<u64>>>> = LazyLock::new(Mutex::default);

/// What two informers may both want: a name for a kind at a recorder.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Wanted {
    /// The address of the recorder: a program has one, tests may have one for each thread.
    recorder: usize,
    name: Arc<str>,
    kind: String,
}

/// A name that is ours until it is given back, at the latest when this is dropped.
pub(super) struct Name {
    wanted: Wanted,
    number: u64,
    held: Mutex<bool>,
}

impl Name {
    /// The name itself, or with the first number that is free if others have it.
    pub(super) fn take(name: &str, kind: &KindInfo) -> Self {
        let recorder = metrics::with_recorder(|recorder| std::ptr::from_ref(recorder).cast::<()>().addr());
        let wanted = Wanted { recorder, name: name.into(), kind: format!("{}/{kind}", kind.api_version()) };
        let mut taken = TAKEN.lock();
        let numbers = taken.entry(wanted.clone()).or_default();
        let number = (1..).find(|number| !numbers.contains(number)).unwrap_or(u64::MAX);
        numbers.insert(number);
        Self { wanted, number, held: Mutex::new(true) }
    }

    /// `pods`, or `pods-2` for the second of this name.
    pub(super) fn shown(&self) -> String {
        match self.number {
            1 => self.wanted.name.to_string(),
            number => format!("{}-{number}", self.wanted.name),
        }
    }

    /// Others may have it from now on.
    pub(super) fn give_back(&self) {
        if !std::mem::take(&mut *self.held.lock()) {
            return;
        }
        let mut taken = TAKEN.lock();
        if let Some(numbers) = taken.get_mut(&self.wanted) {
            numbers.remove(&self.number);
            if numbers.is_empty() {
                taken.remove(&self.wanted);
            }
        }
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        self.give_back();
    }
}
