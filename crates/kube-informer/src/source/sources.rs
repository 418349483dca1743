//! Sources for any number of kinds: where a factory's informers get their objects from.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use kube_client::Client;

use crate::kind::KindInfo;
use crate::source::{HttpSources, ListWatch, SourceError, Status};

/// Provides the sources of a factory's informers: an API server, or a replacement for one.
///
/// Implemented by functions from a kind to a [`ListWatch`]. Such a function has no discovery, so `for_resource` and the
/// like do not work with it.
pub trait Sources: Send + Sync + 'static {
    /// The source of one kind.
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch>;

    /// A client of the server that the objects come from, if it is one.
    fn client(&self) -> Option<Client> {
        None
    }

    /// A document of discovery: `/api`, `/apis`, `/api/v1`, `/apis/apps/v1`, as JSON.
    fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        let message = format!("the source of this factory's objects knows nothing of {path}");
        let failure = Status { code: 404, reason: "NotFound".into(), message, ..Status::default() };
        async { Err(SourceError::answered(failure)) }.boxed()
    }
}

impl<F, S> Sources for F
where
    F: Fn(&KindInfo) -> S + Send + Sync + 'static,
    S: ListWatch,
{
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch> {
        Arc::new(self(kind))
    }
}

impl Sources for HttpSources {
    fn source(&self, kind: &KindInfo) -> Arc<dyn ListWatch> {
        Arc::new(self.of_kind(kind.clone()))
    }

    fn client(&self) -> Option<Client> {
        Some(Self::client(self))
    }

    fn document(&self, path: &str) -> BoxFuture<'static, Result<Bytes, SourceError>> {
        Self::document(self, path)
    }
}
