//! Packing: the dictionary of a kind's informers, and the sample of objects it is trained on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Weak};

use hashbrown::HashMap;
use informer_wire::ResourceId;
use parking_lot::Mutex;

use crate::object::packed::body::{Body, Dictionary};
use crate::object::packed::trainer::DictionarySlot;

/// How large a dictionary may be. Twice as much packs the benchmark's pods no better, half as much by 3 % worse.
const DICTIONARY: usize = 32 << 10;

/// How many objects it is trained on. Training takes time in proportion, about 30 ms for pods, and twice as many samples
/// make no better dictionary.
const SAMPLES: usize = 100;

/// A dictionary is at most the tenth part of its sample. The trainer chooses the pieces that occur most often, and chooses
/// badly if nearly everything fits.
const CHOICE: usize = 10;

/// How much of one object goes into the sample: bounds memory and training time for kinds with large objects.
const SAMPLE_BYTES: usize = 16 << 10;

/// From so many objects on a dictionary pays for its tables, about 140 KB. The first one is simply the beginning of the
/// sample: not as good as a trained one, but there at once.
const FIRST_AT: usize = 150;

/// A list comes in key order, so its very beginning is a poor sample of the whole: the dictionary is trained after so many
/// of its objects, and once more in lists so long that what it saves then outweighs what the trainer leaves behind, about
/// 10 MB that the allocator keeps. After the list come changes of the same objects, for which what was seen is enough.
const TRAIN_AT: [usize; 2] = [800, 102_400];

/// Fewer objects than this are not worth a trained dictionary beside the first one, which they go on to hold: it would save them
/// about 100 KB, and the allocator keeps 10 MB of what training takes.
const WORTH_TRAINING: usize = 750;

/// The dictionaries of informers that share them: those of one kind whose objects come in the same form. Fifty informers with a
/// dictionary each push one another's out of the processor's caches, and train for seconds.
#[derive(Default)]
struct Dictionaries(Mutex<HashMap<PackedForm, Weak<Shared>>>);

/// Which objects look alike, as far as packing goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackedForm {
    /// The resource.
    pub resource: ResourceId,
    /// Whether only metadata is asked for.
    pub metadata_only: bool,
    /// Whether `metadata.managedFields` stay.
    pub keep_managed_fields: bool,
}

impl Dictionaries {
    fn packer(&self, form: PackedForm) -> Packer {
        let mut known = self.0.lock();
        known.retain(|_, shared| shared.strong_count() > 0);
        let shared = known.get(&form).and_then(Weak::upgrade).unwrap_or_else(|| Shared::new(false));
        known.insert(form, Arc::downgrade(&shared));
        drop(known);
        Packer::of(shared)
    }
}

/// Packs the bodies of one informer.
pub struct Packer {
    shared: Arc<Shared>,
    /// Whether the informer's first list is complete.
    listed: AtomicBool,
}

/// What the packers of several informers share.
struct Shared {
    slot: Arc<DictionarySlot>,
    /// Whether the sampler needs more objects. Read without a lock, because for most objects the answer is no.
    sampling: AtomicBool,
    /// Whether bodies are not packed. So it is for sensitive kinds: samples, dictionaries and zstd's working memory hold
    /// plaintext of objects.
    plain: bool,
    sampler: Mutex<Sampler>,
}

impl Packer {
    /// With a dictionary of its own. Bodies of sensitive kinds are not packed.
    pub fn new(sensitive: bool) -> Self {
        Self::of(Shared::new(sensitive))
    }

    /// With the dictionary that informers of this process have for such objects.
    pub fn beside_others(form: PackedForm) -> Self {
        static OF_PROCESS: LazyLock<Dictionaries> = LazyLock::new(Dictionaries::default);
        OF_PROCESS.packer(form)
    }

    fn of(shared: Arc<Shared>) -> Self {
        shared.joined();
        Self { shared, listed: AtomicBool::new(false) }
    }

    /// Has a look at an object for the dictionary. `alive` is how many objects there are.
    pub(crate) fn look_at(&self, json: &[u8], alive: usize) {
        self.shared.look_at(json, alive);
    }

    /// Packs one object.
    pub(crate) fn pack(&self, json: &[u8]) -> Body {
        if self.shared.plain {
            return Body::Plain(json.into());
        }
        let dictionary = self.shared.slot.dictionary.read().clone();
        Body::pack(json, dictionary.as_ref())
    }

    /// The first list is complete: what follows is no better sample, except where there were too few for any. Those are
    /// forgotten, and it begins anew should there ever be enough objects.
    pub fn first_list_done(&self) {
        if !self.listed.swap(true, Ordering::Relaxed) {
            self.shared.listed();
        }
    }

    /// The dictionary that objects are packed with now.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn dictionary(&self) -> Option<Arc<Dictionary>> {
        self.shared.slot.dictionary.read().clone()
    }

    /// Waits for the training under way.
    #[cfg(test)]
    pub(crate) fn settle(&self) {
        self.shared.slot.settle();
    }
}

/// An informer that goes before its first list is complete is not waited for.
impl Drop for Packer {
    fn drop(&mut self) {
        self.first_list_done();
    }
}

impl Shared {
    fn new(sensitive: bool) -> Arc<Self> {
        Arc::new(Self {
            slot: Arc::default(),
            sampling: AtomicBool::new(!sensitive),
            plain: sensitive,
            sampler: Mutex::new(Sampler::default()),
        })
    }

    /// One more informer is going to list. If little was seen so far, its objects are a part of the sample.
    fn joined(&self) {
        let mut sampler = self.sampler.lock();
        sampler.listing += 1;
        if !self.plain && sampler.stage == 0 {
            self.sampling.store(true, Ordering::Relaxed);
        }
    }

    fn look_at(&self, json: &[u8], alive: usize) {
        if !self.plain && self.sampling.load(Ordering::Relaxed) {
            self.sample(json, alive);
        }
    }

    fn listed(&self) {
        let mut sampler = self.sampler.lock();
        sampler.listing -= 1;
        if sampler.listing > 0 {
            return;
        }
        if sampler.trainings == 0 && sampler.seen >= WORTH_TRAINING {
            self.train(&mut sampler);
        }
        if sampler.trainings > 0 {
            self.sampling.store(false, Ordering::Relaxed);
        }
        sampler.begin_anew();
    }

    fn sample(&self, json: &[u8], alive: usize) {
        let mut sampler = self.sampler.lock();
        let listed = sampler.listing == 0;
        if !self.sampling.load(Ordering::Relaxed) || (listed && alive < WORTH_TRAINING) {
            return;
        }
        sampler.offer(json);
        // A trained dictionary is better than this one, and what others were packed with already is as good.
        if !listed && sampler.seen == FIRST_AT && self.slot.dictionary.read().is_none() {
            let first = beginning(&sampler.kept);
            drop(sampler);
            *self.slot.dictionary.write() = first;
            return;
        }
        let due = if listed {
            sampler.kept.len() >= SAMPLES
        } else {
            let stage = TRAIN_AT.get(sampler.stage);
            stage.is_some_and(|at| sampler.seen >= *at) && sampler.kept.len() >= SAMPLES
        };
        if due && self.train(&mut sampler) {
            sampler.stage += usize::from(!listed);
            if listed || sampler.stage == TRAIN_AT.len() {
                self.sampling.store(false, Ordering::Relaxed);
                sampler.kept = Vec::new();
            }
        }
    }

    /// Has a dictionary trained beside the pipeline. False if one is being trained already.
    fn train(&self, sampler: &mut Sampler) -> bool {
        let ordered = self.slot.order(|| {
            let bytes: usize = sampler.kept.iter().map(|sample| sample.len()).sum();
            (sampler.kept.clone(), DICTIONARY.min(bytes / CHOICE))
        });
        sampler.trainings += usize::from(ordered);
        ordered
    }
}

/// A dictionary of what comes first in the sample, as it is.
fn beginning(samples: &[Box<[u8]>]) -> Option<Arc<Dictionary>> {
    let mut bytes = Vec::with_capacity(DICTIONARY);
    for sample in samples {
        let room = DICTIONARY - bytes.len();
        bytes.extend_from_slice(sample.get(..room).unwrap_or(sample));
    }
    Dictionary::new(&bytes).map(Arc::new)
}

/// A reservoir: at any time every object seen so far is in it with the same probability.
struct Sampler {
    kept: Vec<Box<[u8]>>,
    seen: usize,
    /// How many dictionaries were trained on it.
    trainings: usize,
    /// How many of the numbers in [`TRAIN_AT`] have been reached.
    stage: usize,
    /// How many informers have not completed their first list.
    listing: usize,
    random: fastrand::Rng,
}

impl Default for Sampler {
    fn default() -> Self {
        // The same objects give the same dictionary.
        Self {
            kept: Vec::new(),
            seen: 0,
            trainings: 0,
            stage: 0,
            listing: 0,
            random: fastrand::Rng::with_seed(1),
        }
    }
}

impl Sampler {
    /// Nobody lists any more. Who joins later, before there was a training in the middle of a list, gives a sample of its own: with
    /// few of its objects a dictionary would be trained that takes the place of a good one.
    fn begin_anew(&mut self) {
        self.kept = Vec::new();
        if self.stage == 0 {
            self.seen = 0;
        }
    }

    fn offer(&mut self, json: &[u8]) {
        self.seen += 1;
        let sample = || Box::from(json.get(..SAMPLE_BYTES).unwrap_or(json));
        if self.kept.len() < SAMPLES {
            self.kept.push(sample());
        } else if let Some(place) = self.kept.get_mut(self.random.usize(..self.seen)) {
            *place = sample();
        }
    }
}

#[cfg(test)]
mod tests;
