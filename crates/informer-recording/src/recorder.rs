//! Writes a recording while requests are made.

mod tape;

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kube_informer::kind::{IntoKind, KindInfo};
use parking_lot::Mutex;
use tokio::time::Instant;

pub(crate) use self::tape::Tape;
use crate::file::{Packer, header};
use crate::record::{Began, Record, RequestLine, What};
use crate::redact::About;
use crate::target::{Resource, Target, without_secrets};

/// A frame is written when its first record is this old.
const SECOND: Duration = Duration::from_secs(1);

/// Or when it has this many bytes, so that one frame does not take long to write and to read.
const FULL: usize = 1 << 20;

/// Records requests and their answers into a file, without secrets. Cheap to clone.
///
/// [`source`](Self::source) and [`sources`](Self::sources) wrap where informers get their objects from; a
/// [`RecordingProxy`](crate::RecordingProxy) records what other clients ask for. What is recorded passes through unchanged, also if it
/// cannot be recorded: [`check`](Self::check) and [`lost`](Self::lost) tell.
///
/// Before anything is written, the contents of Secrets and of other sensitive kinds, last-applied configurations, and tokens and
/// passwords by their names and forms are replaced with `x`, of about the same length. What is not JSON is not written at all.
/// This cannot be switched off.
///
/// ```no_run
/// use informer_recording::Recorder;
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informer::source::HttpSource;
/// use kube_informer::{Cluster, Kind, SharedInformer};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = Recorder::create("pods.recording")?;
/// let pods = HttpSource::of::<Pod>(Cluster::find().await?)?;
/// let pods = SharedInformer::<Pod>::builder(recorder.source(Pod::info(&()), pods)).build()?;
/// // … runs
/// let recorded = recorder.finish()?;
/// println!("{} events of {} requests", recorded.documents, recorded.requests);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Inner>,
}

/// How much has been recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Requests that were sent.
    pub requests: u64,
    /// Events, items of lists and other documents that came.
    pub documents: u64,
    /// Requests that ended with an error, from the server or on the way.
    pub failures: u64,
    /// Bytes of bodies that came.
    pub bytes: u64,
    /// Bytes of bodies that were not written, because they could not be searched for secrets.
    pub hidden: u64,
    /// Bytes that the recording has.
    pub written: u64,
    /// Answers that are not in the recording to their end, because recording them panicked. [`Recorder::lost`] names them.
    pub lost: u64,
}

struct Inner {
    began: Instant,
    sensitive: Mutex<Vec<KindInfo>>,
    state: Mutex<RecorderState>,
}

struct RecorderState {
    out: Box<dyn Write + Send>,
    packer: Packer,
    /// Records of the frame that is not written yet.
    frame: Vec<u8>,
    /// When its first record was made.
    first: Duration,
    exchanges: u64,
    recorded: Recorded,
    /// What recording panicked at, each once.
    lost: Vec<String>,
    /// Why nothing more can be written, or that it has been finished.
    over: Option<Over>,
}

#[derive(Clone)]
enum Over {
    Finished,
    Failed(io::ErrorKind, String),
}

impl Recorder {
    /// Begins a recording in a new file, which only its owner can read. It is an error if the file exists. Has to be called within
    /// a tokio runtime.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::to_writer(options.open(path)?)
    }

    /// The same into anything that can be written to, which is flushed once a second.
    pub fn to_writer(out: impl Write + Send + 'static) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self::at(out, u64::try_from(now.as_millis()).unwrap_or_default())
    }

    pub(crate) fn at(mut out: impl Write + Send + 'static, unix_millis: u64) -> io::Result<Self> {
        let header = header();
        out.write_all(&header)?;
        let state = RecorderState {
            out: Box::new(out),
            packer: Packer::new(),
            frame: Vec::new(),
            first: Duration::ZERO,
            exchanges: 0,
            recorded: Recorded { written: header.len() as u64, ..Recorded::default() },
            lost: Vec::new(),
            over: None,
        };
        let inner =
            Arc::new(Inner { began: Instant::now(), sensitive: Mutex::default(), state: Mutex::new(state) });
        inner.write(0, What::Began(Began { unix_millis }));
        // What is written by itself, so that at most a second is lost if the program dies.
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(SECOND).await;
                let Some(inner) = weak.upgrade() else { return };
                let now = inner.began.elapsed();
                let mut state = inner.state.lock();
                state.flush_if_due(now);
                if state.over.is_some() {
                    return;
                }
            }
        });
        Ok(Self { inner })
    }

    /// Takes the contents of objects of this kind for secret, as those of Secrets always are. Informers whose builder says
    /// `sensitive()` need no word here. Concerns what is asked for from now on.
    #[must_use]
    pub fn sensitive(self, kind: impl IntoKind) -> Self {
        self.inner.sensitive.lock().push(kind.into_kind());
        self
    }

    /// How much has been recorded so far, or why nothing more can be written. Requests go on all the same.
    pub fn check(&self) -> io::Result<Recorded> {
        self.inner.state.lock().result()
    }

    /// Ends the recording: what happens from now on is not recorded.
    pub fn finish(&self) -> io::Result<Recorded> {
        let mut state = self.inner.state.lock();
        state.flush();
        state.over.get_or_insert(Over::Finished);
        state.result()
    }

    /// The requests whose answers are not in the recording to their end, such as `GET /api/v1/pods`, each once: recording them
    /// panicked, which is a mistake of this crate. Whoever made such a request got its answer as it came, and the rest is recorded.
    pub fn lost(&self) -> Vec<String> {
        self.inner.state.lock().lost.clone()
    }

    /// Takes note of a request. What becomes of it is told to the tape.
    pub(crate) fn begin(&self, line: RequestLine, sensitive: bool) -> Tape {
        catch_unwind(AssertUnwindSafe(|| self.begin_unguarded(line, sensitive))).unwrap_or_else(|_panic| {
            // Its target may be what it panicked at.
            self.inner.lose("a request".to_owned());
            Tape::of_nothing(self.inner.clone())
        })
    }

    fn begin_unguarded(&self, mut line: RequestLine, sensitive: bool) -> Tape {
        let target = Target::parse(&line.target);
        let resource = Resource::of(&target.path);
        let is_marked = |resource: &Resource| {
            resource.is_secrets() || self.inner.sensitive.lock().iter().any(|kind| resource.is_of(kind))
        };
        let sensitive = sensitive || resource.as_ref().is_some_and(is_marked);
        let is_write = !matches!(&*line.method, "GET" | "HEAD");
        line.target = without_secrets(&line.target);
        let name = format!("{} {}", line.method, target.path);
        let exchange = self.inner.begin(line);
        Tape::new(self.inner.clone(), exchange, name, target.form(), About { sensitive, is_write })
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("recorded", &self.inner.state.lock().recorded)
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn begin(&self, line: RequestLine) -> u64 {
        let mut state = self.state.lock();
        state.exchanges += 1;
        state.recorded.requests += 1;
        let exchange = state.exchanges;
        state.add(&Record { exchange, at: self.began.elapsed(), what: What::Request(line) });
        exchange
    }

    fn write(&self, exchange: u64, what: What) {
        self.state.lock().add(&Record { exchange, at: self.began.elapsed(), what });
    }

    fn count(&self, count: impl FnOnce(&mut Recorded)) {
        count(&mut self.state.lock().recorded);
    }

    fn lose(&self, name: String) {
        let mut state = self.state.lock();
        state.recorded.lost += 1;
        if !state.lost.contains(&name) {
            state.lost.push(name);
        }
    }
}

/// A recorder that is dropped has written all it knows.
impl Drop for Inner {
    fn drop(&mut self) {
        self.state.get_mut().flush();
    }
}

impl RecorderState {
    fn add(&mut self, record: &Record) {
        if self.over.is_some() {
            return;
        }
        self.flush_if_due(record.at);
        if self.frame.is_empty() {
            self.first = record.at;
        }
        record.write(&mut self.frame);
        if self.frame.len() >= FULL {
            self.flush();
        }
    }

    fn flush_if_due(&mut self, now: Duration) {
        if now.saturating_sub(self.first) >= SECOND {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.frame.is_empty() || self.over.is_some() {
            return;
        }
        // Whoever made the request that is recorded last must not pay for a writer that panics.
        let written = catch_unwind(AssertUnwindSafe(|| {
            let frame = self.packer.frame(&self.frame).map_err(io::Error::other)?;
            self.out.write_all(&frame)?;
            self.out.flush()?;
            Ok(frame.len() as u64)
        }));
        self.frame.clear();
        let written =
            written.unwrap_or_else(|_panic| Err(io::Error::other("what writes the recording panicked")));
        match written {
            Ok(bytes) => self.recorded.written += bytes,
            Err(error) => self.over = Some(Over::Failed(error.kind(), error.to_string())),
        }
    }

    fn result(&self) -> io::Result<Recorded> {
        match &self.over {
            Some(Over::Failed(kind, text)) => Err(io::Error::new(*kind, text.clone())),
            _ => Ok(self.recorded),
        }
    }
}

#[cfg(test)]
mod tests;
