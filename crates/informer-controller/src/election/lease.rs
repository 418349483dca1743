//! The Lease at the server.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kube_client::Client;
use kube_client::core::params::{GetParams, PostParams};
use kube_client::core::request::{Error, Request};
use kube_informer::object::ResourceVersion;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::core::{Event, Record, What};
use super::timing::Timing;

impl Record {
    /// What a Lease says, as JSON.
    pub(super) fn of(lease: Value) -> Self {
        let spec = &lease["spec"];
        Self {
            version: ResourceVersion::new(lease["metadata"]["resourceVersion"].as_str().unwrap_or_default()),
            holder: spec["holderIdentity"].as_str().unwrap_or_default().to_owned(),
            duration: Duration::from_secs(spec["leaseDurationSeconds"].as_u64().unwrap_or_default()),
            transitions: spec["leaseTransitions"].as_u64().unwrap_or_default(),
            mark: spec.to_string(),
            body: lease,
        }
    }
}

/// Reads and writes one Lease.
pub(super) struct Lease {
    pub(super) client: Client,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) timing: Timing,
    /// Why the last request failed.
    pub(super) trouble: Arc<Mutex<Option<String>>>,
}

impl Lease {
    pub(super) fn read(&self) -> BoxFuture<'static, Event> {
        let (request, name) = (self.requests().get(&self.name, &GetParams::default()), self.full_name());
        let answer = self.answer(request);
        async move {
            match answer.await {
                Ok(lease) => Event::Read(Some(Record::of(lease))),
                Err(error) if code(&error) == Some(404) => Event::Read(None),
                Err(error) => {
                    tracing::warn!(lease = name, %error, "the Lease cannot be read");
                    Event::Failed
                }
            }
        }
        .boxed()
    }

    pub(super) fn write(
        &self,
        over: Option<Record>,
        what: What,
        transitions: u64,
    ) -> BoxFuture<'static, Event> {
        let exists = over.is_some();
        // All else that is in it stays as it is.
        let mut lease = over.map_or_else(|| self.empty(), |record| record.body);
        self.fill(&mut lease["spec"], what, transitions);
        let (body, params) = (lease.to_string().into_bytes(), PostParams::default());
        let request = if exists {
            self.requests().replace(&self.name, &params, body)
        } else {
            self.requests().create(&params, body)
        };
        let (answer, name, trouble) = (self.answer(request), self.full_name(), self.trouble.clone());
        let namespace = self.namespace.clone();
        async move {
            match answer.await {
                Ok(lease) => Event::Wrote(Record::of(lease)),
                Err(error) if !exists && code(&error) == Some(404) => {
                    let why = format!("the Lease cannot be created in namespace {namespace}: {error}");
                    tracing::warn!(lease = name, "{why}; create the namespace, or name another one");
                    *trouble.lock() = Some(why);
                    Event::NoNamespace
                }
                // Somebody else has written, created or deleted it.
                Err(error) if matches!(code(&error), Some(404 | 409)) => {
                    tracing::debug!(lease = name, %error, ?what, "the Lease is not what it was");
                    Event::Conflict
                }
                Err(error) => {
                    tracing::warn!(lease = name, %error, ?what, "the Lease cannot be written");
                    Event::Failed
                }
            }
        }
        .boxed()
    }

    pub(super) fn full_name(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    fn requests(&self) -> Request {
        Request::new(format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace))
    }

    fn answer(
        &self,
        request: Result<http::Request<Vec<u8>>, Error>,
    ) -> BoxFuture<'static, Result<Value, kube_client::Error>> {
        let (client, trouble) = (self.client.clone(), self.trouble.clone());
        async move {
            let answer = client.request(request.map_err(kube_client::Error::BuildRequest)?).await;
            // That there is no Lease yet, or another one than was thought, is none.
            let failed = answer.as_ref().err().filter(|error| !matches!(code(error), Some(404 | 409)));
            *trouble.lock() = failed.map(ToString::to_string);
            answer
        }
        .boxed()
    }

    fn empty(&self) -> Value {
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "name": self.name, "namespace": self.namespace },
        })
    }

    fn fill(&self, spec: &mut Value, what: What, transitions: u64) {
        // The times are for people. But client-go takes a record with the same ones for the same, and the holder for dead.
        let mut now = time(Timestamp::now());
        if spec["renewTime"] == now {
            now = time(Timestamp::now() + SignedDuration::from_micros(1));
        }
        if !spec.is_object() {
            *spec = json!({});
        }
        spec["holderIdentity"] = self.identity.as_str().into();
        spec["leaseDurationSeconds"] = self.timing.lease_seconds().into();
        spec["leaseTransitions"] = transitions.into();
        spec["renewTime"] = now.clone();
        match what {
            What::Renew => {}
            What::Take => spec["acquireTime"] = now,
            What::Release => {
                if let Some(spec) = spec.as_object_mut() {
                    spec.remove("holderIdentity");
                }
                spec["leaseDurationSeconds"] = 1.into();
                spec["acquireTime"] = now;
            }
        }
    }
}

fn time(time: Timestamp) -> Value {
    serde_json::to_value(MicroTime(time)).unwrap_or_default()
}

fn code(error: &kube_client::Error) -> Option<u16> {
    match error {
        kube_client::Error::Api(status) => Some(status.code),
        _ => None,
    }
}
