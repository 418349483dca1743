//! Trains the dictionaries of all informers of the process, one after the other, on a thread that ends when there are no more.
//!
//! Training takes about 30 ms and 10 MB, most of which the allocator keeps for the thread. If each of sixty informers that
//! start together trained on a thread of its own, the process would keep sixty times that.

use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;

use parking_lot::{Mutex, RwLock};

use crate::object::packed::body::Dictionary;

/// Where a packer's dictionary is put, and whether one is on its way there.
#[derive(Default)]
pub(crate) struct DictionarySlot {
    pub(crate) dictionary: RwLock<Option<Arc<Dictionary>>>,
    training: Mutex<bool>,
    #[cfg(test)]
    trained: parking_lot::Condvar,
}

struct Order {
    samples: Vec<Box<[u8]>>,
    size: usize,
    slot: Arc<DictionarySlot>,
}

struct Trainer {
    orders: VecDeque<Order>,
    running: bool,
}

static TRAINER: Mutex<Trainer> = Mutex::new(Trainer { orders: VecDeque::new(), running: false });

impl DictionarySlot {
    /// Has a dictionary of at most this size trained. Where that fails, the one before stays. False if one is on its way;
    /// then no samples are asked for.
    pub(crate) fn order(self: &Arc<Self>, samples: impl FnOnce() -> (Vec<Box<[u8]>>, usize)) -> bool {
        if std::mem::replace(&mut *self.training.lock(), true) {
            return false;
        }
        let (samples, size) = samples();
        let mut trainer = TRAINER.lock();
        trainer.orders.push_back(Order { samples, size, slot: self.clone() });
        if !trainer.running {
            let thread = thread::Builder::new().name("informer-dictionary".to_owned()).spawn(work);
            trainer.running = thread.is_ok();
            if !trainer.running {
                // Without a thread there is no training: this informer, and those that wait for the same thread, keep
                // the dictionary that they have.
                let orders = std::mem::take(&mut trainer.orders);
                drop(trainer);
                orders.into_iter().for_each(|order| order.slot.put(None));
            }
        }
        true
    }

    fn put(&self, dictionary: Option<Dictionary>) {
        if let Some(dictionary) = dictionary {
            *self.dictionary.write() = Some(Arc::new(dictionary));
        }
        *self.training.lock() = false;
        #[cfg(test)]
        self.trained.notify_all();
    }

    /// Waits for the training under way.
    #[cfg(test)]
    pub(crate) fn settle(&self) {
        let mut training = self.training.lock();
        while *training {
            self.trained.wait(&mut training);
        }
    }

    /// As if a training were under way; the function ends it.
    #[cfg(test)]
    pub(crate) fn occupy(self: &Arc<Self>) -> impl FnOnce() + use<> {
        *self.training.lock() = true;
        let slot = self.clone();
        move || slot.put(None)
    }
}

fn work() {
    loop {
        let mut trainer = TRAINER.lock();
        let Some(order) = trainer.orders.pop_front() else {
            trainer.running = false;
            return;
        };
        drop(trainer);
        let Order { samples, size, slot } = order;
        // If the packer is gone, nothing would be packed with the dictionary any more.
        let wanted = Arc::strong_count(&slot) > 1;
        let trained = catch_unwind(|| if wanted { train(&samples, size) } else { None });
        slot.put(trained.unwrap_or_default());
    }
}

/// Makes a dictionary; `None` where the samples are too few or too odd for one.
pub(crate) fn train(samples: &[Box<[u8]>], size: usize) -> Option<Dictionary> {
    let sizes: Vec<usize> = samples.iter().map(|sample| sample.len()).collect();
    let mut bytes = Vec::with_capacity(size);
    zstd_safe::train_from_buffer(&mut bytes, &samples.concat(), &sizes).ok()?;
    Dictionary::new(&bytes)
}
