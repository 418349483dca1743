//! The objects of the benchmark, with the entropy of real clusters, made from templates so that a million of them need
//! not be kept.
//!
//! An app (a Deployment, say) is one template: the JSON of its objects in which everything that differs from object to
//! object, or from version to version, is a hole of a fixed width. Rendering an object is copying the template and
//! filling its holes, which is far faster than any client can read. The protobuf form is encoded from the same JSON.

mod app;
mod fill;
mod hole;
mod others;
mod pod;
mod proto;
mod schema;
mod small;
mod template;
mod world;

#[cfg(test)]
mod tests;

pub use template::Format;
pub use world::{Kind, World, WorldOptions};
