//! Secondary indexes: from a value that a function reads out of an object to all objects that have it.
//!
//! Buckets hold the objects themselves, and the index keeps which values each object had, so an old object is never
//! read again. (Kept here and not beside the object in the store: an index comes and goes without touching the store,
//! and objects without a value cost nothing.) The function is the user's: it runs before the commit, see `Staged`.

use std::any::Any;
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hashbrown::HashSet;
use informer_wire::key::{KeyRef, ObjectKey};

use crate::object::record::Record;
use crate::panics::user_panic;
use crate::store::plan::Edit;
use crate::store::sharded::{KeyOf, Keyed, ShardedMap};

/// What an index can be made of. `Hash` and `Eq` are called with the store locked for a commit: derive them.
pub trait IndexValue: Hash + Eq + Clone + Send + Sync + 'static {}
impl<V: Hash + Eq + Clone + Send + Sync + 'static> IndexValue for V {}

/// Reads the values of an object: none, one or several.
pub type IndexFunction<V> = Arc<dyn Fn(&Arc<Record>) -> Result<Vec<V>, String> + Send + Sync>;

/// An index function failed or panicked on this object, which is therefore not in that index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexFailure {
    /// The index.
    pub index: Arc<str>,
    /// The object.
    pub key: ObjectKey,
    /// The text of the error or panic.
    pub message: String,
}

/// All objects with one value. Never empty.
#[derive(Clone)]
pub(super) struct Bucket<V> {
    pub(super) value: V,
    pub(super) objects: ShardedMap<Arc<Record>>,
}

/// One object and the values it is filed under. Never without values.
#[derive(Clone)]
struct Member<V> {
    record: Arc<Record>,
    values: Arc<[V]>,
}

/// A value to look a bucket up by; an index on `String` can be asked with a `str`.
#[derive(Hash)]
pub(super) struct ByValue<'a, Q: ?Sized>(pub(super) &'a Q);

impl<V: IndexValue + Borrow<Q>, Q: Hash + Eq + ?Sized> KeyOf<Bucket<V>> for ByValue<'_, Q> {
    fn is_key_of(&self, bucket: &Bucket<V>) -> bool {
        bucket.value.borrow() == self.0
    }
}

impl<V: IndexValue> Keyed for Bucket<V> {
    fn hash_key(&self, hasher: &mut impl Hasher) {
        self.value.hash(hasher);
    }

    fn same_key(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<V> KeyOf<Member<V>> for KeyRef<'_> {
    fn is_key_of(&self, member: &Member<V>) -> bool {
        self.is_key_of(&member.record)
    }
}

impl<V: IndexValue> Keyed for Member<V> {
    fn hash_key(&self, hasher: &mut impl Hasher) {
        self.record.hash_key(hasher);
    }

    fn same_key(&self, other: &Self) -> bool {
        self.record.same_key(&other.record)
    }
}

/// One index.
pub(crate) struct TypedIndex<V> {
    function: IndexFunction<V>,
    pub(super) buckets: ShardedMap<Bucket<V>>,
    members: ShardedMap<Member<V>>,
}

/// Runs a user's index function on one object. `None`: no values.
pub(super) fn evaluate<V: IndexValue>(
    function: &IndexFunction<V>,
    record: &Arc<Record>,
) -> Result<Option<Arc<[V]>>, String> {
    let sensitive = record.origin.sensitive;
    let run = || {
        let mut values = function(record)?;
        drop_repeats(&mut values);
        Ok((!values.is_empty()).then(|| values.into()))
    };
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|payload| Err(format!("panicked: {}", user_panic(&*payload, sensitive))))
}

/// Up to so many values are compared with each other. For more a table is made, or it would take time in proportion to the
/// square of their number.
const FEW: usize = 16;

/// Leaves each value once.
fn drop_repeats<V: IndexValue>(values: &mut Vec<V>) {
    if values.len() <= FEW {
        let mut kept = 0;
        for at in 0..values.len() {
            if !values[..kept].contains(&values[at]) {
                values.swap(kept, at);
                kept += 1;
            }
        }
        return values.truncate(kept);
    }
    let mut seen = HashSet::with_capacity(values.len());
    let first: Vec<bool> = values.iter().map(|value| seen.insert(value)).collect();
    drop(seen);
    let mut first = first.into_iter();
    values.retain(|_| first.next().unwrap_or_default());
}

/// The values that are in the one and not in the other.
fn difference<'a, V: IndexValue>(of: &'a [V], without: &[V]) -> Vec<&'a V> {
    if without.len() <= FEW {
        return of.iter().filter(|value| !without.contains(value)).collect();
    }
    let without: HashSet<&V> = without.iter().collect();
    of.iter().filter(|value| !without.contains(value)).collect()
}

impl<V: IndexValue> TypedIndex<V> {
    pub(super) fn new(function: IndexFunction<V>) -> Self {
        Self { function, buckets: ShardedMap::default(), members: ShardedMap::default() }
    }

    pub(super) fn function(&self) -> &IndexFunction<V> {
        &self.function
    }

    /// A copy that shares everything.
    pub(super) fn share(&self) -> Self {
        Self { function: self.function.clone(), buckets: self.buckets.clone(), members: self.members.clone() }
    }

    /// How many objects have a value.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Files an object under these values and no others.
    pub(super) fn put(&mut self, record: &Arc<Record>, values: &Arc<[V]>) {
        let old = self.members.insert(Member { record: record.clone(), values: values.clone() });
        if let Some(old) = old
            && old.values != *values
        {
            for value in difference(&old.values, values) {
                self.take_out(value, record.key().into());
            }
        }
        // For values it had before this swaps the record within the bucket.
        for value in values.iter() {
            match self.buckets.get_mut(&ByValue(value)) {
                Some(bucket) => {
                    bucket.objects.insert(record.clone());
                }
                None => {
                    let mut objects = ShardedMap::default();
                    objects.insert(record.clone());
                    self.buckets.insert(Bucket { value: value.clone(), objects });
                }
            }
        }
    }

    /// Forgets an object.
    pub(super) fn remove(&mut self, key: KeyRef<'_>) {
        if let Some(old) = self.members.remove(&key) {
            for value in old.values.iter() {
                self.take_out(value, key);
            }
        }
    }

    fn take_out(&mut self, value: &V, key: KeyRef<'_>) {
        if let Some(bucket) = self.buckets.get_mut(&ByValue(value)) {
            bucket.objects.remove(&key);
            if bucket.objects.is_empty() {
                self.buckets.remove(&ByValue(value));
            }
        }
    }
}

/// An index as the state holds it, whatever its value type.
pub(crate) trait ErasedIndex: Send + Sync {
    /// Where to put the values of the edits of a commit that is being prepared.
    fn stage(&self) -> Box<dyn Staged>;
    /// How many values an edit files its object under or takes it out from.
    fn work(&self, at: usize, edit: &Edit, staged: &dyn Staged) -> usize;
    /// Makes one edit, with the values that were staged for it.
    fn commit(&mut self, at: usize, edit: &Edit, staged: &dyn Staged);
    /// A copy that shares everything.
    fn copy(&self) -> Box<dyn ErasedIndex>;
    /// Takes a piece of an index apart and says how much work it was; what is costly to free goes into `rubble`. `None`
    /// when nothing is left.
    fn take_apart(&mut self, rubble: &mut Vec<ShardedMap<Arc<Record>>>) -> Option<usize>;
    fn as_any(&self) -> &dyn Any;
}

/// The values of the edits of one commit in one index, in the order of the edits. Runs user code: never under a lock.
pub(crate) trait Staged: Send {
    /// Works out the values for the next edit. After an error the object is not in the index.
    fn stage(&mut self, edit: &Edit) -> Result<(), String>;
    /// Drops up to this many of the values, after the commit; false when none are left.
    fn free_some(&mut self, count: usize) -> bool;
    fn as_any(&self) -> &dyn Any;
}

struct StagedValues<V> {
    function: IndexFunction<V>,
    values: Vec<Option<Arc<[V]>>>,
}

impl<V: IndexValue> Staged for StagedValues<V> {
    fn stage(&mut self, edit: &Edit) -> Result<(), String> {
        let values = edit.record().map_or(Ok(None), |record| evaluate(&self.function, record));
        let (values, result) = match values {
            Ok(values) => (values, Ok(())),
            Err(message) => (None, Err(message)),
        };
        self.values.push(values);
        result
    }

    fn free_some(&mut self, count: usize) -> bool {
        self.values.truncate(self.values.len().saturating_sub(count));
        !self.values.is_empty()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The values of an edit, if it has any.
fn staged_values<V: IndexValue>(at: usize, staged: &dyn Staged) -> Option<&Arc<[V]>> {
    staged.as_any().downcast_ref::<StagedValues<V>>()?.values.get(at)?.as_ref()
}

impl<V: IndexValue> ErasedIndex for TypedIndex<V> {
    fn stage(&self) -> Box<dyn Staged> {
        Box::new(StagedValues { function: self.function.clone(), values: Vec::new() })
    }

    fn work(&self, at: usize, edit: &Edit, staged: &dyn Staged) -> usize {
        let new = staged_values::<V>(at, staged).map_or(0, |values| values.len());
        new + self.members.get(&edit.key()).map_or(0, |member| member.values.len())
    }

    fn commit(&mut self, at: usize, edit: &Edit, staged: &dyn Staged) {
        match (edit, staged_values(at, staged)) {
            (Edit::Put(record), Some(values)) => self.put(record, values),
            (Edit::Put(_), None) | (Edit::Remove(_), _) => self.remove(edit.key()),
        }
    }

    fn copy(&self) -> Box<dyn ErasedIndex> {
        Box::new(self.share())
    }

    fn take_apart(&mut self, rubble: &mut Vec<ShardedMap<Arc<Record>>>) -> Option<usize> {
        let Some(shard) = self.buckets.take_shard() else { return self.members.free_shard() };
        let Ok(shard) = Arc::try_unwrap(shard) else { return Some(1) };
        let work = shard.len().max(1);
        rubble.extend(shard.into_iter().map(|bucket| bucket.objects));
        Some(work)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests;
