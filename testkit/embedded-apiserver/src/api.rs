//! Dispatches a request to the code that answers it.

use std::sync::Arc;

use http::{Response, header};
use parking_lot::Mutex;

use crate::body::Body;
use crate::chance::Chance;
use crate::clock::Clock;
use crate::discovery;
use crate::kinds::Registry;
use crate::openapi;
use crate::options::ApiOptions;
use crate::request::{Accept, Request, Route, Verb};
use crate::status::ApiError;
use crate::storage::{Gone, Storage};

/// The API: kinds and objects, without transport, credentials and faults.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) registry: Arc<Registry>,
    pub(crate) storage: Arc<Storage>,
    pub(crate) options: ApiOptions,
    pub(crate) clock: Clock,
    pub(crate) chance: Chance,
    /// Held while a CustomResourceDefinition is written, so that what is stored and what is served change together.
    pub(crate) definitions: Mutex<()>,
}

impl Api {
    /// With the built-in kinds and the namespaces that every cluster has.
    pub(crate) fn new(options: ApiOptions) -> Self {
        let api = Self {
            registry: Arc::new(Registry::new()),
            storage: Arc::new(Storage::new(options.first_version, options.history.clone(), options.slowness)),
            clock: Clock::new(options.now),
            chance: Chance::new(options.seed),
            options,
            definitions: Mutex::new(()),
        };
        api.create_system_namespaces();
        api
    }

    /// Answers a request. Errors become answers too: a Status with the code of the error.
    pub(crate) async fn answer(&self, request: &Request) -> Response<Body> {
        let mut answer = self.answer_or_refuse(request).await.unwrap_or_else(ApiError::into_response);
        request.write_warnings(answer.headers_mut());
        answer
    }

    /// The resourceVersion of the last write.
    pub(crate) fn version(&self) -> u64 {
        self.storage.version()
    }

    /// Forgets the history before a version: older versions can no longer be listed or watched from.
    pub(crate) fn compact(&self, version: u64) {
        self.storage.compact(version);
    }

    /// Restores the state as of a version, as from a backup: later writes use the same versions again, and all watches
    /// end. Fails if that version is no longer in the history.
    pub(crate) fn rewind(&self, version: u64) -> Result<(), Gone> {
        self.storage.rewind(version)?;
        self.serve_stored_definitions();
        Ok(())
    }

    async fn answer_or_refuse(&self, request: &Request) -> Result<Response<Body>, ApiError> {
        let target = match Route::find(&self.registry, request)? {
            Route::Objects(target) => target,
            Route::Discovery(path) => {
                Accept::takes_json(&request.headers)?;
                let host = request.headers.get(header::HOST).and_then(|host| host.to_str().ok());
                return Ok(discovery::answer(&self.registry, &path, host.unwrap_or_default()));
            }
            Route::OpenApi(path) => return Ok(openapi::answer(&self.registry, &path, request)),
            Route::Health(check) => return Ok(discovery::health(check, &request.query)),
            Route::Version => return Ok(discovery::version()),
        };
        if target.subresource.is_some() {
            return self.subresource(&target, request).await;
        }
        match target.verb {
            Verb::Get => self.get(&target, request).await,
            Verb::List => self.list(&target, request).await,
            Verb::Watch => self.watch(&target, request).await,
            Verb::Create => self.create(&target, request),
            Verb::Update => self.update(&target, request),
            Verb::Patch => self.patch(&target, request),
            Verb::Delete => self.delete(&target, request),
            Verb::DeleteCollection => self.delete_collection(&target, request).await,
        }
    }
}

impl Default for Api {
    fn default() -> Self {
        Self::new(ApiOptions::default())
    }
}
