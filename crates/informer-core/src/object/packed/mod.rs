//! How the JSON of objects is held: packed with a dictionary that is learned from the first of them, or as what differs from
//! a document that many share.
//!
//! A `Codec` is the way in: one for each informer. It chooses by what it knows of the object's version before and of its
//! relatives; a `Body` unpacks itself.
//!
//! | file | does |
//! |---|---|
//! | `body` | the three forms of a body, and zstd |
//! | `packer`, `trainer` | the dictionary: its sample, and the thread that trains it |
//! | `relatives` | which objects are held as changes of another document |
//! | `base`, `edits` | such a document, and the changes |

mod base;
mod body;
mod edits;
mod packer;
mod relatives;
mod trainer;

use std::sync::Arc;

use informer_wire::Uid;

pub(crate) use self::base::UnpackedBases;
#[cfg(any(test, feature = "testing"))]
pub use self::body::buffers_hold;
pub(crate) use self::body::{Body, Buffer};
pub use self::packer::{PackedForm, Packer};
use self::relatives::Relatives;
use crate::object::origin::Origin;

/// Packs the objects of one informer.
pub(crate) struct Codec {
    packer: Packer,
    relatives: Relatives,
}

impl Codec {
    pub(crate) fn new(packer: Packer) -> Self {
        Self { packer, relatives: Relatives::default() }
    }

    /// Packs one object of which a version may be known, and the uid of its owner: others of that owner are most like it.
    pub(crate) fn pack(
        &self,
        json: &[u8],
        before: Option<&Body>,
        kin: Option<&Uid>,
        origin: &Arc<Origin>,
    ) -> Body {
        self.relatives.pack(json, before, kin, &self.packer, origin)
    }

    /// Packs an object that is none of the informer's: nothing is learned from it, and it shares no document.
    pub(crate) fn pack_apart(&self, json: &[u8]) -> Body {
        self.packer.pack(json)
    }

    /// The first list is complete: the dictionary stays as it is.
    pub(crate) fn first_list_done(&self) {
        self.packer.first_list_done();
    }

    /// How much the dictionary takes in memory.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn dictionary_size(&self) -> usize {
        self.packer.dictionary().map_or(0, |dictionary| dictionary.size())
    }
}
