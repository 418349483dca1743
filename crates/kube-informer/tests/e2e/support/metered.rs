//! The HTTP source with a meter: when was what asked for, and what did the informer say it was doing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::error::SourceError;
use kube_informer::source::{ByteStream, HttpSource, HttpSources, ListWatch, Request};
use kube_informer::status::Phase;
use parking_lot::Mutex;

/// Passes requests on and writes them down.
#[derive(Clone)]
pub(crate) struct Metered(Arc<Shared>);

struct Shared {
    source: HttpSource,
    /// Whose requests these are. Taken out in the end: the informer holds the source.
    informer: Mutex<Option<SharedInformer<DynamicObject>>>,
    asked: Mutex<Vec<Asked>>,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) at: Instant,
    pub(crate) what: What,
    /// The phase of the informer at that moment.
    pub(crate) phase: Phase,
    /// Whether the answer has begun.
    pub(crate) answered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum What {
    List,
    /// The next page of a list. One follows the other at once, which is no hot loop.
    Page,
    StreamedList,
    Watch,
    /// A question about one object: has the server gone back in time, has it what is waited for.
    Probe,
}

impl Metered {
    pub(crate) fn new(source: HttpSource) -> Self {
        Self(Arc::new(Shared { source, informer: Mutex::default(), asked: Mutex::default() }))
    }

    pub(crate) fn set_informer(&self, informer: Option<SharedInformer<DynamicObject>>) {
        *self.0.informer.lock() = informer;
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.0.asked.lock().clone()
    }

    /// Whether the last request, questions apart, was one that stays open, and has been answered. The informer itself says
    /// that it is watching as soon as it asks.
    pub(crate) fn is_watching(&self) -> bool {
        let last = self.0.asked.lock().iter().rfind(|asked| asked.what != What::Probe).copied();
        last.is_some_and(|last| last.answered && matches!(last.what, What::Watch | What::StreamedList))
    }

    /// Never more than 20 requests and 20 questions within ten seconds, the pages of a list and the first list apart. It
    /// is what a scope may send whatever is answered; a hot loop would send thousands. While nothing is answered there are up to
    /// 30 attempts: four a second, six seconds long, and then one.
    pub(crate) fn assert_no_hot_loop(&self) {
        const ALLOWED: usize = 20;
        const UNANSWERED: usize = 30;
        let asked: Vec<_> =
            self.asked().into_iter().skip(1).filter(|asked| asked.what != What::Page).collect();
        let (probes, requests): (Vec<Asked>, Vec<Asked>) =
            asked.into_iter().partition(|asked| asked.what == What::Probe);
        let (requests, unanswered): (Vec<Asked>, Vec<Asked>) =
            requests.into_iter().partition(|asked| asked.answered);
        for (all, allowed) in [(requests, ALLOWED), (probes, ALLOWED), (unanswered, UNANSWERED)] {
            for some in all.windows(allowed + 1) {
                let took = some[allowed].at - some[0].at;
                assert!(took >= Duration::from_secs(10), "{} within {took:?}: {some:#?}", allowed + 1);
            }
        }
    }
}

impl ListWatch for Metered {
    fn server(&self) -> Option<&HttpSources> {
        self.0.source.server()
    }

    fn open(&self, request: Request) -> BoxFuture<'static, Result<ByteStream, SourceError>> {
        let informer = self.0.informer.lock().clone();
        let query = request.query();
        let has = |parameter: &str| query.split('&').any(|part| part.starts_with(parameter));
        let is_limited_to_one = query.split('&').any(|part| part == "limit=1");
        let what = if request.is_watch() && has("sendInitialEvents=true") {
            What::StreamedList
        } else if request.is_watch() {
            What::Watch
        } else if has("continue=") {
            What::Page
        } else if is_limited_to_one && !has("resourceVersion=") {
            What::Probe
        } else {
            What::List
        };
        let phase = informer.map(|informer| informer.status().phase).unwrap_or_default();
        let place = {
            let mut asked = self.0.asked.lock();
            asked.push(Asked { at: Instant::now(), what, phase, answered: false });
            asked.len() - 1
        };
        let (opening, shared) = (self.0.source.open(request), self.0.clone());
        Box::pin(async move {
            let opened = opening.await?;
            shared.asked.lock()[place].answered = true;
            Ok(opened)
        })
    }
}
