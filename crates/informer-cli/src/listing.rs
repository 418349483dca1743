//! Lists that the command requests itself, outside of informers. They use the library's client, and so the same proxies,
//! credentials and protection of secrets.

use std::collections::HashMap;

use futures::TryStreamExt as _;
use kube_informer::error::SourceError;
use kube_informer::kind::KindInfo;
use kube_informer::source::{HttpSource, ListWatch as _, Request};
use kube_informer::status::Scope;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::args::ObjectArgs;
use crate::cluster::Cluster;
use crate::failure::Failure;

/// Lists the objects of one kind that the command line selects, in one namespace or in all.
pub(crate) struct Listing {
    source: HttpSource,
    kind: KindInfo,
    request: Request,
}

/// A page of a list.
pub(crate) struct Page {
    /// As the server wrote them.
    pub(crate) items: Vec<Box<RawValue>>,
    /// The `continue` token of the next page, if there is one.
    pub(crate) next: Option<String>,
    /// How many objects follow this page, if the server reports it.
    pub(crate) remaining: Option<u64>,
}

impl Listing {
    /// One for each namespace of the command line.
    pub(crate) fn all(
        cluster: &Cluster,
        kind: &KindInfo,
        objects: &ObjectArgs,
    ) -> Result<Vec<Self>, Failure> {
        let scopes = match cluster.namespaces(objects) {
            Some(namespaces) if kind.is_namespaced() != Some(false) => {
                namespaces.into_iter().map(Scope::namespace).collect()
            }
            _ => vec![Scope::All],
        };
        let listing = |scope: Scope| {
            let mut request = Request::list(scope);
            if let Some(labels) = &objects.labels {
                request = request.labels(labels);
            }
            if let Some(fields) = &objects.fields {
                request = request.fields(fields);
            }
            Ok(Self { source: cluster.sources()?.of_kind(kind.clone()), kind: kind.clone(), request })
        };
        scopes.into_iter().map(listing).collect()
    }

    /// One page of the most recent state.
    pub(crate) async fn page(&self, limit: u32, continue_token: Option<String>) -> Result<Page, Failure> {
        let mut request = self.request.clone().limit(limit);
        if let Some(token) = continue_token {
            request = request.continue_from(token);
        }
        let opened = self.source.open(request).await.map_err(|error| self.failed(&error))?;
        let chunks: Vec<_> = opened.try_collect().await.map_err(|error| self.failed(&error))?;
        let body = chunks.concat();
        let list: HashMap<String, &RawValue> = serde_json::from_slice(&body).unwrap_or_default();
        let items = list.get("items").and_then(|items| serde_json::from_str(items.get()).ok());
        let Some(items) = items else {
            return Err(self.failed(&SourceError::transport("the answer is not a list")));
        };
        let metadata = list.get("metadata").and_then(|metadata| serde_json::from_str(metadata.get()).ok());
        let metadata: Value = metadata.unwrap_or_default();
        let next = metadata["continue"].as_str().filter(|token| !token.is_empty());
        let remaining = metadata["remainingItemCount"].as_u64();
        Ok(Page { items, next: next.map(str::to_owned), remaining })
    }

    fn failed(&self, error: &SourceError) -> Failure {
        let status = error.http_status().map(|status| format!(" (HTTP {status})")).unwrap_or_default();
        Failure::cluster(format!("cannot list {} in {}{status}: {error}", self.kind, self.request.scope()))
    }
}
