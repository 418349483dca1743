//! Asks for one object on its own.
//!
//! A LIST of its name and namespace without a version is a consistent read: the answer is the state at the version that it
//! carries, whatever caches lag behind. Unlike a GET it carries a version also if there is no object, honours the
//! selectors, and needs no verb that the informer does not need anyway.

use std::sync::Arc;

use informer_core::object::ingest::Ingest;
use informer_core::object::known::Known;
use informer_core::object::record::Record;
use informer_core::scope::Scope;
use informer_wire::{ObjectKey, ResourceVersion};

use super::Target;
use super::connection::{Arrival, Connection};
use super::recovery::Trouble;
use crate::source::decode_list::{ListDecoder, ListItem};
use crate::source::{ListParams, ListWatch, Request, Verb};

/// The answer to a look at one key.
#[derive(Debug)]
pub(crate) struct Found {
    /// The version at which the object was like this, or was not there.
    pub(crate) version: ResourceVersion,
    /// The object, `None` if there is none or it cannot be taken in.
    pub(crate) object: Option<Arc<Record>>,
    /// Other objects came as well: the server does not select by name, and what is not in the answer may still be there.
    pub(crate) unselective: bool,
}

/// Asks once.
pub(crate) async fn look_up(
    source: &dyn ListWatch,
    target: &Target,
    ingest: &Ingest,
    known: &dyn Known,
    document_limit: usize,
    key: &ObjectKey,
) -> Result<Found, Trouble> {
    let mut connection = Connection::open(source, request(target, key));
    let mut decoder = ListDecoder::new(document_limit);
    let (mut object, mut unselective) = (None, false);
    loop {
        match connection.arrival().await {
            Arrival::Answered => {}
            Arrival::Failed(error) => return Err(error.into_trouble()),
            Arrival::Bytes(chunk) => decoder.push(chunk),
            Arrival::Ended if decoder.end_of_body() => {}
            Arrival::Ended => {
                let end = decoder.finish()?;
                unselective |= end.continue_token.is_some_and(|token| !token.is_empty());
                return Ok(Found { version: end.version, object, unselective });
            }
        }
        while let Some(item) = decoder.next(ingest, known) {
            match item? {
                ListItem::Object(record) if record.key() == key => object = Some(record),
                ListItem::LeftOut { key: Some(about), .. } if about == *key => {}
                ListItem::Object(_) | ListItem::LeftOut { .. } => unselective = true,
            }
        }
    }
}

/// A list of this one object.
pub(super) fn request(target: &Target, key: &ObjectKey) -> Request {
    let mut request = target.request(Verb::List(ListParams { limit: Some(1), ..ListParams::default() }));
    let own = target.field_selector.iter().filter(|selector| !selector.is_empty()).cloned();
    let name = format!("metadata.name={}", escape(key.name()));
    let namespace = key.namespace().map(|namespace| format!("metadata.namespace={}", escape(namespace)));
    let selectors: Vec<_> = own.chain([name]).chain(namespace).collect();
    request.field_selector = Some(selectors.join(","));
    if let Some(namespace) = informer_wire::key::shared_namespace(key) {
        // With the namespace in its path servers go straight to the object, also where an informer looks at all of them.
        request.scope = Scope::Namespace(namespace.clone());
    }
    request
}

/// As values of field selectors are written.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | ',' | '=') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests;
