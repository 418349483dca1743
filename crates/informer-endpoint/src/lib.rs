//! Health, readiness, metrics and a debug page for programs that run [`kube_informer`] informers.
//!
//! | path | answers |
//! |---|---|
//! | `/livez` | 200 while the program answers at all |
//! | `/readyz` | 200 once every informer has synced, 503 before, naming those that have not and why |
//! | `/metrics` | Prometheus text, if a recorder was installed |
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

mod debug;
mod endpoint;
mod listen;
mod readiness;

#[cfg(test)]
mod tests;

pub use endpoint::Endpoint;
pub use listen::Listening;
pub use metrics_exporter_prometheus::{BuildError, PrometheusHandle};

/// Installs a recorder for the whole process, whose text [`Endpoint::metrics`] serves.
///
/// Has to be called before informers are built: what they measure goes to the recorder that is there then.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = informer_endpoint::install_recorder()?;
/// let endpoint = informer_endpoint::Endpoint::new(Vec::new).metrics(move || recorder.render());
/// # Ok(())
/// # }
/// ```
pub fn install_recorder() -> Result<PrometheusHandle, BuildError> {
    metrics_exporter_prometheus::PrometheusBuilder::new().install_recorder()
}
