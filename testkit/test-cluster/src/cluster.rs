//! A cluster of one etcd and one kube-apiserver, which tests can kill, stop, restart and restore.

mod manager;
mod peer;

use std::fmt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::api::Api;
use crate::authority::Authority;
use crate::binaries::Binaries;
use crate::credentials::{self, Tokens};
use crate::options::{self, Options};
use crate::process::Process;
use crate::{backup, etcd, flags, logs, ports};

/// How long a server may take to become ready. It takes seconds, unless the machine is very busy.
const READY_WITHIN: Duration = Duration::from_secs(90);
/// How long an API server that was asked to end may take; it should take about two seconds.
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(50);
/// How many ports a new cluster tries if another process takes the port first.
const PORT_ATTEMPTS: u32 = 5;

/// A running cluster: kube-apiserver over etcd, both ended and their data removed on drop.
pub struct Cluster {
    // Dropped in this order: each server before the one it talks to, the directory after all.
    manager: Option<Process>,
    apiserver: Option<Process>,
    peer: Option<Process>,
    etcd: Option<Process>,
    binaries: Binaries,
    options: Options,
    tokens: Tokens,
    url: String,
    port: u16,
    ca_cert_pem: String,
    dir: TempDir,
}

impl Cluster {
    /// Starts a cluster and waits until it is ready and has the namespace `default`.
    ///
    /// Builds the servers first if this machine has never done so, which takes minutes.
    pub fn start(options: Options) -> Result<Self> {
        let binaries = Binaries::locate_or_build()?;
        let dir = tempfile::Builder::new()
            .prefix("kube-informer-")
            .tempdir()
            .context("cannot make a directory for the cluster's data")?;
        let tokens = Tokens::generate()?;
        tokens.write(&dir.path().join(flags::TOKENS))?;
        if let Some(authorities) = &options.client_authorities {
            credentials::replace(&dir.path().join(flags::CLIENT_AUTHORITIES), authorities)?;
        }
        let mut cluster = Self {
            manager: None,
            apiserver: None,
            peer: None,
            etcd: None,
            binaries,
            options,
            tokens,
            url: String::new(),
            port: 0,
            ca_cert_pem: String::new(),
            dir,
        };
        cluster.start_etcd()?;
        cluster.start_apiserver_on_some_port()?;
        Ok(cluster)
    }

    /// The API server's address, such as `https://127.0.0.1:15017`; the same across restarts.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The bearer token of a user who may do everything.
    pub fn token(&self) -> &str {
        &self.tokens.admin
    }

    /// The bearer token of a user in no group, who under [`RBAC`](Options::authorization_mode) may do nothing.
    pub fn unprivileged_token(&self) -> &str {
        &self.tokens.unprivileged
    }

    /// The certificate a client must trust, in PEM; the same across restarts, unless it is
    /// [replaced](Self::replace_serving_certificate).
    pub fn ca_cert_pem(&self) -> &str {
        &self.ca_cert_pem
    }

    /// A kubeconfig for [`token`](Self::token) and the namespace `default`.
    pub fn kubeconfig_yaml(&self) -> String {
        self.kubeconfig_yaml_at(&self.url)
    }

    /// A kubeconfig with another address, `https://127.0.0.1` with any port, such as that of a proxy in front of the API
    /// server.
    pub fn kubeconfig_yaml_at(&self, url: &str) -> String {
        credentials::kubeconfig(url, &self.ca_cert_pem, self.token())
    }

    /// Writes [`kubeconfig_yaml`](Self::kubeconfig_yaml) to a file.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.kubeconfig_yaml())
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// The answer to a GET of `path`, such as `/version`; an error unless the status is 2xx.
    pub fn get(&self, path: &str) -> Result<String> {
        self.get_at(&self.url, path)
    }

    /// The same from another address, such as that of the [second API server](Self::start_peer).
    pub fn get_at(&self, url: &str, path: &str) -> Result<String> {
        Api { url, token: self.token(), ca_cert_pem: &self.ca_cert_pem }.get(path)
    }

    /// Kills the API server at once (SIGKILL): clients see their connections reset.
    pub fn kill_apiserver(&mut self) {
        self.apiserver = None;
    }

    /// Asks the API server to end (SIGTERM) and waits until it has: open watches end cleanly.
    pub fn stop_apiserver(&mut self) -> Result<()> {
        match self.apiserver.take() {
            Some(process) => process.terminate(STOPPED_WITHIN).with_context(|| self.log_tail()),
            None => Ok(()),
        }
    }

    /// Whether the API server has been started and not been ended since.
    pub fn apiserver_is_running(&self) -> bool {
        self.apiserver.is_some()
    }

    /// The id of the API server's process, if it runs.
    pub fn apiserver_process(&self) -> Option<u32> {
        self.apiserver.as_ref().map(Process::id)
    }

    /// Starts the API server again, at the same address, over the same data and with the same certificates, and
    /// waits until it is ready.
    pub fn start_apiserver(&mut self) -> Result<()> {
        ensure!(self.apiserver.is_none(), "the API server is running; stop or kill it first");
        let mut command = Command::new(self.binaries.kube_apiserver());
        command.args(flags::kube_apiserver(self.dir.path(), self.port, &self.options));
        self.apiserver = Some(Process::spawn("kube-apiserver", &mut command, &self.apiserver_log())?);
        self.wait_until_ready()
    }

    /// [`stop_apiserver`](Self::stop_apiserver), then [`start_apiserver`](Self::start_apiserver).
    pub fn restart_apiserver(&mut self) -> Result<()> {
        self.stop_apiserver()?;
        self.start_apiserver()
    }

    /// Kills the API server at once and starts it again: connections are reset, and it has no history from before.
    pub fn crash_apiserver(&mut self) -> Result<()> {
        self.kill_apiserver();
        self.start_apiserver()
    }

    /// Kills etcd at once (SIGKILL). The API server keeps running, and answers from its watch cache.
    pub fn kill_etcd(&mut self) {
        self.etcd = None;
    }

    /// Starts etcd again over the same data and waits until it takes connections.
    pub fn start_etcd(&mut self) -> Result<()> {
        ensure!(self.etcd.is_none(), "etcd is running; kill it first");
        let mut command = Command::new(self.binaries.etcd());
        command.args(flags::etcd(self.dir.path()));
        self.etcd = Some(Process::spawn("etcd", &mut command, &self.etcd_log())?);
        let socket = self.dir.path().join(flags::ETCD_SOCKET);
        self.wait_for(Server::Etcd, |_| {
            UnixStream::connect(&socket).map(drop).context("etcd takes no connections")
        })
    }

    /// Kills etcd at once and starts it again. The API server answers with errors until it has found etcd again.
    pub fn crash_etcd(&mut self) -> Result<()> {
        self.kill_etcd();
        self.start_etcd()
    }

    /// Compacts etcd: everything before `revision` is forgotten at once, and requests that need it are answered with 410.
    ///
    /// The API server still serves recent versions from its watch caches, which exist for everything but events.
    pub fn compact_etcd(&self, revision: u64) -> Result<()> {
        etcd::compact(&self.dir.path().join(flags::ETCD_SOCKET), revision)
    }

    /// Copies etcd's data, for [`restore_etcd`](Self::restore_etcd). etcd is killed for it and started again.
    pub fn backup_etcd(&mut self) -> Result<()> {
        self.kill_etcd();
        backup::replace(&self.dir.path().join(flags::ETCD_DATA), &self.etcd_backup())?;
        self.start_etcd()
    }

    /// Restores the copy that [`backup_etcd`](Self::backup_etcd) made: the cluster goes back in time. etcd and the API server
    /// are killed for it and started again: the latter would still have later versions in its watch caches.
    pub fn restore_etcd(&mut self) -> Result<()> {
        self.kill_apiserver();
        self.kill_etcd();
        backup::replace(&self.etcd_backup(), &self.dir.path().join(flags::ETCD_DATA))?;
        self.start_etcd()?;
        self.start_apiserver()
    }

    /// Makes new tokens. The API server accepts them, and no longer the old ones, after its next start; clients have to read
    /// [`token`](Self::token) again.
    pub fn replace_tokens(&mut self) -> Result<()> {
        ensure!(self.apiserver.is_none(), "the API server is running; stop or kill it first");
        self.tokens = Tokens::generate()?;
        self.tokens.write(&self.dir.path().join(flags::TOKENS))
    }

    /// Throws the API server's certificate away. It makes another one at its next start, which clients have to trust:
    /// [`ca_cert_pem`](Self::ca_cert_pem) is a different one from then on.
    pub fn replace_serving_certificate(&mut self) -> Result<()> {
        ensure!(self.apiserver.is_none(), "the API server is running; stop or kill it first");
        let directory = self.dir.path().join(flags::CERT_DIR);
        for file in ["apiserver.crt", "apiserver.key"] {
            std::fs::remove_file(directory.join(file)).with_context(|| format!("cannot remove {file}"))?;
        }
        Ok(())
    }

    /// Accepts client certificates of these authorities and of no others. A running API server notices the change within a
    /// minute, and usually at once.
    pub fn trust_client_authorities(&self, authorities: &[&Authority]) -> Result<()> {
        ensure!(
            self.options.client_authorities.is_some(),
            "the API server was started without client authorities"
        );
        credentials::replace(&self.dir.path().join(flags::CLIENT_AUTHORITIES), &options::bundle(authorities))
    }

    /// The ends of both servers' logs, for a failure message.
    pub fn log_tail(&self) -> String {
        format!(
            "--- end of etcd's log\n{}\n--- end of kube-apiserver's log\n{}",
            logs::tail(&self.etcd_log(), 10),
            logs::tail(&self.apiserver_log(), 30)
        )
    }

    /// Whether a feature gate was switched on or off; `None` if it has the default of the API server.
    pub fn feature_gate(&self, name: &str) -> Option<bool> {
        self.options.gate(name)
    }

    /// The directory with all its data.
    pub(crate) fn directory(&self) -> &Path {
        self.dir.path()
    }

    fn etcd_backup(&self) -> PathBuf {
        self.dir.path().join("etcd-backup")
    }

    fn etcd_log(&self) -> PathBuf {
        self.dir.path().join("etcd.log")
    }

    fn apiserver_log(&self) -> PathBuf {
        self.dir.path().join("kube-apiserver.log")
    }

    /// Starts the API server, and tries again with another port if a free one is taken before the server listens on it.
    fn start_apiserver_on_some_port(&mut self) -> Result<()> {
        let mut attempt = 1;
        loop {
            self.port = ports::free_port()?;
            self.url = format!("https://127.0.0.1:{}", self.port);
            let Err(error) = self.start_apiserver() else { return Ok(()) };
            let log = logs::tail(&self.apiserver_log(), 30);
            if attempt == PORT_ATTEMPTS || !log.contains("address already in use") {
                return Err(error);
            }
            attempt += 1;
            self.apiserver = None;
            // The log says that the port was taken. If it stayed, a later failure of another kind would look the same.
            std::fs::remove_file(self.apiserver_log())?;
        }
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        self.wait_for(Server::Apiserver, |cluster| {
            // The server writes it at its first start, and reads it at every later one.
            let certificate = cluster.dir.path().join(flags::CERT_DIR).join("apiserver.crt");
            cluster.ca_cert_pem = std::fs::read_to_string(certificate)
                .context("the API server has not written its certificate yet")?;
            cluster.get("/readyz")?;
            // The server creates this namespace a moment after it is ready, and most tests need it.
            cluster.get("/api/v1/namespaces/default")?;
            Ok(())
        })
    }

    /// Calls `probe` until it succeeds; gives up when the server has ended or the time is over.
    fn wait_for(&mut self, server: Server, mut probe: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        let started = Instant::now();
        loop {
            let Err(not_yet) = probe(self) else { return Ok(()) };
            let process = match server {
                Server::Etcd => &mut self.etcd,
                Server::Apiserver => &mut self.apiserver,
                Server::Peer => &mut self.peer,
            };
            if let Some(status) = process.as_mut().map(Process::exited).transpose()?.flatten() {
                *process = None;
                bail!("{server} ended by itself with {status}\n{}", self.log_tail());
            }
            if started.elapsed() > READY_WITHIN {
                let seconds = READY_WITHIN.as_secs();
                bail!("{server} was not ready within {seconds} s: {not_yet:#}\n{}", self.log_tail());
            }
            thread::sleep(POLL);
        }
    }
}

#[derive(Clone, Copy)]
enum Server {
    Etcd,
    Apiserver,
    Peer,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Etcd => "etcd",
            Self::Apiserver => "kube-apiserver",
            Self::Peer => "the second kube-apiserver",
        })
    }
}

/// Does not show tokens and certificates.
impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("url", &self.url)
            .field("options", &self.options)
            .field("dir", &self.dir.path())
            .finish_non_exhaustive()
    }
}
