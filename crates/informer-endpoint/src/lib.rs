//! Health, readiness, metrics and a debug page for programs that run [`kube_informer`] informers.
//!
//! | path | answers |
//! |---|---|
//! | `/livez` | 200 as long as the program answers |
//! | `/readyz` | 200 once every informer has synced, 503 before, naming those that have not and why |
//! | `/metrics` | Prometheus text, if a recorder was installed ([`install_recorder`], or one of the program's own) |
//! | `/debug/digests` | only with [`Endpoint::digests`]: keys, uids, versions and digests of all objects, page by page |
//! | `/debug/informers` | phase, objects, bytes, version, age, relists, handlers with their backlog and slowest call, queues, last error: a live page for browsers, and JSON for others |
//! | `/debug/objects` | a browser of objects, if the program allows it ([`Endpoint::objects`]) |
//!
//! An outage of the API server does not make a program unready: once synced it stays ready, and the body of the answer says
//! how old the caches are. Only with [`Endpoint::max_staleness`] does their age count. The endpoint is read-only. It
//! shows names and numbers, but no contents of objects, unless the program allows it, and then only at `/debug/objects`. Texts of
//! errors that may quote an object, such as those of the decoder and of the program's own functions, are only in the program's
//! log and given to its error callback.
//!
//! One text is not looked at: what a [`ListWatch`](kube_informer::source::ListWatch) says where no server answered
//! ([`SourceError::transport`](kube_informer::error::SourceError::transport)), such as "connection refused". A program that has a source
//! of its own must not quote objects there.
//!
//! # In a browser
//!
//! `/debug/informers` is a page that updates itself once a second. It is one file and asks nobody but this program. While nobody
//! looks, nothing is done for it.
//!
//! A [listener](Endpoint::listen) answers requests whose `Host` is `localhost`, a loopback address or the address that the request came
//! to, and names that were allowed with [`Endpoint::host`]. Others get 421, and only whether the program lives and is ready. Other sites cannot read it through a browser. Work queues are
//! shown if the program hands them in: [`Endpoint::queues`].
//!
//! # In a program
//!
//! ```
//! use informer_endpoint::Endpoint;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_informer::testing::ScriptedSource;
//! use kube_informer::SharedInformer;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let informer = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build()?;
//! let endpoint = Endpoint::new({
//!     let informer = informer.clone();
//!     move || vec![informer.status()]
//! });
//!
//! // On a port of its own …
//! let listening = endpoint.clone().listen("127.0.0.1:0".parse()?).await?;
//! println!("http://{}/readyz", listening.address());
//!
//! // … or as part of an HTTP server that the program has anyway.
//! let answer = endpoint.answer(&http::Method::GET, "/readyz");
//! assert_eq!(answer.status(), 503);
//! assert!(answer.body().contains("configmaps has not synced: not started"));
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! `prometheus`, on by default, is [`install_recorder`] and the crates that it needs. A program that has a recorder of its own
//! can do without, and hands its text to [`Endpoint::metrics`].
//!
//! # Metrics
//!
//! Every series has the same labels as in client-go: `name`, which is the name of the informer or else of the resource, and
//! `group`, `version` and `resource`. If several informers with the same labels run at the same time, the second is called
//! `name-2` and so on; give factories of different clusters different names. When an informer has ended, its gauges are 0
//! until another one has the same labels.
//!
//! `queued_items`, `processing_latency_seconds` and `store_resource_version` are names of client-go; the others are ours. Each has
//! a help text, which says what it counts. Those of controllers are in the documentation of `informer-controller`.
//!
//! | metric `informer_…` | type | more labels |
//! |---|---|---|
//! | `queued_items`, `store_resource_version`, `objects`, `synced` | gauge | |
//! | `decoded_bytes` | gauge | |
//! | `last_byte_timestamp_seconds` | gauge | |
//! | `last_event_timestamp_seconds`, `last_bookmark_timestamp_seconds` | gauge | |
//! | `handler_backlog` | gauge | `handler`: its name, or `unnamed` |
//! | `processing_latency_seconds` | histogram | |
//! | `handler_duration_seconds` | histogram | `handler` |
//! | `failures_total` | counter | `cause`: `list`, `watch`, `left_out` … |
//! | `relists_total`, `watch_restarts_total` | counter | `reason` |
//! | `watches_total`, `streaming_fallbacks_total` | counter | |
//! | `duplicate_events_total`, `unknown_deletes_total`, `outside_scope_total` | counter | |
//! | `managed_fields_cut_total` | counter | |
//! | `decode_hits_total`, `decode_misses_total` | counter | |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod browse;
mod connections;
mod debug;
mod digests;
mod endpoint;
mod guard;
mod listen;
mod page;
mod readiness;
#[cfg(feature = "prometheus")]
mod recorder;
mod route;
mod stream;
mod withheld;

#[cfg(test)]
mod tests;

pub use browse::ObjectBrowser;
pub use digests::{Digested, digest};
pub use endpoint::Endpoint;
pub use informer_wire::QueueStatus;
pub use listen::Listening;
#[doc(hidden)]
pub use listen::Rules;
#[cfg(feature = "prometheus")]
pub use metrics_exporter_prometheus::PrometheusHandle;
#[cfg(feature = "prometheus")]
pub use recorder::{RecorderError, install_recorder};
