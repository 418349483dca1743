//! What `cargo xtask codegen` has packed: the OpenAPI documents of kube-apiserver, with each schema only once.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::value::RawValue;

const SCHEMAS: &[u8] = include_bytes!("schemas.zst");
const DOCUMENTS: &[u8] = include_bytes!("documents.zst");

/// Unpacked when the first object is written or the first document is read, and kept: about 1.3 MB.
static UNPACKED_SCHEMAS: LazyLock<String> = LazyLock::new(|| unpack(SCHEMAS));

/// One schema of a built-in kind or of a part of one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// Such as `io.k8s.api.core.v1.PodSpec`.
    pub(crate) name: &'static str,
    /// The apiVersion and the kind that it is the schema of, with a space between them; empty for parts of objects.
    pub(crate) kind: &'static str,
    pub(crate) json: &'static str,
}

/// All schemas of built-in kinds, sorted by name.
pub(crate) fn schemas() -> impl Iterator<Item = Packed> {
    UNPACKED_SCHEMAS.lines().filter_map(|line| {
        let (name, rest) = line.split_once('\t')?;
        let (kind, json) = rest.split_once('\t')?;
        Some(Packed { name, kind, json })
    })
}

/// A document without the schemas that it shares with others.
#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    pub(super) paths: &'a RawValue,
    /// The names of the schemas that it shares with other documents.
    #[serde(borrow)]
    pub(super) schemas: Vec<&'a str>,
    /// Schemas that have the same name in other documents and are not the same.
    #[serde(borrow)]
    pub(super) own: BTreeMap<&'a str, &'a RawValue>,
}

/// The documents of the built-in groups, unpacked. They are not kept: clients read them once and remember them.
pub(super) struct Documents {
    text: String,
}

impl Documents {
    pub(super) fn unpack() -> Self {
        Self { text: unpack(DOCUMENTS) }
    }

    /// The path of each, such as `apis/apps/v1`, with a hash that is another one if the content is.
    pub(super) fn hashes(&self) -> impl Iterator<Item = (&str, String)> {
        self.lines().map(|(path, json)| (path, hash(&(SCHEMAS, json))))
    }

    pub(super) fn find(&self, path: &str) -> Option<(Document<'_>, String)> {
        let (_, json) = self.lines().find(|(name, _)| *name == path)?;
        Some((serde_json::from_str(json).ok()?, hash(&(SCHEMAS, json))))
    }

    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.lines().filter_map(|line| line.split_once('\t'))
    }
}

/// A hash in the form of those in the addresses of documents.
pub(super) fn hash(content: &impl std::hash::Hash) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016X}", hasher.finish())
}

/// The files are part of the program, so that unpacking cannot fail; tests read all of them.
pub(crate) fn unpack(packed: &[u8]) -> String {
    let length = zstd_safe::get_frame_content_size(packed).ok().flatten().unwrap_or_default();
    let mut text = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    let _length = zstd_safe::decompress(&mut text, packed);
    String::from_utf8(text).unwrap_or_default()
}
