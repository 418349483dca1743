//! An object as JSON, as the commands show it.

use kube_client::api::DynamicObject;
use kube_informer::Object;
use serde_json::Value;

/// Everything that is known of an object, with the kind that items of a list lack. What cannot be read is null.
pub(crate) fn content(object: &Object<DynamicObject>) -> Value {
    let mut content: Value = serde_json::from_slice(&object.raw_json()).unwrap_or_default();
    if let Some(members) = content.as_object_mut() {
        members.entry("kind").or_insert_with(|| object.kind().kind().into());
        members.entry("apiVersion").or_insert_with(|| object.kind().api_version().into());
    }
    content
}
