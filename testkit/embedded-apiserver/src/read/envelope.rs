//! Which kind and apiVersion an object is sent with, and how much of it.

use std::sync::Arc;

use crate::kinds::Resource;
use crate::request::Form;
use crate::storage::Stored;

/// Which kind and apiVersion an object is sent with, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The first fields of each object as JSON, each followed by a comma.
    head: Arc<str>,
    form: Form,
    /// The kind, if its objects are stored in another form.
    converted: Option<Arc<Resource>>,
}

impl Envelope {
    /// For a single object and for the objects in events.
    pub(crate) fn new(resource: &Resource, form: Form) -> Self {
        let kind = &resource.kind;
        let version = resource.api_version();
        let head = match form {
            Form::Metadata => r#""kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","#.into(),
            Form::Whole if resource.custom => format!(r#""apiVersion":"{version}","kind":"{kind}","#).into(),
            Form::Whole => format!(r#""kind":"{kind}","apiVersion":"{version}","#).into(),
        };
        let converted = resource.is_converted().then(|| Arc::new(resource.clone()));
        Self { head, form, converted }
    }

    /// For the items of lists. Items of built-in kinds have neither kind nor apiVersion, as in the real server.
    pub(crate) fn of_items(resource: &Resource, form: Form) -> Self {
        match form {
            Form::Whole if !resource.custom => Self { head: "".into(), ..Self::new(resource, form) },
            Form::Whole | Form::Metadata => Self::new(resource, form),
        }
    }

    pub(crate) fn head(&self) -> &Arc<str> {
        &self.head
    }

    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn write(&self, stored: &Stored, out: &mut Vec<u8>) {
        match self.form {
            Form::Whole => match &self.converted {
                Some(resource) => stored.write_as(resource, &self.head, out),
                None => stored.write_whole(&self.head, out),
            },
            Form::Metadata => stored.write_metadata(&self.head, out),
        }
    }
}
