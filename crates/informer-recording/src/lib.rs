//! Records what kube-informer informers list and watch, without secrets, and replays it as the source of their objects: a bug
//! report that can be run, and a fixture for tests.
//!
//! - A [`Recorder`] writes lists, watch events and failures into a file while informers run. Secrets are taken out before anything
//!   is written.
//! - A [`Recording`] is such a file as a source for a [`SharedInformer`](kube_informer::SharedInformer) or a whole
//!   [`SharedInformerFactory`](kube_informer::SharedInformerFactory): the same sequence of bytes every time, at any
//!   [`Speed`], on tokio's time, so that paused time works.
//! - A [`RecordingProxy`] records what clients of any make ask for, and a [`ReplayServer`] answers them.
//!
//! The command `informer` has all of it as `informer record` and `informer replay`.

mod exchange;
mod file;
mod http;
mod record;
mod recorder;
mod recording;
mod redact;
mod replay;
mod source;
mod split;
mod target;
mod timeline;

pub use http::{LocalServer, RecordingProxy, ReplayServer};
pub use recorder::{Recorded, Recorder};
pub use recording::{OpenError, RecordedKind, Recording};
pub use redact::is_harmless;
pub use replay::{ReplayedSource, Speed, SpeedError};
pub use source::{RecordedSource, RecordedSources};
