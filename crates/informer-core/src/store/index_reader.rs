//! Asking an index.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::Arc;

use hashbrown::HashSet;
use informer_wire::ObjectKey;

use crate::object::record::Record;
use crate::scope::Scope;
use crate::store::index::{ByValue, IndexFunction, IndexValue, TypedIndex, evaluate};
use crate::store::index_error::IndexError;
use crate::store::indexer::Indexer;
use crate::store::sharded::ShardedMap;

/// A handle to one index. Cheap to clone; each query answers from one commit.
pub struct IndexReader<V> {
    name: Arc<str>,
    location: IndexLocation<V>,
}

/// Where an index is.
enum IndexLocation<V> {
    /// In a store: always shows the newest commit of the store.
    Store { indexer: Arc<Indexer>, id: u64 },
    /// Outside of the store: shows one fixed commit.
    Beside(Arc<TypedIndex<V>>),
}

impl<V> Clone for IndexReader<V> {
    fn clone(&self) -> Self {
        let location = match &self.location {
            IndexLocation::Store { indexer, id } => {
                IndexLocation::Store { indexer: indexer.clone(), id: *id }
            }
            IndexLocation::Beside(index) => IndexLocation::Beside(index.clone()),
        };
        Self { name: self.name.clone(), location }
    }
}

impl<V: IndexValue> IndexReader<V> {
    pub(super) fn new(indexer: Arc<Indexer>, name: Arc<str>, id: u64) -> Self {
        Self { name, location: IndexLocation::Store { indexer, id } }
    }

    /// Reads an index that is in no store.
    pub(super) fn of_one_commit(name: Arc<str>, index: TypedIndex<V>) -> Self {
        Self { name, location: IndexLocation::Beside(Arc::new(index)) }
    }

    /// The index of this number, if it is there; `None` if it is not, nor any other of its name. For one on a field another
    /// one on the same field will do.
    pub fn resolve(
        indexer: &Arc<Indexer>,
        (name, id): (&Arc<str>, u64),
        field: Option<&'static str>,
    ) -> Result<Option<Self>, IndexError> {
        let there = indexer.state.read().indexes().iter().any(|slot| slot.id == id);
        if there {
            return Ok(Some(Self::new(indexer.clone(), name.clone(), id)));
        }
        match Self::find(indexer, name, field) {
            Err(IndexError::Unknown(_)) => Ok(None),
            found if field.is_some() => found.map(Some),
            _ => Err(IndexError::Duplicate(name.clone())),
        }
    }

    /// The index of this name, if there is one and it is on values of this type, and on this field if one is named: two
    /// indexes are one only if they would give the same answers.
    pub fn find(indexer: &Arc<Indexer>, name: &str, field: Option<&'static str>) -> Result<Self, IndexError> {
        let (name, id) = {
            let state = indexer.state.read();
            let slot = state.indexes().iter().find(|slot| &*slot.name == name);
            let Some(slot) = slot else { return Err(IndexError::Unknown(name.into())) };
            if !slot.index.as_any().is::<TypedIndex<V>>() {
                return Err(IndexError::OtherType(slot.name.clone()));
            }
            if let Some(wanted) = field.filter(|_| slot.field != field) {
                return Err(IndexError::OtherField { index: slot.name.clone(), there: slot.field, wanted });
            }
            (slot.name.clone(), slot.id)
        };
        Ok(Self::new(indexer.clone(), name, id))
    }

    /// The name of the index.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Tells it from others that had or will have its name.
    pub(super) fn id(&self) -> Option<u64> {
        match self.location {
            IndexLocation::Store { id, .. } => Some(id),
            IndexLocation::Beside(_) => None,
        }
    }

    /// The objects with a value; none if no object has it.
    pub fn get<Q>(&self, value: &Q) -> Result<Vec<Arc<Record>>, IndexError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.bucket(value)?.iter().cloned().collect())
    }

    /// Those of them that are in a scope.
    pub fn get_in<Q>(&self, scope: &Scope, value: &Q) -> Result<Vec<Arc<Record>>, IndexError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.bucket(value)?.iter().filter(|record| scope.contains(record.key())).cloned().collect())
    }

    /// The same without copying each object out, for large buckets.
    pub(crate) fn bucket<Q>(&self, value: &Q) -> Result<ShardedMap<Arc<Record>>, IndexError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.read(|index| {
            index.buckets.get(&ByValue(value)).map(|bucket| bucket.objects.clone()).unwrap_or_default()
        })
    }

    /// The keys of the objects with a value, sorted.
    pub fn keys<Q>(&self, value: &Q) -> Result<Vec<ObjectKey>, IndexError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut keys: Vec<_> = self.bucket(value)?.iter().map(|record| record.key().clone()).collect();
        keys.sort();
        Ok(keys)
    }

    /// Exactly the values that some object has now.
    pub fn values(&self) -> Result<Vec<V>, IndexError> {
        let buckets = self.read(|index| index.buckets.clone())?;
        Ok(buckets.iter().map(|bucket| bucket.value.clone()).collect())
    }

    /// The values that the function gives for this object, which need not be in the store.
    pub fn values_of(&self, record: &Arc<Record>) -> Result<Vec<V>, IndexError> {
        let function: IndexFunction<V> = self.read(|index| index.function().clone())?;
        let values = evaluate(&function, record)
            .map_err(|message| IndexError::Function { index: self.name.clone(), message })?;
        Ok(values.iter().flat_map(|values| values.iter()).cloned().collect())
    }

    /// The objects that share any value with this object, each once. The object need not be in the store.
    pub fn sharing(&self, record: &Arc<Record>) -> Result<Vec<Arc<Record>>, IndexError> {
        let function: IndexFunction<V> = self.read(|index| index.function().clone())?;
        let values = evaluate(&function, record)
            .map_err(|message| IndexError::Function { index: self.name.clone(), message })?;
        let buckets: Vec<_> = self.read(|index| {
            let buckets = values.iter().flat_map(|values| values.iter());
            buckets
                .filter_map(|value| index.buckets.get(&ByValue(value)))
                .map(|bucket| bucket.objects.clone())
                .collect()
        })?;
        let mut seen = HashSet::new();
        let objects = buckets.iter().flat_map(ShardedMap::iter);
        Ok(objects.filter(|record| seen.insert(record.key())).cloned().collect())
    }

    /// How many objects have a value.
    #[cfg(test)]
    pub(crate) fn len(&self) -> Result<usize, IndexError> {
        self.read(TypedIndex::len)
    }

    fn read<R>(&self, ask: impl FnOnce(&TypedIndex<V>) -> R) -> Result<R, IndexError> {
        let (indexer, id) = match &self.location {
            IndexLocation::Store { indexer, id } => (indexer, *id),
            IndexLocation::Beside(index) => return Ok(ask(index)),
        };
        let state = indexer.state.read();
        let slot = state.indexes().iter().find(|slot| slot.id == id);
        let slot = slot.ok_or_else(|| IndexError::Unknown(self.name.clone()))?;
        let index = slot.index.as_any().downcast_ref();
        index.map(ask).ok_or_else(|| IndexError::OtherType(self.name.clone()))
    }
}
