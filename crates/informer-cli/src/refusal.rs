//! Errors that waiting does not cure: the server understands the request and refuses it.

use kube_informer::status::Failure as Trouble;
use tokio::sync::watch;

use crate::failure::Failure;

/// Remembers the first refusal. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Refusal(watch::Sender<Option<String>>);

impl Refusal {
    /// Keeps the failure if it is a refusal, and returns whether it is.
    pub(crate) fn hear(&self, trouble: &Trouble) -> bool {
        let refused = matches!(trouble.cause.http_status(), Some(400 | 401 | 403 | 404 | 405 | 422));
        if refused {
            self.0.send_if_modified(|first| {
                let is_first = first.is_none();
                first.get_or_insert_with(|| trouble.to_string());
                is_first
            });
        }
        refused
    }

    /// Waits for a refusal.
    pub(crate) async fn heard(&self) -> Failure {
        let mut receiver = self.0.subscribe();
        let refused = receiver.wait_for(Option::is_some).await.ok().and_then(|refused| refused.clone());
        match refused {
            Some(refused) => Failure::cluster(refused),
            // Never reached: `self` holds the sender.
            None => std::future::pending().await,
        }
    }
}
