//! The public types of indexes.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use informer_core::panics::WITHHELD;
use informer_core::store::index::IndexFunction;
use informer_core::store::index_build::IndexBuild;
use informer_core::store::index_error::IndexError;
use informer_core::store::index_reader::IndexReader;
use informer_core::store::indexer::Indexer;
use informer_wire::ObjectKey;
use tokio::sync::watch;

use crate::error::{InformerError, Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::informer::engine::Engine;
use crate::informer::index_early::Early;
use crate::informer::process_loop::{Command, report_index_failures};
use crate::object::Object;
use crate::status::Patience;

/// The types that an index function may return: several values, an optional value, or a `Result` of either.
///
/// If the function returns an error, the object is left out of this index, and the error is counted and reported.
pub trait IndexValues<V> {
    /// The values, or what is wrong with the object.
    fn into_values(self) -> Result<Vec<V>, String>;
}

impl<V> IndexValues<V> for Vec<V> {
    fn into_values(self) -> Result<Self, String> {
        Ok(self)
    }
}

impl<V> IndexValues<V> for Option<V> {
    fn into_values(self) -> Result<Vec<V>, String> {
        Ok(self.into_iter().collect())
    }
}

impl<V, T: IndexValues<V>, E: fmt::Display> IndexValues<V> for Result<T, E> {
    fn into_values(self) -> Result<Vec<V>, String> {
        self.map_err(|error| error.to_string())?.into_values()
    }
}

type BuiltIndex<V> = Option<Result<IndexReader<V>, IndexError>>;

/// A secondary index: finds objects by values that a function reads from them. Cheap to clone.
///
/// # What you can rely on
///
/// - The index is part of the cache: a commit shows in both at once, so what [`get`](Self::get) finds is exactly what the
///   [lister](crate::Lister) has under that value at the same commit, and an index is never behind.
/// - A query answers from exactly one commit and from all of it. Two queries may answer from two, the later one never
///   from the earlier commit. What two queries give need not fit together if something changed between them.
/// - An object that is in the index has the values that the function gave for that very version. One for which the
///   function failed or panicked is in the cache and not in the index, and has been reported.
/// - It can be queried at once, and never returns an incomplete answer. If the cache was already filled when the index
///   was added, the index is built in the background; a query before it is [ready](Self::wait_ready) indexes the
///   objects itself, so the first such query takes as long as the index function takes for all objects.
/// - The result of a query belongs to the caller: it does not change, and holding it delays neither the informer nor
///   other readers.
///
/// [`Lister::by_index`](crate::Lister::by_index) reads it through a lister, also within one namespace.
pub struct Index<K, V> {
    name: Arc<str>,
    engine: Arc<Engine>,
    slot: watch::Receiver<BuiltIndex<V>>,
    /// Set if the index was removed before it was built.
    cancelled: Arc<AtomicBool>,
    /// Answers queries until the index is built; `None` if it was built already.
    early: Option<Arc<Early<V>>>,
    of: PhantomData<fn() -> K>,
}

impl<K: Send + Sync + 'static> SharedInformer<K> {
    /// Adds an index, at any time. It can be queried at once. Objects that are in the cache already are indexed in the
    /// background; await [`Index::wait_ready`] if the first query should not do that work.
    ///
    /// The function runs once per object version, before the cache shows it, and never under a lock. A function that
    /// fails or panics leaves that object out of the index.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # use kube_informer::testing::ScriptedSource;
    /// # use kube_informer::SharedInformer;
    /// # let informer = SharedInformer::<Pod>::builder(ScriptedSource::of::<Pod>()).build().unwrap();
    /// let by_node = informer.add_index("node", |pod| {
    ///     pod.get().map(|pod| pod.spec.as_ref().and_then(|spec| spec.node_name.clone()))
    /// });
    /// # let by_node: kube_informer::Index<Pod, String> = by_node;
    /// assert!(by_node.get("node-1").unwrap().is_empty());
    /// ```
    pub fn add_index<V, R, F>(&self, name: impl Into<Arc<str>>, function: F) -> Index<K, V>
    where
        V: Hash + Eq + Clone + Send + Sync + 'static,
        R: IndexValues<V>,
        F: Fn(&Object<K>) -> R + Send + Sync + 'static,
    {
        self.add_or_share(name.into(), function, None)
    }

    /// With a field, the values are those of this field, so an existing index on the same field is used instead of a
    /// new one.
    pub(super) fn add_or_share<V, R, F>(
        &self,
        name: Arc<str>,
        function: F,
        field: Option<&'static str>,
    ) -> Index<K, V>
    where
        V: Hash + Eq + Clone + Send + Sync + 'static,
        R: IndexValues<V>,
        F: Fn(&Object<K>) -> R + Send + Sync + 'static,
    {
        let (answer, slot) = watch::channel::<BuiltIndex<V>>(None);
        let ours = field.is_some();
        let function: IndexFunction<V> = Arc::new(move |record| {
            let values = function(&Object::from_record(record.clone())).into_values();
            // The error of a user's function may quote the object; the error of this crate's field function does not.
            values.map_err(|said| if record.origin.sensitive && !ours { WITHHELD.to_owned() } else { said })
        });
        let mut build = IndexBuild::new(name.clone(), function.clone()).on_field(field);
        let early = Arc::new(Early::new(build.id(), function, field));
        let engine = self.engine().clone();
        let cancelled = Arc::<AtomicBool>::default();
        let wanted = Wanted { answer, cancelled: cancelled.clone(), early: early.clone() };
        if engine.indexer.is_empty() {
            add(&engine, build, wanted);
        } else {
            // The objects that are in the cache now are indexed in a task of their own, so that the writer has only
            // later changes to add.
            let beside = engine.clone();
            let build = async move {
                build.catch_up(beside.indexer.list()).await;
                add(&beside, build, wanted);
            };
            // Refused after the stop; then the sender of the answer is dropped, which ends the waits for the index.
            engine.command(Command::Beside(build.boxed())).ok();
        }
        Index { name, engine, slot, cancelled, early: Some(early), of: PhantomData }
    }
}

/// The caller's side of an index that is being added.
struct Wanted<V> {
    answer: watch::Sender<BuiltIndex<V>>,
    cancelled: Arc<AtomicBool>,
    early: Arc<Early<V>>,
}

/// Has the writer make an index visible.
fn add<V>(engine: &Engine, build: IndexBuild<V>, wanted: Wanted<V>)
where
    V: Hash + Eq + Clone + Send + Sync + 'static,
{
    let Wanted { answer, cancelled, early } = wanted;
    let add = Command::Store(Box::new(move |store, engine| {
        async move {
            if cancelled.load(Ordering::Relaxed) {
                answer.send_replace(Some(Err(IndexError::Unknown(build.name().clone()))));
                return;
            }
            match store.add_index(build).await {
                Ok((reader, failures)) => {
                    answer.send_replace(Some(Ok(reader)));
                    report_index_failures(engine, failures);
                }
                // If another index on the same field was added meanwhile, that one is used.
                Err(IndexError::Duplicate(name)) if early.field().is_some() => {
                    answer.send_replace(Some(IndexReader::find(&engine.indexer, &name, early.field())));
                }
                Err(error) => {
                    answer.send_replace(Some(Err(error)));
                }
            }
            early.free().await;
        }
        .boxed()
    }));
    engine.command(add).ok();
}

impl<K: 'static> SharedInformer<K> {
    /// An index that was added before, by its name.
    pub fn index<V>(&self, name: &str) -> Result<Index<K, V>, InformerError>
    where
        V: Hash + Eq + Clone + Send + Sync + 'static,
    {
        self.index_on(name, None).map_err(|error| InformerError::index(self.kind(), error))
    }

    /// The index of this name, if it is on this field.
    pub(super) fn index_on<V>(
        &self,
        name: &str,
        field: Option<&'static str>,
    ) -> Result<Index<K, V>, IndexError>
    where
        V: Hash + Eq + Clone + Send + Sync + 'static,
    {
        let reader = IndexReader::find(&self.engine().indexer, name, field)?;
        let name = reader.name().clone();
        let (_, slot) = watch::channel(Some(Ok(reader)));
        Ok(Index {
            name,
            engine: self.engine().clone(),
            slot,
            cancelled: Arc::default(),
            early: None,
            of: PhantomData,
        })
    }

    /// The names of the indexes, sorted.
    pub fn index_names(&self) -> Vec<Arc<str>> {
        self.engine().indexer.index_names()
    }
}

impl<K, V: Hash + Eq + Clone + Send + Sync + 'static> Index<K, V> {
    /// The name of the index.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until all objects of the cache are in the index, so that queries are quick.
    pub async fn wait_ready(&self, patience: impl Into<Patience>) -> Result<(), WaitError> {
        let mut slot = self.slot.clone();
        let added = patience.into().wait(slot.wait_for(Option::is_some)).await;
        let added = added.map_err(|waited| {
            WaitError::new(&self.engine.kind, Unmet::NotReady { index: self.name.clone(), waited })
        })?;
        // The index will never be added: the informer has stopped.
        let added = added.ok().and_then(|slot| slot.clone());
        match added.unwrap_or_else(|| Err(IndexError::Unknown(self.name.clone()))) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refused(error).into()),
        }
    }

    fn refused(&self, error: IndexError) -> InformerError {
        InformerError::index(&self.engine.kind, error)
    }

    /// The objects with a value, in no particular order.
    pub fn get<Q>(&self, value: &Q) -> Result<Vec<Object<K>>, InformerError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        Ok(self.ask(|reader| reader.get(value))?.into_iter().map(Object::from_record).collect())
    }

    /// The keys of the objects with a value, sorted.
    pub fn keys<Q>(&self, value: &Q) -> Result<Vec<ObjectKey>, InformerError>
    where
        V: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.ask(|reader| reader.keys(value))
    }

    /// The values that some object has now, in no particular order.
    pub fn values(&self) -> Result<Vec<V>, InformerError> {
        self.ask(IndexReader::values)
    }

    /// The values under which an object is found, or would be: the function is called with it. The object need not be in the
    /// cache, so this also tells where the old state of an object that was updated or deleted was found.
    pub fn values_of(&self, object: &Object<K>) -> Result<Vec<V>, InformerError> {
        self.ask(|reader| reader.values_of(object.record()))
    }

    /// The objects that have any index value in common with this object, each once.
    pub fn sharing(&self, object: &Object<K>) -> Result<Vec<Object<K>>, InformerError> {
        let found = self.ask(|reader| reader.sharing(object.record()))?;
        Ok(found.into_iter().map(Object::from_record).collect())
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(&IndexReader<V>) -> Result<T, IndexError>,
    ) -> Result<T, InformerError> {
        self.reader().and_then(|reader| question(&reader)).map_err(|error| self.refused(error))
    }

    /// Removes the index from the informer, also for other holders of it. A newer index of the same name is not
    /// removed. If this index is still being built, it will not be added.
    pub fn remove(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let slot = self.slot.clone();
        let remove = Command::Store(Box::new(move |store, _| {
            async move {
                // Runs in the writer: if the writer was adding the index when `remove` was called, it has finished that
                // by now.
                let there = slot.borrow().clone();
                if let Some(Ok(index)) = there {
                    store.remove_index(&index).await;
                }
            }
            .boxed()
        }));
        self.engine.command(remove).ok();
    }

    /// Queries the index for a lister of this store: an index of another informer is refused.
    pub(super) fn ask_in<T>(
        &self,
        indexer: &Arc<Indexer>,
        question: impl FnOnce(&IndexReader<V>) -> Result<T, IndexError>,
    ) -> Result<T, InformerError> {
        if !Arc::ptr_eq(&self.engine.indexer, indexer) {
            return Err(self.refused(IndexError::OtherInformer(self.name.clone())));
        }
        self.ask(question)
    }

    fn reader(&self) -> Result<IndexReader<V>, IndexError> {
        let there = || self.slot.borrow().clone();
        if let Some(reader) = there() {
            return reader;
        }
        let unknown = || IndexError::Unknown(self.name.clone());
        if self.slot.has_changed().is_err() {
            // The informer has stopped, so the index will never be added, unless that happened just now.
            return there().unwrap_or_else(|| Err(unknown()));
        }
        match &self.early {
            Some(early) if !self.cancelled.load(Ordering::Relaxed) => {
                let reader = early.reader(&self.engine.indexer, &self.name);
                if there().is_some() {
                    early.forget();
                }
                reader
            }
            _ => Err(unknown()),
        }
    }
}

impl<K, V> Clone for Index<K, V> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            engine: self.engine.clone(),
            slot: self.slot.clone(),
            cancelled: self.cancelled.clone(),
            early: self.early.clone(),
            of: PhantomData,
        }
    }
}

impl<K, V> fmt::Debug for Index<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).finish_non_exhaustive()
    }
}
