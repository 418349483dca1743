//! The client behind an HTTP source: built from a configuration, and built again when its credentials change.

use std::path::PathBuf;
use std::sync::Arc;
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
use tokio::time::Instant;
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

/// A certificate that expires soon from the beginning is not renewed more often than this.
const RENEW_PAUSE: Duration = Duration::from_secs(10);

type Build = dyn Fn() -> Result<Client, kube_client::Error> + Send + Sync;

/// A client, and the way to make it anew.
pub(super) struct Renewable {
    build: Option<Arc<Build>>,
    /// Files whose content went into the client.
    files: Vec<PathBuf>,
    current: Mutex<Current>,
    /// Held while a client is built: those who find the same reason wait for it instead of building their own.
    building: tokio::sync::Mutex<()>,
}

struct Current {
    client: Client,
    /// When the files were last changed, as of the time the client was built.
    changed: Vec<Option<SystemTime>>,
    /// The server did not accept the credentials.
    refused: bool,
    /// How often it was tried to renew the client.
    attempts: u64,
    /// When it was last tried.
    tried: Option<Instant>,
}

impl Current {
    fn new(client: Client, changed: Vec<Option<SystemTime>>) -> Mutex<Self> {
        Mutex::new(Self { client, changed, refused: false, attempts: 0, tried: None })
    }

    fn is_expiring(&self) -> bool {
        let until = *self.client.valid_until();
        let soon = |until| Timestamp::now().checked_add(RENEW_BEFORE).is_ok_and(|soon| soon >= until);
        until.is_some_and(soon) && self.tried.is_none_or(|tried| tried.elapsed() >= RENEW_PAUSE)
    }
}

/// The client that a request was sent with, to tell whether an answer concerns the credentials of now.
#[derive(Clone, Copy)]
pub(super) struct Attempt(u64);

impl Renewable {
    /// A client that cannot be made anew.
    pub(super) fn fixed(client: Client) -> Self {
        let current = Current::new(client, Vec::new());
        Self { build: None, files: Vec::new(), current, building: tokio::sync::Mutex::new(()) }
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
        let current = Current::new(build()?, changed);
        Ok(Self { build: Some(Arc::new(build)), files, current, building: tokio::sync::Mutex::new(()) })
    }

    /// The client to use now. Credentials that cannot be read leave the client as it is: the server will say so.
    pub(super) async fn client(&self) -> (Client, Attempt) {
        if let Some((build, attempt)) = self.reason_to_renew() {
            let _one = self.building.lock().await;
            // Whoever held it may have done just this.
            if self.current.lock().attempts == attempt {
                self.renew(build).await;
            }
        }
        let current = self.current.lock();
        (current.client.clone(), Attempt(current.attempts))
    }

    async fn renew(&self, build: Arc<Build>) {
        // Reading files and running credential plugins blocks.
        let changed = changed(&self.files);
        let built = tokio::task::spawn_blocking(move || build()).await;
        let mut current = self.current.lock();
        current.attempts += 1;
        current.tried = Some(Instant::now());
        current.refused = false;
        match built {
            Ok(Ok(client)) => {
                tracing::info!("credentials are renewed");
                current.client = client;
                current.changed = changed;
            }
            Ok(Err(error)) => tracing::warn!(error = told(&error), "credentials cannot be renewed"),
            Err(error) => tracing::warn!(%error, "credentials cannot be renewed"),
        }
    }

    /// The server answered 401: the next request uses new credentials, unless they were renewed since.
    pub(super) fn refused(&self, sent: Attempt) {
        let mut current = self.current.lock();
        current.refused |= current.attempts == sent.0;
    }

    fn reason_to_renew(&self) -> Option<(Arc<Build>, u64)> {
        let build = self.build.as_ref()?;
        let current = self.current.lock();
        let reason = current.refused || current.is_expiring() || changed(&self.files) != current.changed;
        reason.then(|| (build.clone(), current.attempts))
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
    let authorization = config.auth_layer()?;
    let certified = config.auth_info.exec.is_some() && has_certificate(config)?;
    if config.auth_info.exec.is_some() && authorization.is_none() && !certified {
        let nothing = "the credential plugin gave neither a token nor a certificate";
        return Err(kube_client::Error::Service(nothing.into()));
    }
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(authorization)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(http);
    let client = Client::new(service, config.default_namespace.clone());
    Ok(client.with_valid_until(if certified { expiry(config)? } else { None }))
}

fn has_certificate(config: &Config) -> Result<bool, kube_client::Error> {
    Ok(config.rustls_client_config()?.client_auth_cert_resolver.has_certs())
}

/// When a client certificate from a credential plugin expires. kube-client alone knows, and tells it of its own clients.
fn expiry(config: &Config) -> Result<Option<Timestamp>, kube_client::Error> {
    let mut direct = config.clone();
    direct.proxy_url = None;
    Ok(*ClientBuilder::try_from(direct)?.build().valid_until())
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
