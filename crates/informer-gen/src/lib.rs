//! Generates accessors for kinds on kube-informer's `SharedInformerFactory`, by group, version and kind:
//! `factory.example_com().v1().widgets()`. Kinds can have typed indexes.
//!
//! The accessors for built-in kinds, which are part of kube-informer, are made by the same generator.
//!
//! ```
//! use informer_gen::{Availability, KindSpec, Model, Place, SpecScope, Style, custom_kinds};
//!
//! let widget = KindSpec {
//!     group: "example.com".into(),
//!     version: "v1".into(),
//!     kind: "Widget".into(),
//!     plural: "widgets".into(),
//!     scope: SpecScope::Namespaced,
//!     type_path: "crate::Widget".into(),
//!     indexes: Vec::new(),
//!     availability: Availability::ALWAYS,
//!     place: Place::file("build.rs"),
//! };
//! let model = Model::of_custom_kinds(vec![widget])?;
//! let text = custom_kinds(&model, &["build.rs".into()], Style::default());
//! assert!(text.contains("pub fn widgets(self) -> Access<crate::Widget> {"));
//! # Ok::<(), informer_gen::InputError>(())
//! ```
//!
//! [`read`] reads kinds from a description file or from Rust sources. The command `informer-gen` does both; the feature
//! `command`, on by default, builds it, and a library has no use for it.

mod derive;
mod description;
mod difference;
mod emit;
mod input;
mod model;
mod names;
mod problem;
mod rules;

pub use difference::difference;
pub use emit::built_in::{File, built_in_kinds};
pub use emit::code::Style;
pub use emit::custom::custom_kinds;
pub use input::read;
pub use model::{Availability, Group, IndexSpec, KindSpec, Model, SpecScope};
pub use problem::{InputError, Place, Problem};
