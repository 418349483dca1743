//! The client behind an HTTP source: built from a configuration, and built again when its credentials change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::FutureExt as _;
use http::HeaderValue;
use http::header::{AUTHORIZATION, USER_AGENT};
use hyper_util::client::legacy::connect::HttpConnector;
use k8s_openapi::jiff::Timestamp;
use kube_client::client::ConfigExt as _;
use kube_client::{Client, Config};
use parking_lot::Mutex;
use tower::{ServiceBuilder, service_fn};

use super::cluster::Manners;
use super::connect::{ServerConnector, boxed};
use super::credentials::{Proven, proven};
use super::pool::{Offer, Pool};
#[cfg(feature = "socks")]
use super::proxy::socks5;
use super::proxy::{Proxy, tunnel};
use super::told::told;

/// How long a connection may be idle before the kernel asks whether the peer is still there. A peer that vanished without
/// a word is noticed after four such times; the watchdogs of the reflector are for those that are there but silent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A client is renewed this long before its certificate expires.
const RENEW_BEFORE: Duration = Duration::from_secs(60);

type Build = dyn Fn() -> Result<Client, kube_client::Error> + Send + Sync;

/// When each file was last changed.
type Changed = Vec<Option<SystemTime>>;

/// A client, and the way to make it anew.
pub(super) struct Renewable {
    recipe: Option<Recipe>,
    current: Mutex<Current>,
    /// Held while a client is built: other requests that need a new client wait for this one instead of building their
    /// own.
    renewing: tokio::sync::Mutex<()>,
}

/// How a client is made. Both functions read files or run programs, which blocks.
#[derive(Clone)]
struct Recipe {
    build: Arc<Build>,
    /// Looks at the files whose content goes into the client, if there are any.
    look: Option<Arc<dyn Fn() -> Changed + Send + Sync>>,
}

impl Recipe {
    /// The files are looked at before they are read: one that is replaced in between is a change the next time.
    fn follow(&self) -> Result<(Client, Changed), kube_client::Error> {
        let changed = self.look.as_ref().map(|look| look()).unwrap_or_default();
        Ok(((self.build)()?, changed))
    }
}

struct Current {
    client: Client,
    /// When the files were last changed, as of the time the client was built.
    changed: Changed,
    /// The server did not accept the credentials.
    refused: bool,
    /// How often it was tried to renew the client.
    attempts: u64,
}

impl Current {
    fn is_expiring(&self) -> bool {
        let soon = |until| Timestamp::now().checked_add(RENEW_BEFORE).is_ok_and(|soon| soon >= until);
        self.client.valid_until().is_some_and(soon)
    }
}

/// The credentials that a request was sent with, to tell whether an answer is about those of now.
#[derive(Clone, Copy)]
pub(super) struct Attempt(u64);

impl Renewable {
    /// A client that cannot be made anew.
    pub(super) fn fixed(client: Client) -> Self {
        Self::with(None, client, Changed::new())
    }

    pub(super) fn from_config(config: Config, manners: Manners) -> Result<Self, kube_client::Error> {
        let auth = &config.auth_info;
        let files = [&auth.client_certificate, &auth.client_key].into_iter().flatten().map(PathBuf::from);
        let files: Vec<PathBuf> = files.chain(config.root_cert_file.clone()).collect();
        let look = (!files.is_empty()).then_some(move || changed(&files));
        Self::new(look, move || build(&config, &manners))
    }

    pub(super) fn new(
        look: Option<impl Fn() -> Changed + Send + Sync + 'static>,
        build: impl Fn() -> Result<Client, kube_client::Error> + Send + Sync + 'static,
    ) -> Result<Self, kube_client::Error> {
        let recipe = Recipe { build: Arc::new(build), look: look.map(|look| Arc::new(look) as _) };
        let (client, changed) = recipe.follow()?;
        Ok(Self::with(Some(recipe), client, changed))
    }

    fn with(recipe: Option<Recipe>, client: Client, changed: Changed) -> Self {
        let current = Mutex::new(Current { client, changed, refused: false, attempts: 0 });
        Self { recipe, current, renewing: tokio::sync::Mutex::new(()) }
    }

    /// The client to use now. Credentials that cannot be read leave the client as it is: the server will say so.
    ///
    /// If several requests find at the same time that new credentials are needed, these are obtained once for all of
    /// them. A later request checks again: a plugin whose certificates live for less than a minute is run before each
    /// request.
    pub(super) async fn client(&self) -> (Client, Attempt) {
        if let Some(recipe) = &self.recipe {
            let attempt = self.current.lock().attempts;
            if self.is_outdated(recipe).await {
                let _one = self.renewing.lock().await;
                // Whoever held it may have done just this.
                if self.current.lock().attempts == attempt {
                    self.renew(recipe.clone()).await;
                }
            }
        }
        let current = self.current.lock();
        (current.client.clone(), Attempt(current.attempts))
    }

    /// The namespace that the configuration names.
    pub(super) fn default_namespace(&self) -> String {
        self.current.lock().client.default_namespace().to_owned()
    }

    /// The server answered 401: the next request uses new credentials, unless they were renewed since.
    pub(super) fn refused(&self, sent: Attempt) {
        let mut current = self.current.lock();
        current.refused |= current.attempts == sent.0;
    }

    async fn is_outdated(&self, recipe: &Recipe) -> bool {
        {
            let current = self.current.lock();
            if current.refused || current.is_expiring() {
                return true;
            }
        }
        let Some(look) = recipe.look.clone() else { return false };
        // In a blocking task, so that a file on a slow disk does not delay other tasks. A file that cannot be read
        // counts as unchanged.
        let changed = tokio::task::spawn_blocking(move || look()).await;
        changed.is_ok_and(|changed| changed != self.current.lock().changed)
    }

    async fn renew(&self, recipe: Recipe) {
        let built = tokio::task::spawn_blocking(move || recipe.follow()).await;
        let mut current = self.current.lock();
        current.attempts += 1;
        current.refused = false;
        match built {
            Ok(Ok((client, changed))) => {
                tracing::info!("credentials are renewed");
                current.client = client;
                current.changed = changed;
            }
            Ok(Err(error)) => tracing::warn!(error = told(&error), "credentials cannot be renewed"),
            Err(error) => tracing::warn!(%error, "credentials cannot be renewed"),
        }
    }
}

fn changed(files: &[PathBuf]) -> Changed {
    files.iter().map(|file| file.metadata().and_then(|data| data.modified()).ok()).collect()
}

/// A client without kube-client's retries, which would hide errors from the informer, and with TCP keep-alive, whether it
/// goes through a proxy or not.
fn build(config: &Config, manners: &Manners) -> Result<Client, kube_client::Error> {
    if config.cluster_url.scheme().is_none() {
        let server = config.cluster_url.to_string();
        let problem = format!("the address of the server {server:?} lacks http:// or https://");
        return Err(kube_client::Error::Service(problem.into()));
    }
    let Proven { config, bearer, valid_until } = proven(config)?;
    let config = &config;
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEP_ALIVE));
    tcp.set_keepalive_interval(Some(KEEP_ALIVE));
    tcp.set_keepalive_retries(Some(3));
    tcp.set_connect_timeout(config.connect_timeout);
    let connector = match Proxy::of(config)? {
        None => boxed(tcp),
        Some(Proxy::Http(proxy)) => boxed(tunnel(&proxy, tcp)),
        Some(Proxy::Https(proxy)) => {
            // What the server is called is not what the proxy is called.
            let mut to_proxy = config.clone();
            to_proxy.tls_server_name = None;
            let tls = to_proxy.rustls_https_connector_with_connector(tcp)?;
            boxed(tunnel(&proxy, tls))
        }
        #[cfg(feature = "socks")]
        Some(Proxy::Socks5(proxy)) => boxed(socks5(&proxy, tcp)),
    };
    let connector = ServerConnector::new(config, connector)?;
    let http1_only = manners.http1_only;
    let pool = Pool::new(move |offer| {
        let offer = if http1_only { Offer::Http1Only } else { offer };
        connector.clone().connect(offer).boxed()
    });
    let agent = user_agent(manners.program.as_deref());
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .service(service_fn(move |mut request: http::Request<_>| {
            // One that the configuration has among its headers goes before ours.
            request.headers_mut().entry(USER_AGENT).or_insert_with(|| agent.clone());
            let (pool, bearer) = (pool.clone(), bearer.clone());
            async move {
                if let Some(bearer) = bearer {
                    request.headers_mut().insert(AUTHORIZATION, bearer.header().await?);
                }
                pool.send(request).await
            }
        }));
    let client = Client::new(service, config.default_namespace.clone());
    Ok(client.with_valid_until(valid_until))
}

/// The program and this library. What cannot stand in a header is left out.
fn user_agent(program: Option<&str>) -> HeaderValue {
    let executable = || Some(std::env::current_exe().ok()?.file_name()?.to_string_lossy().into_owned());
    let program = program.map(str::to_owned).or_else(executable).unwrap_or_default();
    let program: String = program.chars().filter(|c| matches!(c, ' '..='~')).collect();
    let library = concat!("kube-informer/", env!("CARGO_PKG_VERSION"));
    let text = format!("{} {library}", program.trim());
    HeaderValue::from_str(text.trim()).unwrap_or_else(|_| HeaderValue::from_static(library))
}

#[cfg(test)]
mod tests;
