//! Events: what `kubectl describe` shows of what was done to an object and what went wrong.
//!
//! [`EventRecorder`] writes them as `events.k8s.io/v1`, as client-go's recorder of that API does, and protects the server as the
//! older one does. Nobody waits for it: what is told too fast is dropped and counted.
//!
//! - **Series.** The same event again is no new object: its `series.count` is written at the second one, every 30 minutes, and when
//!   it has been quiet for 6 minutes.
//! - **Aggregation.** From the tenth note under one reason on, within 10 minutes of each other, there is one event for all
//!   further ones: *(combined from similar events): …*.
//! - **Spam filter.** An object has 25 events of a type, and one more every 5 minutes; see [`RecorderOptions`].
//! - **Memory.** At most 1,000 events wait to be looked at, and 4,096 series are remembered.
//! - **Leadership.** A recorder does not ask for it: a leader of the past may still say what it did while it led.
//! - **Failures.** Requests that may succeed later are tried twelve times, about 10 s apart. What the server refuses, as in a namespace that is
//!   being deleted, is not.
//! - **Time.** Events have the time of the runtime: on tokio's paused time it stands still and is advanced with it.
//!
//! Metrics, with the label `controller`: `events_written_total`, and `events_dropped_total` with `reason` (`spam`, `full`,
//! `refused`, `failed`).

mod core;
mod event;
mod limit;
mod meter;
mod sink;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube_client::Client;
use kube_informer::Object;
use kube_informer::status::Patience;
use tokio::sync::{mpsc, oneshot};

use self::core::{Core, Dropped, Rules};
pub use self::event::Note;
use self::event::{LONGEST_WORD, Reference, cut};
use self::meter::Meter;
use self::sink::Message;
use crate::clock;

/// How many events can wait to be looked at. As in client-go.
const WAITING: usize = 1000;

/// What can be set of a recorder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecorderOptions {
    /// Which one of several replicas it is. The default is the name of the controller and that of the machine.
    pub instance: Option<String>,
    /// How many events of a type an object may have at once.
    pub burst: u32,
    /// How soon it may have one more then.
    pub one_per: Duration,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self { instance: None, burst: 25, one_per: Duration::from_secs(300) }
    }
}

impl RecorderOptions {
    /// Sets which one of several replicas it is.
    #[must_use]
    pub fn instance(mut self, instance: impl Into<String>) -> Self {
        self.instance = Some(instance.into());
        self
    }

    /// Sets how many events of a type an object may have at once, and how soon it may have one more then.
    #[must_use]
    pub fn spam_filter(mut self, burst: u32, one_per: Duration) -> Self {
        self.burst = burst;
        self.one_per = one_per;
        self
    }
}

/// Tells people what happened to objects. See [the module](self).
///
/// ```
/// # use embedded_apiserver::EmbeddedApiserver;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// use std::time::Duration;
/// use informer_controller::EventRecorder;
/// use informer_controller::recorder::{Note, RecorderOptions};
/// # use kube_informer::Object;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let client = EmbeddedApiserver::new().client();
/// # let mut map = ConfigMap::default();
/// # (map.metadata.name, map.metadata.namespace) = (Some("web".into()), Some("default".into()));
/// # (map.metadata.uid, map.metadata.resource_version) = (Some("u".into()), Some("1".into()));
/// # let object = Object::new(&map)?;
/// let recorder = EventRecorder::new(client, "example.com/scaler", RecorderOptions::default());
/// recorder.event(&object, Note::normal("Scaled", "from 3 to 5").action("Scale"));
/// recorder.flush(Duration::from_secs(10)).await; // at the end of the program
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct EventRecorder {
    controller: Arc<str>,
    told: mpsc::Sender<Message>,
    meter: Meter,
}

impl EventRecorder {
    /// A recorder for a controller, which has a name as the server wants it for `reportingController`, `example.com/scaler` or
    /// `scaler`. It writes from a task of its own, so it is made within a Tokio runtime; the task ends when the last clone is
    /// dropped and all is written.
    pub fn new(client: Client, controller: impl Into<Arc<str>>, options: RecorderOptions) -> Self {
        let controller = controller.into();
        let instance = options.instance.unwrap_or_else(|| format!("{controller}-{}", machine()));
        let meter = Meter::new(&controller);
        let core = Core::new(Rules {
            controller: controller.clone(),
            instance: cut(instance, LONGEST_WORD),
            burst: options.burst,
            one_per: options.one_per,
        });
        let (told, messages) = mpsc::channel(WAITING);
        tokio::spawn(sink::run(core, messages, client, meter.clone()));
        Self { controller, told, meter }
    }

    /// Tells of an event that regards this object. Events of objects without a namespace are in `default`.
    pub fn event<K>(&self, regarding: &Object<K>, event: Note) {
        let message = Message::Event(Box::new((Reference::to(regarding), event, clock::now())));
        if self.told.try_send(message).is_err() {
            self.meter.count(Err(Dropped::Full));
        }
    }

    /// Waits until the server has all that was told so far, with the counts of series, but not longer than `patience`.
    /// Whether it has.
    pub async fn flush(&self, patience: impl Into<Patience>) -> bool {
        let patience = patience.into();
        let flushed = async {
            let (flush, flushed) = oneshot::channel();
            self.told.send(Message::Flush(flush)).await.is_ok() && flushed.await.is_ok()
        };
        let is_flushed = patience.wait(flushed).await.unwrap_or(false);
        if !is_flushed {
            tracing::warn!(
                controller = &*self.controller,
                %patience,
                "the server did not take all events in time"
            );
        }
        is_flushed
    }
}

impl fmt::Debug for EventRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecorder").field("controller", &self.controller).finish_non_exhaustive()
    }
}

/// The name of the machine, which is that of the pod.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    match name.trim() {
        "" => std::process::id().to_string(),
        name => name.to_owned(),
    }
}
