//! JSON's grammar, and nothing of Kubernetes: where strings, values and members begin and end in raw bytes.
//!
//! An object spends its life in the cache as the bytes that the server sent, so most code wants to know where a value
//! stands and not what it is. What does have to be decoded is handed to serde_json.
//!
//! The grammar is read in three ways, because bytes come to us in three ways:
//!
//! - **A document that is here as a whole** is walked by `value_end` and [`Members`]. They check every byte while they
//!   walk, so that one pass over an object both takes it apart and shows that it is JSON. Everything else of this folder
//!   builds on them: [`find`] and [`edit`] cut fields out, [`view`] reads a part into a type.
//! - **A document of the cache** has been checked, so [`view`] steps over what it does not want with less care, and three times
//!   as quickly (`skip`).
//! - **A document that is still coming in** is split off by [`ChunkedMembers`], which remembers where the last chunk
//!   ended. It counts brackets and checks no more than it needs for that: what it splits off is walked as a whole
//!   afterwards, and checking every byte twice would make reading a list slower.
//!
//! All of it is pure and recurses no deeper than a path that was asked for: bytes from the network cannot overflow the
//! stack.

mod check;
mod chunked_members;
mod chunked_value;
mod cut;
mod members;
mod path;
mod same;
mod skip;
mod string;
mod value;
mod view;

pub use check::{Malformed, check, position};
pub use chunked_members::{ChunkedMembers, Mark};
pub use cut::edit;
#[cfg(any(test, feature = "testing"))]
pub use cut::without;
pub use members::{Members, last_member, member_of_beginning};
pub use path::find;
pub use same::same;
pub use string::{decode_string, string_is};
pub use value::{skip_space, string_end};
pub use view::{read, view};
