//! The cache of an informer, and the server that it is a copy of.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use kube_client::Client;
use kube_client::core::params::ListParams;
use kube_client::core::request::Request;
use kube_informer::error::WaitError;
use kube_informer::object::{ResourceVersion, Uid};
use kube_informer::status::Patience;
use kube_informer::{ObjectKey, SharedInformer};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::seen::{Cache, Seen, Until};

/// How soon the server is asked again if it does not answer, and how late at most.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// After what time it is asked whether a deletion has been undone: by then the informer has looked for itself.
const UNDONE: Duration = Duration::from_secs(10);

/// An informer's cache. Those who wait for it have a limit of their own.
pub(crate) struct Known {
    pub(crate) informer: SharedInformer<()>,
    /// Without one there is no server that could be asked, but what it is said to have answered is waited for.
    pub(crate) client: Option<Client>,
    /// A controller [owns](crate::Controller::owns) what it has.
    pub(super) is_owned: bool,
    /// Whether a warning has said that something is left out for a while, and that something is hidden for ever: once is enough.
    noted: (AtomicBool, AtomicBool),
}

impl Known {
    pub(crate) fn new(informer: SharedInformer<()>, client: Option<Client>, is_owned: bool) -> Self {
        Self { informer, client, is_owned, noted: Default::default() }
    }

    /// Something is left out of its lists for a while. True if that is to be said.
    pub(super) fn is_first_left_out(&self) -> bool {
        !self.noted.0.swap(true, Ordering::Relaxed)
    }

    /// It is never going to show something. True if that is to be said.
    pub(super) fn is_first_hidden(&self) -> bool {
        !self.noted.1.swap(true, Ordering::Relaxed)
    }

    /// The path of a collection.
    pub(super) fn path(&self, namespace: Option<&str>) -> String {
        let kind = self.informer.kind();
        let prefix = if kind.group().is_empty() { "api" } else { "apis" };
        let namespace = namespace.map(|namespace| format!("namespaces/{namespace}/")).unwrap_or_default();
        format!("/{prefix}/{}/{namespace}{}", kind.api_version(), kind.plural())
    }

    async fn see_version(&self, key: &ObjectKey, version: &ResourceVersion) -> Seen {
        match self.informer.wait_for_version(key, version, Patience::FOREVER).await {
            Err(error) if error.is_not_comparable() => self.see_exactly(key, version).await,
            seen => judge(&seen),
        }
    }

    /// Of versions that cannot be compared this very one can be recognised.
    async fn see_exactly(&self, key: &ObjectKey, version: &ResourceVersion) -> Seen {
        let rewinds = self.informer.progress().rewinds();
        loop {
            let progress = self.informer.progress();
            if progress.rewinds() != rewinds {
                return Seen::Rewound;
            }
            let cached = self.informer.lister().by_key(key);
            if cached.is_ok_and(|object| object.resource_version() == version) {
                return Seen::Yes;
            }
            if self.informer.wait_progress(&progress, Patience::FOREVER).await.is_err() {
                return Seen::Never;
            }
        }
    }

    async fn see_gone(&self, key: &ObjectKey, uid: &Uid) -> Seen {
        let is_undone = async {
            sleep(UNDONE).await;
            let seen = self.see_whatever(key).await;
            let cached = self.informer.lister().by_key(key);
            // What was deleted for good and is there after that can only be there again.
            if cached.is_ok_and(|object| object.uid() == uid) { Seen::Rewound } else { seen }
        };
        tokio::select! {
            biased;
            gone = self.informer.wait_gone(key, uid, Patience::FOREVER) => judge(&gone),
            undone = is_undone => undone,
        }
    }

    /// Has the informer ask the server what the object is like, and waits for that.
    async fn see_whatever(&self, key: &ObjectKey) -> Seen {
        judge(&self.informer.refresh_one(key, Patience::FOREVER).await)
    }

    /// Has the informer read everything again, and waits until it is where the server was by then.
    async fn see_everything(&self, namespace: Option<&str>) -> Seen {
        let rewinds = self.informer.progress().rewinds();
        let Some(version) = self.version(namespace).await else { return Seen::Never };
        self.pass(namespace, &version, Duration::ZERO).await;
        if self.informer.progress().rewinds() == rewinds { Seen::Yes } else { Seen::Rewound }
    }

    /// Waits until the cache has everything that was written before this was called.
    pub(crate) async fn catch_up(&self) {
        let scopes: Vec<Option<String>> = {
            let progress = self.informer.progress();
            progress.versions().map(|(scope, _)| scope.as_namespace().map(str::to_owned)).collect()
        };
        join_all(scopes.iter().map(|namespace| async {
            let namespace = namespace.as_deref();
            loop {
                let rewinds = self.informer.progress().rewinds();
                let Some(version) = self.version(namespace).await else {
                    // All that can be done is to read again what the informer may read.
                    let progress = self.informer.progress();
                    self.informer.refresh();
                    self.informer.wait_progress(&progress, 5 * PAUSE).await.ok();
                    return;
                };
                self.pass(namespace, &version, PAUSE).await;
                // What is older than a server that has gone back in time says nothing.
                if self.informer.progress().rewinds() == rewinds {
                    return;
                }
            }
        }))
        .await;
    }

    /// The version of the server now. `None` where it must not be asked, as with rights to some objects by their names.
    async fn version(&self, namespace: Option<&str>) -> Option<ResourceVersion> {
        let (client, request) = (self.client.as_ref()?, Request::new(self.path(namespace)));
        let mut pause = PAUSE;
        loop {
            let list = request.list(&ListParams::default().limit(1)).ok()?;
            let error = match client.request::<Value>(list).await {
                Ok(list) => {
                    let version = list["metadata"]["resourceVersion"].as_str().unwrap_or_default();
                    return Some(ResourceVersion::new(version));
                }
                Err(error) => error,
            };
            tracing::warn!(informer = self.informer.name(), %error, "how far the server is cannot be read");
            if matches!(&error, kube_client::Error::Api(status) if matches!(status.code, 403..=405)) {
                return None;
            }
            sleep(pause.mul_f64(0.5 + fastrand::f64())).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Waits until the cache has passed a version. Where the watch does not show it in time, everything is read again.
    async fn pass(&self, namespace: Option<&str>, version: &ResourceVersion, patience: Duration) {
        let rewinds = self.informer.progress().rewinds();
        let passed = async {
            loop {
                let progress = self.informer.progress();
                let is_there = progress
                    .versions()
                    .filter(|(scope, _)| scope.as_namespace().is_none_or(|it| Some(it) == namespace))
                    .all(|(_, reached)| !reached.is_empty() && !reached.is_older_than(version));
                if is_there || progress.rewinds() != rewinds {
                    return;
                }
                if self.informer.wait_progress(&progress, Patience::FOREVER).await.is_err() {
                    return;
                }
            }
        };
        let mut passed = pin!(passed);
        let mut patience = patience;
        while timeout(patience, &mut passed).await.is_err() {
            self.informer.refresh();
            // What was read may come from a server that lags behind.
            patience = (2 * patience).clamp(5 * PAUSE, 60 * PAUSE);
        }
    }
}

impl Cache for Known {
    fn name(&self) -> &str {
        self.informer.name()
    }

    fn informer(&self) -> Option<&SharedInformer<()>> {
        Some(&self.informer)
    }

    fn has_seen(&self, key: &ObjectKey, until: &Until) -> bool {
        let seen = match until {
            Until::Version(version) => {
                self.informer.wait_for_version(key, version, Patience::FOREVER).now_or_never()
            }
            Until::Gone(uid) => self.informer.wait_gone(key, uid, Patience::FOREVER).now_or_never(),
            // To know it, the server has to be asked.
            Until::Unknown | Until::Everything => None,
        };
        // That the server has gone back in time, and the like, is for those who wait.
        seen.is_some_and(|seen| seen.is_ok())
    }

    fn holds(&self, key: &ObjectKey) -> bool {
        self.informer.lister().by_key(key).is_ok()
    }

    fn see<'a>(&'a self, key: &'a ObjectKey, until: &'a Until) -> BoxFuture<'a, Seen> {
        match until {
            Until::Version(version) => self.see_version(key, version).boxed(),
            Until::Gone(uid) => self.see_gone(key, uid).boxed(),
            Until::Unknown => self.see_whatever(key).boxed(),
            Until::Everything => self.see_everything(key.namespace()).boxed(),
        }
    }
}

fn judge(waited: &Result<(), WaitError>) -> Seen {
    match waited {
        Ok(()) => Seen::Yes,
        Err(error) if error.is_rewound() => Seen::Rewound,
        Err(_) => Seen::Never,
    }
}
