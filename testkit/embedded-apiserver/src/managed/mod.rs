//! Who owns which fields of an object (`metadata.managedFields`), and server-side apply. What it does is what
//! structured-merge-diff and the field managers of kube-apiserver do.

mod builtin;
mod compare;
mod convert;
mod element;
mod entries;
mod field_set;
mod kind;
mod merge;
mod options;
mod reconcile;
mod remove;
pub(crate) mod scale;
mod set;
mod types;
mod updater;
mod validate;
mod writer;

pub(crate) use element::Element;
pub(crate) use entries::{Managed, keep_times};
pub(crate) use kind::{Kind, ignored};
pub(crate) use options::{Form, configuration, problems};
pub(crate) use set::Set;
pub(crate) use writer::{Writer, manager_name};
