//! The typed face of a record.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use informer_core::object::error::attempt;
use informer_core::object::fields::FieldPath;
use informer_core::object::head::OwnerReference;
use informer_core::object::ingest::{Ingest, IngestError, IngestOptions};
use informer_core::object::record::Record;
use informer_core::object::{decoded, field_values};
use informer_wire::json;
use informer_wire::{ObjectKey, ResourceVersion, Uid};
use jiff::Timestamp;
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde::{Deserialize, Serialize};

use crate::error::ObjectError;
use crate::kind::{Kind, KindInfo};
use crate::object::labels::Labels;
use crate::report::Reporter;

/// One version of one object in an informer's cache. Cheap to clone, never changes.
///
/// Metadata is at hand without decoding; [`get`](Self::get) decodes the whole object, [`view`](Self::view) the part that
/// a struct of yours names. There is no `PartialEq`, since it would have to choose between the object, its version and
/// its content: see [`same_object`](Self::same_object) and [`same_version`](Self::same_version).
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::Object;
///
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("web-1".into());
/// pod.metadata.namespace = Some("shop".into());
/// pod.metadata.labels = Some([("app".into(), "web".into())].into());
/// let pod = Object::new(&pod)?;
///
/// assert_eq!(pod.to_string(), "Pod shop/web-1");
/// assert_eq!(pod.labels().get("app"), Some("web"));
/// assert!(pod.get()?.spec.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Object<K> {
    record: Arc<Record>,
    of: PhantomData<fn() -> K>,
}

impl<K> Object<K> {
    pub(crate) fn from_record(record: Arc<Record>) -> Self {
        Self { record, of: PhantomData }
    }

    pub(crate) fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// An object from a typed value, as an informer would hold it, for tests of handlers and index functions.
    ///
    /// It needs a name. As in an informer, managedFields are left out.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kube_informer::Object;
    ///
    /// let mut map = ConfigMap::default();
    /// assert!(Object::new(&map).is_err(), "it has no name");
    /// map.metadata.name = Some("settings".into());
    /// assert_eq!(Object::new(&map)?.name(), "settings");
    /// # Ok::<(), kube_informer::error::ObjectError>(())
    /// ```
    pub fn new(value: &K) -> Result<Self, ObjectError>
    where
        K: Kind<Dynamic = ()> + Serialize,
    {
        let kind = K::info(&());
        let json =
            serde_json::to_vec(value).map_err(|error| ObjectError::invalid(&kind, error.to_string()))?;
        Self::build(&kind, &json, K::metadata_only())
    }

    /// An object of any kind from its JSON. `kind` and `apiVersion` are added if they are missing.
    ///
    /// ```
    /// use kube_core::DynamicObject;
    /// use kube_informer::kind::KindInfo;
    /// use kube_informer::Object;
    ///
    /// let kind = KindInfo::new("example.com", "v1", "Widget", "widgets").namespaced(true);
    /// let json = br#"{"metadata": {"name": "a", "namespace": "b"}, "spec": {"size": 3}}"#;
    /// let widget = Object::<DynamicObject>::from_json(&kind, json)?;
    /// assert_eq!(widget.get()?.data["spec"]["size"], 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(kind: &KindInfo, json: &[u8]) -> Result<Self, ObjectError> {
        Self::build(kind, json, false)
    }

    fn build(kind: &KindInfo, json: &[u8], metadata_only: bool) -> Result<Self, ObjectError> {
        let reporter = Arc::new(Reporter::new(kind.clone(), None));
        let ingest =
            Ingest::new(IngestOptions { metadata_only, ..IngestOptions::new(kind.clone(), reporter) });
        match ingest.scan(json).and_then(|scanned| ingest.record(scanned, None)) {
            Ok(record) => Ok(Self::from_record(record)),
            Err(IngestError::NotJson(message) | IngestError::LeftOut { message, .. }) => {
                Err(ObjectError::invalid(kind, message))
            }
        }
    }

    /// Namespace and name.
    pub fn key(&self) -> &ObjectKey {
        &self.record.head.key
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.key().name()
    }

    /// The namespace, `None` for objects of the whole cluster.
    pub fn namespace(&self) -> Option<&str> {
        self.key().namespace()
    }

    /// The uid of this incarnation of the name.
    pub fn uid(&self) -> &Uid {
        &self.record.head.uid
    }

    /// The version.
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.record.head.resource_version
    }

    /// How often the wanted state has changed, for kinds that count it.
    pub fn generation(&self) -> Option<i64> {
        self.record.head.generation.get()
    }

    /// When it was created, to the second.
    pub fn creation_timestamp(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.record.head.created.get()?).ok()
    }

    /// When it is to be gone, to the second; `Some` means that it is being deleted.
    pub fn deletion_timestamp(&self) -> Option<Timestamp> {
        Timestamp::from_second(self.record.head.deleted.get()?).ok()
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        Labels::of(&self.record.head.labels)
    }

    /// The owner references.
    pub fn owners(&self) -> &[OwnerReference] {
        &self.record.head.owners
    }

    /// The owner that manages this object, such as the ReplicaSet of a pod.
    pub fn controller_owner(&self) -> Option<&OwnerReference> {
        self.owners().iter().find(|owner| owner.controller)
    }

    /// The finalizers.
    pub fn finalizers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.record.head.finalizers.iter().map(|finalizer| &**finalizer)
    }

    /// The annotations. They are often large and rarely read, so they are read from the packed object at each call.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::Object;
    /// # let mut map = ConfigMap::default();
    /// # map.metadata.name = Some("settings".into());
    /// map.metadata.annotations = Some([("note".into(), "hello".into())].into());
    /// let map = Object::new(&map)?;
    /// assert_eq!(map.annotations()?.get("note").map(String::as_str), Some("hello"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn annotations(&self) -> Result<BTreeMap<String, String>, ObjectError> {
        #[derive(Deserialize)]
        struct Document {
            metadata: AnnotatedMetadata,
        }
        #[derive(Deserialize)]
        struct AnnotatedMetadata {
            annotations: Option<BTreeMap<String, Option<String>>>,
        }
        let annotations = self.view::<Document>()?.metadata.annotations.unwrap_or_default();
        Ok(annotations.into_iter().map(|(key, value)| (key, value.unwrap_or_default())).collect())
    }

    /// The whole object, decoded. As long as a caller still holds the decoded value, other calls return the same copy; what is
    /// read again and again stays in memory without that ([`DecodeCache`](crate::object::DecodeCache)).
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::Object;
    /// # let mut map = ConfigMap::default();
    /// # map.metadata.name = Some("settings".into());
    /// map.data = Some([("color".into(), "blue".into())].into());
    /// let object = Object::new(&map)?;
    /// let decoded = object.get()?;
    /// assert_eq!(decoded.data, map.data);
    /// assert!(std::sync::Arc::ptr_eq(&decoded, &object.clone().get()?));
    ///
    /// let mut mine = (*decoded).clone(); // to change it, copy it
    /// mine.data = None;
    /// assert_eq!(object.get()?.data, map.data);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// What the cache holds cannot be changed through it:
    ///
    /// ```compile_fail,E0594
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # fn change(object: kube_informer::Object<ConfigMap>) {
    /// let mut decoded = object.get().unwrap();
    /// decoded.data = None;
    /// # }
    /// ```
    pub fn get(&self) -> Result<Arc<K>, ObjectError>
    where
        K: DeserializeOwned + Send + Sync + 'static,
    {
        decoded::get(&self.record).map_err(|message| self.undecodable(message))
    }

    /// The part of the object that a struct of yours names, read from the JSON; the rest is skipped.
    ///
    /// ```
    /// use serde::Deserialize;
    /// # use k8s_openapi::api::core::v1::{Pod, PodSpec};
    /// # use kube_informer::Object;
    /// # let mut pod = Pod::default();
    /// # pod.metadata.name = Some("web-1".into());
    /// # pod.spec = Some(PodSpec { node_name: Some("node-7".into()), ..PodSpec::default() });
    /// # let pod = Object::new(&pod)?;
    ///
    /// #[derive(Deserialize)]
    /// struct Placement {
    ///     spec: PlacementSpec,
    /// }
    ///
    /// #[derive(Deserialize)]
    /// #[serde(rename_all = "camelCase")]
    /// struct PlacementSpec {
    ///     node_name: Option<String>,
    /// }
    ///
    /// let placement: Placement = pod.view()?;
    /// assert_eq!(placement.spec.node_name.as_deref(), Some("node-7"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn view<V: DeserializeOwned>(&self) -> Result<V, ObjectError> {
        attempt(self.record.origin.sensitive, || self.record.with_json(json::view))
            .map_err(|message| self.undecodable(message))
    }

    /// The values of the field that a path leads to, read from the JSON; the rest is skipped.
    pub(crate) fn values_at<V: DeserializeOwned>(&self, path: &FieldPath) -> Result<Vec<V>, ObjectError> {
        // Every controller has an index of these, and nothing has to be unpacked for them. An error is told as for other fields.
        if path.leads_to_owner_uids()
            && let Ok(uids) = self.owner_uids()
        {
            return Ok(uids);
        }
        attempt(self.record.origin.sensitive, || {
            self.record.with_json(|json| field_values::values_at(json, path))
        })
        .map_err(|message| self.undecodable(message))
    }

    fn undecodable(&self, message: String) -> ObjectError {
        ObjectError::undecodable(self.kind().clone(), self.key().clone(), message)
    }

    fn owner_uids<V: DeserializeOwned>(&self) -> Result<Vec<V>, serde::de::value::Error> {
        let uids = self.owners().iter().map(|owner| &owner.uid).filter(|uid| !uid.is_empty());
        uids.map(|uid| V::deserialize(uid.to_string().into_deserializer())).collect()
    }

    /// The JSON as it is stored: without managedFields and dropped fields, after the transform.
    pub fn raw_json(&self) -> Vec<u8> {
        self.record.with_json(<[u8]>::to_vec)
    }

    /// How many bytes the packed JSON takes in memory. Objects that are alike share most of it.
    pub fn packed_size(&self) -> usize {
        self.record.held()
    }

    /// Whether both are the same incarnation of the same object, perhaps at different versions. False without a uid.
    pub fn same_object<V>(&self, other: &Object<V>) -> bool {
        !self.uid().is_empty() && self.record.same_incarnation(&other.record)
    }

    /// Whether both are the same version of the same object. False when the uid or the version is missing.
    pub fn same_version<V>(&self, other: &Object<V>) -> bool {
        self.record.same_version(&other.record)
    }

    /// The same object with another type to decode into: a slimmer struct, `DynamicObject`, `PartialObjectMeta`. Free.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube_informer::Object;
    /// # let mut map = ConfigMap::default();
    /// # map.metadata.name = Some("settings".into());
    /// # let map = Object::new(&map)?;
    /// let dynamic = map.as_kind::<kube_core::DynamicObject>().get()?;
    /// assert_eq!(dynamic.types.as_ref().map(|types| types.kind.as_str()), Some("ConfigMap"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn as_kind<V>(&self) -> Object<V> {
        Object::from_record(self.record.clone())
    }

    /// Group, version, kind and plural.
    pub fn kind(&self) -> &KindInfo {
        &self.record.origin.kind
    }
}

impl<K> Clone for Object<K> {
    fn clone(&self) -> Self {
        Self::from_record(self.record.clone())
    }
}

impl<K> fmt::Display for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", informer_wire::kind::noun(self.kind()), self.key())
    }
}

impl<K> fmt::Debug for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", informer_wire::kind::noun(self.kind()), self.key())
    }
}

#[cfg(test)]
mod tests;
