//! Indexes as users see them.

use std::borrow::Borrow;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::watch;

use crate::error::{IndexError, InformerError, Unmet, WaitError};
use crate::informer::SharedInformer;
use crate::informer::engine::Engine;
use crate::informer::index_early::Early;
use crate::informer::process_loop::{Command, report_index_failures};
use crate::key::ObjectKey;
use crate::object::Object;
use crate::report::WITHHELD;
use crate::store::index::IndexFunction;
use crate::store::index_build::IndexBuild;
use crate::store::index_reader::IndexReader;
use crate::store::indexer::Indexer;

/// What an index function may give back: values, perhaps one, or either with an error.
///
/// An error leaves the object out of this index, and is counted and reported.
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
/// - It can be asked at once, and never gives an incomplete answer. If the cache was filled when it was added, it is
///   built in the background; a query that comes before it is [ready](Self::wait_ready) indexes what it needs by itself, so the
///   first one takes as long as the function takes for all objects.
/// - What a query gave is yours: it does not change and delays nobody, however long you hold it.
///
/// [`Lister::by_index`](crate::Lister::by_index) reads it through a lister, also within one namespace.
pub struct Index<K, V> {
    name: Arc<str>,
    engine: Arc<Engine>,
    slot: watch::Receiver<BuiltIndex<V>>,
    /// It was removed before it was there.
    cancelled: Arc<AtomicBool>,
    /// Answers until it is there; `None` for one that was there already.
    early: Option<Arc<Early<V>>>,
    of: PhantomData<fn() -> K>,
}

impl<K: Send + Sync + 'static> SharedInformer<K> {
    /// Adds an index, at any time, that can be asked at once. Objects that are in the cache already are indexed in the
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

    /// With a field: the values are those of this field, so one that is there already is used.
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
            // What a user's function says may quote the object; ours does not.
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
            // The objects that are there are indexed beside the writer, which then has only what came since to add.
            let beside = engine.clone();
            let build = async move {
                build.catch_up(beside.indexer.list()).await;
                add(&beside, build, wanted);
            };
            // Refused after the stop; then the answer is dropped with it, and whoever waits for it hears.
            engine.command(Command::Beside(build.boxed())).ok();
        }
        Index { name, engine, slot, cancelled, early: Some(early), of: PhantomData }
    }
}

/// Who asked for an index.
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
                // For one on a field another one on the same field will do.
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

    /// The same, if it is on this field.
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
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Waits until all objects of the cache are in it and queries are quick.
    pub async fn wait_ready(&self, timeout: Duration) -> Result<(), WaitError> {
        let mut slot = self.slot.clone();
        let Ok(added) = tokio::time::timeout(timeout, slot.wait_for(Option::is_some)).await else {
            let unmet = Unmet::NotReady { index: self.name.clone(), waited: timeout };
            return Err(WaitError::new(&self.engine.kind, unmet));
        };
        // Nobody is left to add it: the informer has stopped.
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

    /// The objects that share any value with this one, each once.
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

    /// Removes the index from the informer, for all who hold it. Another one that has its name since is not touched, and
    /// one that is still being built does not appear.
    pub fn remove(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let slot = self.slot.clone();
        let remove = Command::Store(Box::new(move |store, _| {
            async move {
                // Asked by the writer: if it was adding the index when this was called, it has done so.
                let there = slot.borrow().clone();
                if let Some(Ok(index)) = there {
                    store.remove_index(&index).await;
                }
            }
            .boxed()
        }));
        self.engine.command(remove).ok();
    }

    /// Asks for a reader of this store: an index of another informer is refused.
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
            // Nobody is left to add it, unless it was added just now.
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
