//! What the caches hold, without the contents: keys, uids, versions and digests of objects.

mod page;

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

use kube_informer::SharedInformer;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use self::page::{Most, Page};

/// The path of the page with all informers. That of an informer's objects follows with its name, `/` and the key after which
/// the page begins, both percent-encoded.
pub(crate) const PATH: &str = "/debug/digests";

/// An informer whose objects [`Endpoint::digests`](crate::Endpoint::digests) tells of.
#[derive(Clone)]
pub struct Digested(SharedInformer<()>);

impl Digested {
    /// Of any kind.
    pub fn new<K: 'static>(informer: &SharedInformer<K>) -> Self {
        Self(informer.as_kind())
    }
}

impl fmt::Debug for Digested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Digested").field(&self.0.name()).finish()
    }
}

/// The digest of an object's JSON: the first 16 bytes of SHA-256, in hexadecimal, of the JSON with sorted members, without blanks and
/// without `kind`, `apiVersion`, which items of lists lack, and `metadata.managedFields`. `None` if it is not an object.
pub fn digest(json: &[u8]) -> Option<String> {
    let mut object: Value = serde_json::from_slice(json).ok()?;
    let members = object.as_object_mut()?;
    members.remove("kind");
    members.remove("apiVersion");
    if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let hash = ring::digest::digest(&ring::digest::SHA256, &serde_json::to_vec(&object).ok()?);
    let mut text = String::with_capacity(32);
    for byte in &hash.as_ref()[..16] {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}

/// What is answered: a text that is there, or a page that is still to be made.
pub(crate) enum Answer {
    Index(String),
    Page(Box<Page>),
}

/// The answer for what follows [`PATH`]; `None` if there is no such informer.
pub(crate) fn answer(informers: &[Digested], rest: &str) -> Option<Answer> {
    let Some(rest) = rest.strip_prefix('/').filter(|rest| !rest.is_empty()) else {
        let informers: Vec<_> = informers.iter().map(|Digested(informer)| about(informer)).collect();
        return Some(Answer::Index(format!("{:#}\n", json!({ "informers": informers }))));
    };
    let (name, after) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, after) = (decoded(name)?, decoded(after)?);
    let Digested(informer) = informers.iter().find(|Digested(informer)| informer.name() == name)?;
    Some(Answer::Page(Box::new(Page::new(informer, after, Most::default()))))
}

impl Answer {
    /// All of it now, for a program that answers by itself.
    pub(crate) fn at_once(self) -> String {
        match self {
            Self::Index(text) => text,
            Self::Page(mut page) => {
                while !page.step() {}
                page.text()
            }
        }
    }

    /// In small steps, between which others have their turn. Only one page is made at a time, however many ask.
    pub(crate) async fn in_steps(self, one_at_a_time: Arc<Semaphore>) -> String {
        match self {
            Self::Index(text) => text,
            Self::Page(mut page) => {
                // It is never closed.
                let _turn = one_at_a_time.acquire().await;
                while !page.step() {
                    tokio::task::yield_now().await;
                }
                page.text()
            }
        }
    }
}

fn about(informer: &SharedInformer<()>) -> Value {
    let status = informer.status();
    let why = if status.sensitive {
        Some("the kind is sensitive")
    } else if status.altered {
        Some("the program does not keep whole objects as the server has them")
    } else {
        None
    };
    json!({
        "name": status.name,
        "group": status.kind.group(),
        "version": status.kind.version(),
        "kind": status.kind.kind(),
        "plural": status.kind.plural(),
        "namespaces": informer.namespaces(),
        "synced": status.synced,
        "stopped": status.stopped,
        "objects": status.objects,
        "digests": why.is_none(),
        "noDigestsBecause": why,
    })
}

/// Percent-decodes; `None` if it is not valid.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (code, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
