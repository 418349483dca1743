//! From the JSON of one object to a record.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use informer_wire::KindInfo;
use informer_wire::json;
use informer_wire::{ObjectKey, ResourceVersion, Uid};
use parking_lot::Mutex;

use crate::cause::Cause;
use crate::host::Host;
use crate::object::check::TypeCheck;
use crate::object::decoded::{DecodedCache, DecodedSlot, Decoder, let_go};
use crate::object::error::{attempt, describe};
use crate::object::fields::FieldPath;
use crate::object::head::Head;
use crate::object::intern::Interner;
use crate::object::metadata::{Metadata, ScanError, rough_key, scan, scan_first};
use crate::object::origin::Origin;
use crate::object::packed::{Buffer, Codec, Packer};
use crate::object::record::Record;
use crate::object::transform::{Identity, Transform};

/// How an informer takes objects in.
pub struct IngestOptions {
    /// The kind of the objects.
    pub kind: KindInfo,
    /// Whether the server sends `PartialObjectMetadata`.
    pub metadata_only: bool,
    /// Whether nothing of the content may be printed or kept outside of the object. Always so for core Secrets.
    pub sensitive: bool,
    /// Whether `metadata.managedFields` stay.
    pub keep_managed_fields: bool,
    /// The fields that are cut out.
    pub drop_fields: Vec<FieldPath>,
    /// Changes objects before they are stored.
    pub transform: Option<Arc<dyn Transform>>,
    /// Decodes some objects on trial, see `TypeCheck`.
    pub type_check: Option<Decoder>,
    /// Decodes every object and keeps the result with it (`decoded` mode).
    pub pin: Option<Decoder>,
    /// Where decoded objects stay.
    pub decode_cache: DecodedCache,
    /// With the dictionary of other informers, unless the kind is sensitive.
    pub packer: Option<Packer>,
    /// Hears of what fails.
    pub host: Arc<dyn Host>,
}

impl IngestOptions {
    /// The defaults: packed, without managedFields, nothing checked.
    pub fn new(kind: KindInfo, host: Arc<dyn Host>) -> Self {
        Self {
            kind,
            metadata_only: false,
            sensitive: false,
            keep_managed_fields: false,
            drop_fields: Vec::new(),
            transform: None,
            type_check: None,
            pin: None,
            decode_cache: DecodedCache::default(),
            packer: None,
            host,
        }
    }
}

/// Turns the JSON of objects into records. One per informer, shared by its reflectors.
pub struct Ingest {
    origin: Arc<Origin>,
    /// The type that objects must have, and are given where they lack it.
    whole: TypeMeta,
    /// The same where the server sends metadata only.
    partial: TypeMeta,
    metadata_only: bool,
    keep_managed_fields: bool,
    drop_fields: Vec<FieldPath>,
    transform: Option<Arc<dyn Transform>>,
    type_check: Mutex<Option<Decoder>>,
    pin: Option<Decoder>,
    check: TypeCheck,
    interner: Interner,
    codec: Codec,
}

/// `kind` and `apiVersion`, also as members of a document, each with the comma that follows it.
struct TypeMeta {
    kind: String,
    api_version: String,
    kind_member: Vec<u8>,
    api_version_member: Vec<u8>,
}

impl TypeMeta {
    fn new(kind: &KindInfo, metadata_only: bool) -> Self {
        let (kind, api_version) = if metadata_only {
            ("PartialObjectMetadata".to_owned(), "meta.k8s.io/v1".to_owned())
        } else {
            (kind.kind().to_owned(), kind.api_version())
        };
        let member =
            |key: &str, value: &str| format!("\"{key}\":{},", serde_json::Value::from(value)).into_bytes();
        let (kind_member, api_version_member) = (member("kind", &kind), member("apiVersion", &api_version));
        Self { kind, api_version, kind_member, api_version_member }
    }
}

/// The metadata of an object that was just read, still borrowing its JSON.
pub struct Scanned<'a> {
    pub(crate) key: ObjectKey,
    pub(crate) uid: Uid,
    pub(crate) resource_version: ResourceVersion,
    json: &'a [u8],
    metadata: Metadata<'a>,
}

/// Where an object comes from.
#[derive(Clone, Copy)]
enum From<'a> {
    /// A list or a watch.
    Server {
        /// Another version of it, if there is one in the store.
        before: Option<&'a Record>,
    },
    Elsewhere,
    /// An answer of the server that is judged as it came.
    AsSent,
}

/// Why one object cannot be taken in.
#[derive(Debug)]
pub enum IngestError {
    /// The bytes are not JSON: the whole list or stream is spoilt.
    NotJson(String),
    /// This object alone is the problem: no name, another kind, the transform refused it.
    LeftOut {
        /// Its key, where it could be read.
        key: Option<ObjectKey>,
        /// Empty if it cannot be read.
        version: ResourceVersion,
        /// Why.
        message: String,
    },
}

impl Ingest {
    /// An ingest with these options.
    pub fn new(options: IngestOptions) -> Self {
        let (whole, partial) = (TypeMeta::new(&options.kind, false), TypeMeta::new(&options.kind, true));
        let origin =
            Arc::new(Origin::new(options.kind, options.sensitive, options.decode_cache, options.host));
        Self {
            whole,
            partial,
            metadata_only: options.metadata_only,
            keep_managed_fields: options.keep_managed_fields,
            drop_fields: options.drop_fields,
            transform: options.transform,
            type_check: Mutex::new(options.type_check),
            pin: options.pin,
            check: TypeCheck::default(),
            interner: Interner::new(origin.sensitive),
            codec: Codec::new(
                options.packer.filter(|_| !origin.sensitive).unwrap_or_else(|| Packer::new(origin.sensitive)),
            ),
            origin,
        }
    }

    /// What its records share.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    fn expected(&self) -> &TypeMeta {
        if self.metadata_only { &self.partial } else { &self.whole }
    }

    /// Checks samples against this type from now on.
    pub fn check_type(&self, decoder: Decoder) {
        *self.type_check.lock() = Some(decoder);
    }

    /// Reads an object's metadata and checks that all of the object is JSON.
    pub fn scan<'a>(&self, json: &'a [u8]) -> Result<Scanned<'a>, IngestError> {
        match scan(json) {
            Ok(metadata) => self.scanned(json, metadata),
            Err(ScanError::NotJson(message)) => Err(IngestError::NotJson(message)),
            Err(ScanError::Odd(message)) => {
                let rough = rough_key(json);
                let key = rough.as_ref().map(|rough| self.key(&rough.namespace, &rough.name));
                let version = rough.map_or_else(ResourceVersion::empty, |rough| {
                    ResourceVersion::new(&rough.resource_version)
                });
                Err(IngestError::LeftOut { key, version, message })
            }
        }
    }

    /// Scans the object at the beginning of `bytes`, and also returns where it ends. `None` if `bytes` does not begin
    /// with a complete plain object.
    pub(crate) fn scan_first<'a>(
        &self,
        bytes: &'a [u8],
    ) -> Option<(Result<Scanned<'a>, IngestError>, usize)> {
        let (metadata, end) = bytes.starts_with(b"{").then(|| scan_first(bytes).ok())??;
        Some((self.scanned(bytes.get(..end)?, metadata), end))
    }

    fn scanned<'a>(&self, json: &'a [u8], metadata: Metadata<'a>) -> Result<Scanned<'a>, IngestError> {
        let key = (!metadata.name.is_empty()).then(|| self.key(&metadata.namespace, &metadata.name));
        let version = ResourceVersion::new(&metadata.resource_version);
        if let Some(message) = self.other_type(&metadata) {
            return Err(IngestError::LeftOut { key, version, message });
        }
        let Some(key) = key else {
            return Err(IngestError::LeftOut { key: None, version, message: "it has no name".to_owned() });
        };
        Ok(Scanned { key, uid: Uid::new(&metadata.uid), resource_version: version, json, metadata })
    }

    /// Whether a record of this version was made of content of the same length. It need not be: a new default or another
    /// conversion changes what the server sends of objects that nobody has written since. The bytes themselves may differ for
    /// nothing, in the order of members, between a list and a watch.
    ///
    /// What a transform made of it cannot be compared, nor what was cut out of whole objects; the version has to do then.
    pub(crate) fn is_as_long(&self, record: &Record, scanned: &Scanned<'_>) -> bool {
        if self.transform.is_some() || self.is_too_much(&scanned.metadata) {
            return true;
        }
        let mut buffer = Buffer::new(self.origin.sensitive);
        let json = self.trimmed(scanned.json, &scanned.metadata, &self.drop_fields, &mut buffer.bytes);
        json.len() == record.body.json_len()
    }

    /// Builds the record: dropped fields, transform, type check, interning, packing.
    ///
    /// Runs user code (transform, `Deserialize`, the error callback), so it must never be called with a lock held.
    ///
    /// `before` is another version of the object, if there is one.
    pub fn record(&self, scanned: Scanned<'_>, before: Option<&Record>) -> Result<Arc<Record>, IngestError> {
        self.make_record(scanned, From::Server { before })
    }

    /// The same for an object that is not of the server's lists and watches: the type check and the dictionary do not count
    /// it, and it is not kept decoded.
    pub fn record_apart(&self, scanned: Scanned<'_>) -> Result<Arc<Record>, IngestError> {
        self.make_record(scanned, From::Elsewhere)
    }

    /// The same without what the informer drops and changes: its selectors are about the object as the server has it.
    pub fn record_as_sent(&self, scanned: Scanned<'_>) -> Result<Arc<Record>, IngestError> {
        self.make_record(scanned, From::AsSent)
    }

    fn make_record(&self, scanned: Scanned<'_>, from: From<'_>) -> Result<Arc<Record>, IngestError> {
        if self.is_too_much(&scanned.metadata) {
            return self.metadata_alone(&scanned, from);
        }
        let counts = matches!(from, From::Server { .. });
        let (drop_fields, transform) = match from {
            From::AsSent => (&[][..], None),
            From::Server { .. } | From::Elsewhere => (&*self.drop_fields, self.transform.as_ref()),
        };
        let Scanned { key, uid, resource_version, json, metadata } = scanned;
        let left_out = |message| IngestError::LeftOut {
            key: Some(key.clone()),
            version: resource_version.clone(),
            message,
        };
        let odd = |error: ScanError| match error {
            ScanError::NotJson(message) | ScanError::Odd(message) => left_out(message),
        };

        let mut buffer = Buffer::new(self.origin.sensitive);
        let mut json = Cow::Borrowed(self.trimmed(json, &metadata, drop_fields, &mut buffer.bytes));
        if let Some(transform) = transform {
            json = self.transformed(&**transform, &json, &metadata).map_err(left_out)?.into();
        }
        let changed = transform.is_some() || drop_fields.iter().any(FieldPath::touches_head);
        let again = if changed { Some(scan(&json).map_err(odd)?) } else { None };
        let head = self.head(key, uid, resource_version, again.as_ref().unwrap_or(&metadata));

        if counts && !self.keep_managed_fields && !metadata.managed_fields.is_empty() {
            self.origin.managed_fields_cut.fetch_add(1, Ordering::Relaxed);
        }
        let decoded = if counts { self.trial(&head.key, &json) } else { DecodedSlot::default() };
        let body = match from {
            From::Server { before } => {
                let before = before.map(|record| &record.body);
                self.codec.pack(&json, before, head.kin(), &self.origin)
            }
            From::Elsewhere | From::AsSent => self.codec.pack_apart(&json),
        };
        Ok(Record::with_slot(head, body, &self.origin, decoded))
    }

    /// Whether this is a whole object although metadata was asked for: servers that know no `PartialObjectMetadata` send
    /// whole objects.
    fn is_too_much(&self, metadata: &Metadata<'_>) -> bool {
        self.metadata_only && metadata.kind != self.partial.kind
    }

    /// The record of a whole object's metadata, as if the server had left out the rest.
    fn metadata_alone(&self, scanned: &Scanned<'_>, from: From<'_>) -> Result<Arc<Record>, IngestError> {
        let metadata = json::last_member(scanned.json, "metadata").unwrap_or(b"{}");
        let (kind, api_version) = (&*self.partial.kind_member, &*self.partial.api_version_member);
        let json = [b"{", kind, api_version, b"\"metadata\":", metadata, b"}"].concat();
        self.make_record(self.scan(&json)?, from)
    }

    /// The first list is complete: the type check decides, and the dictionary stays as it is.
    ///
    /// Runs the error callback, so it must never be called with a lock held.
    pub fn first_list_done(&self) {
        self.codec.first_list_done();
        self.report(self.check.first_list_done());
    }

    /// What the decoder said, if none of the objects on trial decoded into the informer's type.
    pub fn wrong_type(&self) -> Option<String> {
        self.check.wrong_type()
    }

    /// How much the dictionary takes in memory.
    #[cfg(any(test, feature = "testing"))]
    pub fn dictionary_size(&self) -> usize {
        self.codec.dictionary_size()
    }

    /// Says so if the object is of another type than the informer's.
    fn other_type(&self, metadata: &Metadata<'_>) -> Option<String> {
        let differs =
            |found: &str, expected: &str| !found.is_empty() && !expected.is_empty() && found != expected;
        let is_other = |expected: &TypeMeta| {
            differs(&metadata.kind, &expected.kind) || differs(&metadata.api_version, &expected.api_version)
        };
        let expected = self.expected();
        // Metadata can be read from a whole object as well.
        let other = is_other(expected) && is_other(&self.whole);
        let word = |text: &str| if text.is_empty() { "(unnamed)".to_owned() } else { text.to_owned() };
        other.then(|| {
            let (kind, api_version) = (word(&metadata.kind), word(&metadata.api_version));
            format!("it is a {kind} of {api_version}, not a {} of {}", expected.kind, expected.api_version)
        })
    }

    fn key(&self, namespace: &str, name: &str) -> ObjectKey {
        let in_namespace = !namespace.is_empty() && self.origin.kind.is_namespaced() != Some(false);
        informer_wire::key::from_parts(in_namespace.then(|| self.interner.text(namespace)), name.into())
    }

    /// Without managedFields and dropped fields, with kind and apiVersion. As it is, or written into the buffer.
    fn trimmed<'a>(
        &'a self,
        json: &'a [u8],
        metadata: &Metadata<'_>,
        drop_fields: &[FieldPath],
        buffer: &'a mut Vec<u8>,
    ) -> &'a [u8] {
        let mut parts = Vec::new();
        if !self.keep_managed_fields {
            parts.extend_from_slice(&metadata.managed_fields);
        }
        if !drop_fields.is_empty() {
            json::find(json, drop_fields.iter().map(FieldPath::steps), &mut parts);
        }
        if metadata.blank_type {
            json::find(json, FieldPath::of_type().iter().map(FieldPath::steps), &mut parts);
        }
        // The items of a list of a built-in kind come without their type.
        let expected = self.expected();
        let if_missing = |found: &str, value: &str, member: &'a [u8]| {
            let missing = (found.is_empty() || metadata.blank_type) && !value.is_empty();
            if missing { member } else { &[] }
        };
        let kind = if_missing(&metadata.kind, &expected.kind, &expected.kind_member);
        let api_version =
            if_missing(&metadata.api_version, &expected.api_version, &expected.api_version_member);
        if parts.is_empty() && kind.is_empty() && api_version.is_empty() {
            return json;
        }
        buffer.clear();
        // The object is not empty, which `edit` needs to add something: it has a name.
        json::edit(json, &[kind, api_version], &mut parts, buffer);
        buffer
    }

    /// What the transform makes of an object, with the identity it had.
    fn transformed(
        &self,
        transform: &dyn Transform,
        json: &[u8],
        metadata: &Metadata<'_>,
    ) -> Result<Vec<u8>, String> {
        let sensitive = self.origin.sensitive;
        let result = transform.apply(json).map_err(|error| error.describe(sensitive))?;
        let or =
            |found: &'_ str, expected: &'_ str| if expected.is_empty() { found } else { expected }.to_owned();
        let identity = Identity {
            kind: &or(&metadata.kind, &self.expected().kind),
            api_version: &or(&metadata.api_version, &self.expected().api_version),
            name: &metadata.name,
            namespace: &metadata.namespace,
            uid: &metadata.uid,
            resource_version: &metadata.resource_version,
        };
        match scan(&result) {
            Ok(found) if identity.is_that_of(&found) => Ok(result),
            Ok(_) | Err(ScanError::Odd(_)) => identity.restore(&result).map_err(|error| {
                format!("the transform made no object of it: {}", describe(&error, sensitive))
            }),
            Err(ScanError::NotJson(message)) => Err(format!("the transform made no JSON of it: {message}")),
        }
    }

    fn head(
        &self,
        key: ObjectKey,
        uid: Uid,
        resource_version: ResourceVersion,
        metadata: &Metadata<'_>,
    ) -> Head {
        self.interner.records(self.origin.alive.load(Ordering::Relaxed));
        Head {
            key,
            uid,
            resource_version,
            generation: metadata.generation.into(),
            created: metadata.created.into(),
            deleted: metadata.deleted.into(),
            labels: self.interner.labels(&metadata.labels),
            owners: self.interner.owners(&metadata.owners),
            finalizers: self.interner.finalizers(&metadata.finalizers),
        }
    }

    /// Decodes the object where the mode or the type check wants it, and reports what fails.
    fn trial(&self, key: &ObjectKey, json: &[u8]) -> DecodedSlot {
        let due = || if self.check.is_due() { *self.type_check.lock() } else { None };
        let Some(decode) = self.pin.or_else(due) else { return DecodedSlot::default() };
        let (slot, result) = match attempt(self.origin.sensitive, || decode(json)) {
            Ok(value) if self.pin.is_some() => (DecodedSlot::pinned(value), Ok(())),
            Ok(value) => {
                let_go(value, key, &self.origin);
                (DecodedSlot::default(), Ok(()))
            }
            Err(message) => (DecodedSlot::default(), Err(message)),
        };
        self.report(self.check.judge(key, result));
        slot
    }

    fn report(&self, causes: Vec<Cause>) {
        for cause in causes {
            self.origin.host.failed(cause);
        }
    }
}

#[cfg(test)]
mod tests;
