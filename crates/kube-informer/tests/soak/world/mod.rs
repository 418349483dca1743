//! The cluster, the way to it, and the informers that are exposed to what happens to both.

pub(crate) mod handlers;
pub(crate) mod kinds;
pub(crate) mod processes;
pub(crate) mod reader;
pub(crate) mod resources;
pub(crate) mod writer;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use kube_client::api::DynamicObject;
use kube_informer::Kind;
use kube_informer::source::HttpSource;
use tempfile::TempDir;
use test_cluster::{Authority, Cluster, Issued, Options};
use tokio::sync::watch;
use tokio::task::block_in_place;

use self::handlers::Mood;
use self::kinds::What;
use self::processes::Watcher;
use self::reader::Reader;
use self::writer::{Traffic, Writer};
use crate::support::proxy::Proxy;
use crate::support::{config_at, config_from, eventually, kubeconfig_of};
use crate::walk::settings::Settings;

pub(crate) struct World {
    // Dropped in this order: nobody should meet the end of the cluster as one more fault.
    pub(crate) watchers: Vec<Watcher>,
    pub(crate) traffic: Option<Traffic>,
    pub(crate) readers: Vec<Reader>,
    mood: watch::Sender<Mood>,
    pub(crate) link: Proxy,
    pub(crate) cluster: Cluster,
    /// The address of the API server that is left while the other one is silent.
    pub(crate) peer: Option<String>,
    pub(crate) is_paused: bool,
    pub(crate) etcd_is_down: bool,
    pub(crate) kind_is_served: bool,
    pub(crate) certificate: Certificate,
    token_file: PathBuf,
    /// How many watchers there are at once.
    pub(crate) processes: usize,
    _folder: TempDir,
}

/// The client certificate in its files.
pub(crate) struct Certificate {
    file: PathBuf,
    key: PathBuf,
    pub(crate) current: Issued,
    /// What comes into the files when the fault is over.
    pub(crate) next: Option<Issued>,
}

impl Certificate {
    pub(crate) fn put(&mut self, issued: &Issued) -> Result<()> {
        std::fs::write(&self.file, &issued.certificate_pem)?;
        std::fs::write(&self.key, &issued.key_pem)?;
        self.current = issued.clone();
        Ok(())
    }

    /// As a user has it in a kubeconfig.
    fn user(&self) -> String {
        format!("client-certificate: {:?}\n    client-key: {:?}", self.file, self.key)
    }
}

impl World {
    pub(crate) async fn start(settings: &Settings) -> Result<Self> {
        let authority = Authority::new("first")?;
        let options = Options::default().authorization_mode("RBAC").client_authorities(&[&authority]);
        let cluster = block_in_place(|| Cluster::start(options))?;
        let link = Proxy::start(cluster.url())?;
        let folder = tempfile::tempdir()?;
        let at = |name: &str| folder.path().join(name);
        let (file, key) = (at("tls.crt"), at("tls.key"));
        let current = authority.issue("reader")?;
        let mut world = Self {
            watchers: Vec::new(),
            traffic: None,
            readers: Vec::new(),
            mood: watch::Sender::new(Mood::Quick),
            link,
            cluster,
            peer: None,
            is_paused: false,
            etcd_is_down: false,
            kind_is_served: true,
            certificate: Certificate { file, key, current: current.clone(), next: None },
            token_file: at("token"),
            processes: settings.processes(),
            _folder: folder,
        };
        world.certificate.put(&current)?;
        world.put_token()?;
        world.writer().await?.prepare(settings.objects()).await?;
        world.until_accepted(&current).await?;
        world.start_readers().await?;
        Ok(world)
    }

    /// Three informers share a token from a file, and one has a client certificate.
    async fn start_readers(&mut self) -> Result<()> {
        let mut by_token = config_at(&self.cluster, &self.link.url()).await?;
        by_token.auth_info.token = None;
        by_token.auth_info.token_file = Some(self.token_file.display().to_string());
        let user = self.certificate.user();
        let by_certificate = config_from(&kubeconfig_of(&self.cluster, &self.link.url(), &user)).await?;
        let info = |what: What| DynamicObject::info(&what.resource());
        let by_token = HttpSource::new(by_token, info(What::ConfigMaps))?;
        let by_certificate = HttpSource::new(by_certificate, info(What::Secrets))?;
        for what in What::ALL {
            let source = if what == What::Secrets { &by_certificate } else { &by_token };
            let reader = Reader::start(source.for_kind(info(what)), what, &self.mood).await?;
            self.readers.push(reader);
        }
        Ok(())
    }

    /// Who writes, with the token of now, past the link, to the server that works.
    pub(crate) async fn writer(&self) -> Result<Writer> {
        let url = self.peer.as_deref().unwrap_or(self.cluster.url());
        Writer::new(config_at(&self.cluster, url).await?)
    }

    pub(crate) fn can_be_written_to(&self) -> bool {
        let serves = self.cluster.apiserver_is_running() && !self.is_paused;
        !self.etcd_is_down && (serves || self.peer.is_some())
    }

    pub(crate) fn put_token(&self) -> Result<()> {
        Ok(std::fs::write(&self.token_file, self.cluster.token())?)
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        self.mood.send_replace(mood);
    }

    /// Reads the large kind again, whatever it is doing.
    pub(crate) fn refresh_large(&self) {
        for reader in self.readers.iter().filter(|reader| reader.what == What::Large) {
            reader.informer.refresh();
        }
    }

    /// Waits until every cache and every handler has exactly what the server has, and gives the moment since when, and who was
    /// the last. With `but_moody` the handlers that may be stuck are not looked at.
    pub(crate) async fn until_right(
        &mut self,
        patience: Duration,
        but_moody: bool,
    ) -> Result<(Instant, &'static str)> {
        let writer = self.writer().await?;
        let mut wanted = Vec::new();
        for reader in self.readers.iter().filter(|reader| self.kind_is_served || reader.what != What::Widgets)
        {
            let content = eventually("a fresh list", || writer.content(reader.what)).await?;
            wanted.push((reader.what, content));
        }
        let deadline = tokio::time::Instant::now() + patience;
        let mut right = None;
        for (what, content) in wanted {
            let reader = self.readers.iter_mut().find(|reader| reader.what == what).context("a reader")?;
            right = right.max(Some((reader.until_right(&content, deadline, but_moody).await?, what.name())));
        }
        right.context("there are readers")
    }

    /// Waits until all is as it is without a fault: every watch is open, and no version is held any more but those in the cache.
    pub(crate) async fn until_settled(&self) -> Result<()> {
        for reader in &self.readers {
            reader.until_settled().await?;
        }
        Ok(())
    }

    /// Waits until the server no longer accepts a certificate, for this reason.
    pub(crate) async fn until_refused(&self, issued: &Issued, status: u16) -> Result<()> {
        let other = self.known_by(issued).await?;
        eventually("the certificate is refused", || async { other.refused(What::Secrets, status).await })
            .await
    }

    /// Waits until the server knows of the permission.
    pub(crate) async fn until_accepted(&self, issued: &Issued) -> Result<()> {
        let other = self.known_by(issued).await?;
        eventually("the certificate is accepted", || async { other.content(What::Secrets).await.map(drop) })
            .await
    }

    /// A client with this certificate, past the link.
    async fn known_by(&self, issued: &Issued) -> Result<Writer> {
        let folder = tempfile::tempdir()?;
        let (file, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
        let mut certificate = Certificate { file, key, current: issued.clone(), next: None };
        certificate.put(issued)?;
        let url = self.peer.as_deref().unwrap_or(self.cluster.url());
        // The files are read here, and may go after that.
        Writer::new(config_from(&kubeconfig_of(&self.cluster, url, &certificate.user())).await?)
    }
}
