//! Health, readiness, metrics and a debug page for programs that run [`kube_informer`] informers.
//!
//! | path | answers |
//! |---|---|
//! | `/livez` | 200 while the program answers at all |
//! | `/readyz` | 200 once every informer has synced, 503 before, naming those that have not and why |
//! | `/metrics` | Prometheus text, if a recorder was installed ([`install_recorder`], or one of the program's own) |
//! | `/debug/informers` | JSON: phase, objects, bytes, version, age, relists, handlers with their backlog, last error |
//!
//! An API server that is away makes no replica unready: what was synced once stays ready, and how old it is stands in the
//! body. Only [`Endpoint::max_staleness`] makes age count. Nothing can be changed through the endpoint and no content of an
//! object is shown, only names and numbers.
//!
//! ```
//! use informer_endpoint::Endpoint;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube_informer::{ScriptedSource, SharedInformer};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let informer = SharedInformer::<ConfigMap>::builder(ScriptedSource::of::<ConfigMap>()).build()?;
//! let endpoint = Endpoint::new({
//!     let informer = informer.clone();
//!     move || vec![informer.status()]
//! });
//!
//! // On a port of its own, on loopback unless told otherwise …
//! let listening = endpoint.clone().listen("127.0.0.1:0".parse()?).await?;
//! println!("http://{}/readyz", listening.address());
//!
//! // … or within the server that the program has anyway.
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
//! Every series has the labels of client-go's: `name`, the informer's or else that of the resource; `group`, `version` and
//! `resource`. Of informers with the same labels that live at the same time, the second has the name `name-2` and so on; give
//! factories of several clusters names of their own. What an informer that ended leaves behind is 0, until the next of its name.
//!
//! | metric `informer_…` | type | more labels |
//! |---|---|---|
//! | `queued_items`, `store_resource_version`, `objects`, `synced` | gauge | |
//! | `last_event_timestamp_seconds`, `last_bookmark_timestamp_seconds` | gauge | |
//! | `handler_backlog` | gauge | `handler`: its name, or `unnamed` for all that have none |
//! | `processing_latency_seconds` | histogram | |
//! | `handler_duration_seconds` | histogram | `handler` |
//! | `failures_total` | counter | `cause`: `list`, `watch`, `left_out` … |
//! | `relists_total`, `watch_restarts_total` | counter | `reason` |
//! | `watches_total`, `streaming_fallbacks_total` | counter | |
//! | `duplicate_events_total`, `unknown_deletes_total`, `outside_scope_total` | counter | |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod debug;
mod endpoint;
mod listen;
mod readiness;
#[cfg(feature = "prometheus")]
mod recorder;

#[cfg(test)]
mod tests;

pub use endpoint::Endpoint;
pub use listen::Listening;
#[cfg(feature = "prometheus")]
pub use metrics_exporter_prometheus::{BuildError, PrometheusHandle};
#[cfg(feature = "prometheus")]
pub use recorder::install_recorder;
