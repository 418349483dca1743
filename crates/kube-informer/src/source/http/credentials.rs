//! What proves to the server who asks: tokens from files and from credential plugins, looked at before a header is made of them.

mod plugin;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::HeaderValue;
use k8s_openapi::ByteString;
use k8s_openapi::jiff::Timestamp;
use kube_client::Config;
use kube_client::config::{AuthInfo, ExecConfig};
use tokio::sync::{Mutex, OwnedMutexGuard};

use self::plugin::Printed;

/// A token file is read again this long after it was read, as client-go does.
const REREAD_AFTER: Duration = Duration::from_secs(60);

/// A plugin is run again this long before its token expires.
const RENEW_BEFORE: Duration = Duration::from_secs(60);

/// Why there are no credentials, without any of them.
#[derive(Clone, Debug)]
pub(super) struct CredentialsError(String);

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CredentialsError {}

impl From<CredentialsError> for kube_client::Error {
    fn from(error: CredentialsError) -> Self {
        Self::Service(error.into())
    }
}

/// A configuration of which kube-client can make a client without running or reading anything more.
pub(super) struct Proven {
    pub(super) config: Config,
    /// What goes before the header that kube-client would make.
    pub(super) bearer: Option<Arc<Bearer>>,
    /// When a certificate of a plugin expires.
    pub(super) valid_until: Option<Timestamp>,
}

/// Reads the token file, or runs the plugin. In the order of kube-client: a provider or a password goes before a token, a token
/// before a token file, and that before a plugin.
pub(super) fn proven(config: &Config) -> Result<Proven, CredentialsError> {
    let mut proven = Proven { config: config.clone(), bearer: None, valid_until: None };
    let auth = &mut proven.config.auth_info;
    if auth.auth_provider.is_some() || (auth.username.is_some() && auth.password.is_some()) {
        return Ok(proven);
    }
    if auth.token.is_some() {
        header(&token_of(auth), "the token of the configuration")?;
    } else if let Some(file) = auth.token_file.take() {
        let source = Source::File(file.into());
        proven.bearer = Some(Bearer::of(&source, source.token()?));
    } else if let Some(exec) = auth.exec.take() {
        let Printed { token, identity, until } = plugin::run(&exec)?;
        if let Some((certificate, key)) = identity {
            auth.client_certificate_data = Some(base64(certificate));
            auth.client_key_data = Some(base64(key).into());
            proven.valid_until = until;
        }
        if let Some(token) = token {
            proven.bearer = Some(Bearer::of(&Source::Plugin(exec.into()), Token { header: token, until }));
        }
    }
    Ok(proven)
}

/// A header of requests that is renewed in time.
pub(super) struct Bearer {
    source: Source,
    held: Arc<Mutex<Token>>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf),
    Plugin(Arc<ExecConfig>),
}

#[derive(Clone)]
struct Token {
    header: HeaderValue,
    /// When another one is to be asked for.
    until: Option<Timestamp>,
}

impl Bearer {
    fn of(source: &Source, token: Token) -> Arc<Self> {
        Arc::new(Self { source: source.clone(), held: Arc::new(Mutex::new(token)) })
    }

    /// The header to send now. Requests at the same time wait for one new token.
    pub(super) async fn header(&self) -> Result<HeaderValue, CredentialsError> {
        let held = self.held.clone().lock_owned().await;
        let margin = match self.source {
            Source::File(_) => Duration::ZERO,
            Source::Plugin(_) => RENEW_BEFORE,
        };
        if held.until.is_none_or(|until| from_now(margin) < until) {
            return Ok(held.header.clone());
        }
        // The lock goes with the plugin, which runs on when the request is given up: the next request waits for it as well,
        // and starts no other.
        let source = self.source.clone();
        let renewed = tokio::task::spawn_blocking(move || source.renew(held)).await;
        renewed.unwrap_or_else(|error| Err(CredentialsError(error.to_string())))
    }
}

impl Source {
    /// Reads the file or runs the plugin, which blocks, and holds the lock for as long.
    fn renew(&self, mut held: OwnedMutexGuard<Token>) -> Result<HeaderValue, CredentialsError> {
        match (self.token(), self) {
            (Ok(token), _) => *held = token,
            // Programs are given files that are taken away again: the last token may still do.
            (Err(_), Self::File(_)) => held.until = Some(from_now(REREAD_AFTER)),
            (Err(error), Self::Plugin(_)) => return Err(error),
        }
        Ok(held.header.clone())
    }

    fn token(&self) -> Result<Token, CredentialsError> {
        match self {
            Self::File(file) => {
                let header = token_in(file)?;
                Ok(Token { header, until: Some(from_now(REREAD_AFTER)) })
            }
            Self::Plugin(exec) => {
                let Printed { token, until, .. } = plugin::run(exec)?;
                let name = plugin::name(exec);
                let header = token.ok_or_else(|| {
                    CredentialsError(format!("the credential plugin {name} printed no token"))
                })?;
                Ok(Token { header, until })
            }
        }
    }
}

/// The token in a file, without what editors put after it.
fn token_in(file: &Path) -> Result<HeaderValue, CredentialsError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| CredentialsError(format!("the token file {}: {error}", file.display())))?;
    match text.trim() {
        "" => Err(CredentialsError(format!("the token file {} is empty", file.display()))),
        token => header(token, &format!("the token in {}", file.display())),
    }
}

/// The header with a token.
fn header(token: &str, whose: &str) -> Result<HeaderValue, CredentialsError> {
    let mut header = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_quotes_it| {
        CredentialsError(format!("{whose} cannot be sent: it has a line break or another control character"))
    })?;
    header.set_sensitive(true);
    Ok(header)
}

fn token_of(auth: &AuthInfo) -> String {
    let fields = serde_json::to_value(auth).unwrap_or_default();
    fields["token"].as_str().unwrap_or_default().to_owned()
}

/// As kubeconfigs have certificates and keys.
fn base64(text: String) -> String {
    let encoded = serde_json::to_value(ByteString(text.into_bytes())).unwrap_or_default();
    encoded.as_str().unwrap_or_default().to_owned()
}

fn from_now(time: Duration) -> Timestamp {
    Timestamp::now().checked_add(time).unwrap_or(Timestamp::MAX)
}

#[cfg(all(test, unix))]
mod tests;
