//! The histories of what a recording has, each put together when it is first needed.

use std::sync::Arc;

use kube_informer::kind::KindInfo;
use tokio::sync::OnceCell;

use crate::recording::{Contents, Recording};
use crate::target::Resource;
use crate::timeline::Timeline;

#[derive(Debug)]
pub(super) struct Timelines(Vec<OfKind>);

#[derive(Debug)]
struct OfKind {
    kind: KindInfo,
    timeline: OnceCell<Option<Arc<Timeline>>>,
}

impl Timelines {
    pub(super) fn of(recording: &Recording) -> Self {
        let kinds = recording.kinds().into_iter();
        Self(kinds.map(|recorded| OfKind { kind: recorded.kind, timeline: OnceCell::new() }).collect())
    }

    pub(super) fn has(&self, resource: &Resource) -> bool {
        self.find(resource).is_some()
    }

    fn find(&self, resource: &Resource) -> Option<&OfKind> {
        let is_same = |kind: &KindInfo| resource.is_of(kind) && resource.version == kind.version();
        self.0.iter().find(|one| is_same(&one.kind))
    }

    /// The history of a resource; `None` if too little of it was recorded.
    pub(super) async fn timeline(
        &self,
        resource: &Resource,
        contents: &Arc<Contents>,
    ) -> Option<(KindInfo, Arc<Timeline>)> {
        let one = self.find(resource)?;
        Some((one.kind.clone(), one.timeline(contents).await?))
    }

    /// Whether anything was ever in a namespace.
    pub(super) async fn has_namespace(&self, namespace: &str, contents: &Arc<Contents>) -> bool {
        for one in &self.0 {
            if one.timeline(contents).await.is_some_and(|timeline| timeline.has_namespace(namespace)) {
                return true;
            }
        }
        false
    }

    /// The kinds, with what their objects show of them.
    pub(super) async fn kinds(&self, contents: &Arc<Contents>) -> Vec<KindInfo> {
        let mut kinds = Vec::new();
        for one in &self.0 {
            let mut kind = one.kind.clone();
            if kind.is_namespaced().is_none() {
                let timeline = one.timeline(contents).await;
                kind = kind.namespaced(timeline.and_then(|it| it.is_namespaced()).unwrap_or_default());
            }
            kinds.push(kind);
        }
        kinds
    }
}

impl OfKind {
    async fn timeline(&self, contents: &Arc<Contents>) -> Option<Arc<Timeline>> {
        let build = || async {
            let (kind, contents) = (self.kind.clone(), contents.clone());
            // Everything that was recorded of the kind is read, which can take seconds.
            let built = tokio::task::spawn_blocking(move || Timeline::of(&kind, &contents.exchanges));
            built.await.ok().flatten().map(Arc::new)
        };
        self.timeline.get_or_init(build).await.clone()
    }
}
