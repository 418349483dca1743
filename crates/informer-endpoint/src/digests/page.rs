//! One page of digests, made in steps: nobody needs a token for it, and a cache may have a million objects.
//!
//! A page costs a look at all keys, and for each object on it its JSON is unpacked, parsed and hashed, which takes from some microseconds to
//! milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_informer::{Object, SharedInformer};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{about, digest};

/// How long a step takes.
const STEP: Duration = Duration::from_millis(2);

/// So many keys are looked at between two looks at the clock.
const KEYS: usize = 64;

/// So many digests are made in a step at most, however fast the clock says they are.
const DIGESTS: usize = 100;

/// How much there is on a page. One that ends early is as good: it says where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub(super) objects: usize,
    /// The work for digests. At least one object is on a page, however long it takes.
    pub(super) work: Duration,
}

impl Default for Most {
    fn default() -> Self {
        Self { objects: 1_000, work: Duration::from_millis(20) }
    }
}

/// The objects after a key, in the order of keys, which are compared as texts.
pub(crate) struct Page {
    about: Value,
    with_digests: bool,
    after: String,
    most: Most,
    scan: Box<dyn Iterator<Item = Object<()>> + Send>,
    is_scanned: bool,
    /// The first objects after the key that are not among the items yet.
    first: BTreeMap<String, Object<()>>,
    /// Whether there are others behind those.
    more: bool,
    /// The key that is looked at: nothing is allocated for those that are not on the page.
    key: String,
    items: Vec<Value>,
    /// The key of the last item.
    last: Option<String>,
    worked: Duration,
}

impl Page {
    pub(super) fn new(informer: &SharedInformer<()>, after: String, most: Most) -> Self {
        let about = about(informer);
        Self {
            with_digests: about["digests"] == true,
            about,
            after,
            most,
            scan: Box::new(informer.lister().scan()),
            is_scanned: false,
            first: BTreeMap::new(),
            more: false,
            key: String::new(),
            items: Vec::new(),
            last: None,
            worked: Duration::ZERO,
        }
    }

    /// Works for a moment. Says whether that was all.
    pub(super) fn step(&mut self) -> bool {
        let begun = Instant::now();
        while !self.is_scanned {
            for _ in 0..KEYS {
                match self.scan.next() {
                    Some(object) => self.look(object),
                    None => {
                        self.is_scanned = true;
                        break;
                    }
                }
            }
            if begun.elapsed() >= STEP {
                return false;
            }
        }
        self.digest()
    }

    fn look(&mut self, object: Object<()>) {
        let key = &mut self.key;
        key.clear();
        if let Some(namespace) = object.namespace() {
            key.push_str(namespace);
            key.push('/');
        }
        key.push_str(object.name());
        if *key <= self.after {
            return;
        }
        if self.first.len() == self.most.objects {
            self.more = true;
            if self.first.last_key_value().is_some_and(|(last, _)| last < key) {
                return;
            }
            self.first.pop_last();
        }
        self.first.insert(key.clone(), object);
    }

    /// Makes items for a moment. Says whether there are to be no more.
    fn digest(&mut self) -> bool {
        let (begun, already) = (Instant::now(), self.items.len());
        while let Some((key, object)) = self.first.pop_first() {
            let digest = if self.with_digests { digest(&object.raw_json()) } else { None };
            self.items.push(json!({ "key": key, "uid": object.uid().to_string(),
                "resourceVersion": object.resource_version().to_string(), "digest": digest }));
            self.last = Some(key);
            let took = begun.elapsed();
            if self.worked + took >= self.most.work {
                self.more |= !self.first.is_empty();
                return true;
            }
            if took >= STEP || self.items.len() - already == DIGESTS {
                self.worked += took;
                return false;
            }
        }
        true
    }

    /// The page, once there was nothing more to do.
    pub(super) fn text(mut self) -> String {
        self.about["next"] = self.last.filter(|_| self.more).into();
        self.about["items"] = self.items.into();
        format!("{}\n", self.about)
    }
}
