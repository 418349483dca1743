//! Where the documents of a body begin and end, in chunks that are cut anywhere: the events of a watch ([`Frames`]) and
//! the items of a list ([`ListFrames`]). Both stand on `chunks`, which copies a piece only if it crosses a boundary.

mod chunks;
mod ending;
mod frames;
mod list_frames;
mod stream_error;

pub use chunks::OnePass;
pub use ending::Ending;
pub use frames::{Frame, Frames};
pub use list_frames::{FramedItem, ListFrame, ListFrames};
pub use stream_error::StreamError;
