//! Objects as JSON.

use std::borrow::Cow;

use informer_wire::document::whole;
use kube_client::api::DynamicObject;
use kube_informer::Object;
use serde_json::Value;

use crate::secrets;

/// A whole object with kind and apiVersion, which items of lists lack. Null if the object cannot be decoded.
pub(crate) fn content(object: &Object<DynamicObject>) -> Value {
    #[cfg(test)]
    READS.with(|reads| reads.set(reads.get() + 1));
    whole(&object.raw_json(), object.kind())
}

/// The same without the values of Secrets.
pub(crate) fn shown(object: &Object<DynamicObject>) -> Value {
    let mut content = content(object);
    if is_secret(object) {
        secrets::hide(&mut content);
    }
    content
}

/// Two versions of an object without the values of Secrets; one that changed is marked in the new version.
pub(crate) fn shown_both(old: &Object<DynamicObject>, new: &Object<DynamicObject>) -> (Value, Value) {
    let (mut was, mut is) = (content(old), content(new));
    if is_secret(new) {
        secrets::hide_both(&mut was, &mut is);
    }
    (was, is)
}

/// A value in a sentence or a cell: a text without quotes, anything else as JSON.
pub(crate) fn text(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Cow::from)
}

fn is_secret(object: &Object<DynamicObject>) -> bool {
    secrets::is_secret(object.kind().group(), object.kind().plural())
}

#[cfg(test)]
thread_local! {
    static READS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many objects this thread has decoded.
#[cfg(test)]
pub(crate) fn reads() -> usize {
    READS.with(std::cell::Cell::get)
}
