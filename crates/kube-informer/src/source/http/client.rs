//! The client behind an HTTP source: built from a configuration, and built again when its credentials change.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use http::Uri;
use hyper::rt::{Read, Write};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use k8s_openapi::jiff::Timestamp;
use kube_client::client::{Body, ClientBuilder, ConfigExt as _};
use kube_client::{Client, Config};
use parking_lot::Mutex;
use tower::{BoxError, Service, ServiceBuilder};

use super::proxy::{Proxy, socks5, tunnel};
use super::told::told;

/// How long a connection may be idle before the kernel asks whether the peer is still there. A peer that vanished without
/// a word is noticed after four such times; the watchdogs of the reflector are for those that are there but silent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A connection is used for the pages of a list and what follows soon; informers have no use for it after that.
const IDLE: Duration = Duration::from_secs(10);

/// A client is renewed this long before its certificate expires.
const RENEW_BEFORE: Duration = Duration::from_secs(60);

type Build = dyn Fn() -> Result<Client, kube_client::Error> + Send + Sync;

/// A client, and the way to make it anew.
pub(super) struct Renewable {
    build: Option<Arc<Build>>,
    /// Files whose content went into the client.
    files: Vec<PathBuf>,
    current: Mutex<Current>,
    /// The server did not accept the credentials.
    refused: AtomicBool,
}

struct Current {
    client: Client,
    /// When the files were last changed, as of the time the client was built.
    changed: Vec<Option<SystemTime>>,
}

impl Renewable {
    /// A client that cannot be made anew.
    pub(super) fn fixed(client: Client) -> Self {
        let current = Mutex::new(Current { client, changed: Vec::new() });
        Self { build: None, files: Vec::new(), current, refused: AtomicBool::new(false) }
    }

    pub(super) fn from_config(config: Config) -> Result<Self, kube_client::Error> {
        let auth = &config.auth_info;
        let files = [&auth.client_certificate, &auth.client_key];
        let files = files.into_iter().flatten().map(PathBuf::from).collect();
        Self::new(files, move || build(&config))
    }

    pub(super) fn new(
        files: Vec<PathBuf>,
        build: impl Fn() -> Result<Client, kube_client::Error> + Send + Sync + 'static,
    ) -> Result<Self, kube_client::Error> {
        let changed = changed(&files);
        let current = Mutex::new(Current { client: build()?, changed });
        Ok(Self { build: Some(Arc::new(build)), files, current, refused: AtomicBool::new(false) })
    }

    /// The client to use now. Credentials that cannot be read leave the client as it is: the server will say so.
    pub(super) async fn client(self: &Arc<Self>) -> Client {
        let Some(build) = self.reason_to_renew() else { return self.current.lock().client.clone() };
        // Reading files and running credential plugins blocks.
        let changed = changed(&self.files);
        let built = tokio::task::spawn_blocking(move || build()).await;
        let mut current = self.current.lock();
        match built {
            Ok(Ok(client)) => {
                tracing::info!("credentials are renewed");
                *current = Current { client, changed };
            }
            Ok(Err(error)) => tracing::warn!(error = told(&error), "credentials cannot be renewed"),
            Err(error) => tracing::warn!(%error, "credentials cannot be renewed"),
        }
        current.client.clone()
    }

    /// The server answered 401: the next request uses new credentials.
    pub(super) fn refused(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    fn reason_to_renew(&self) -> Option<Arc<Build>> {
        let build = self.build.as_ref()?;
        let refused = self.refused.swap(false, Ordering::Relaxed);
        let current = self.current.lock();
        let expiring = current
            .client
            .valid_until()
            .is_some_and(|until| Timestamp::now().checked_add(RENEW_BEFORE).is_ok_and(|soon| soon >= until));
        (refused || expiring || changed(&self.files) != current.changed).then(|| build.clone())
    }
}

fn changed(files: &[PathBuf]) -> Vec<Option<SystemTime>> {
    files.iter().map(|file| file.metadata().and_then(|data| data.modified()).ok()).collect()
}

/// A client without kube-client's retries, which would hide errors from the informer, and with TCP keep-alive, whether it
/// goes through a proxy or not.
fn build(config: &Config) -> Result<Client, kube_client::Error> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(KEEP_ALIVE));
    tcp.set_keepalive_retries(Some(3));
    tcp.set_connect_timeout(config.connect_timeout);
    match Proxy::of(config)? {
        None => build_over(config, tcp),
        Some(Proxy::Http(proxy)) => build_over(config, tunnel(&proxy, tcp)),
        Some(Proxy::Https(proxy)) => {
            // What the server is called is not what the proxy is called.
            let mut to_proxy = config.clone();
            to_proxy.tls_server_name = None;
            let tls = to_proxy.rustls_https_connector_with_connector(tcp)?;
            build_over(config, tunnel(&proxy, tls))
        }
        Some(Proxy::Socks5(proxy)) => build_over(config, socks5(&proxy, tcp)),
    }
}

fn build_over<C>(config: &Config, connector: C) -> Result<Client, kube_client::Error>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let tls = config.rustls_https_connector_with_connector(connector)?;
    let mut http = HyperClient::builder(TokioExecutor::new());
    http.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE);
    let http = http.build::<_, Body>(tls);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    let client = Client::new(service, config.default_namespace.clone());
    Ok(client.with_valid_until(expiry(config)?))
}

/// When a client certificate from a credential plugin expires. kube-client alone knows, and tells it of its own clients.
fn expiry(config: &Config) -> Result<Option<Timestamp>, kube_client::Error> {
    let from_plugin = config.auth_info.exec.is_some();
    if !from_plugin || !config.rustls_client_config()?.client_auth_cert_resolver.has_certs() {
        return Ok(None);
    }
    let mut direct = config.clone();
    direct.proxy_url = None;
    Ok(*ClientBuilder::try_from(direct)?.build().valid_until())
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
