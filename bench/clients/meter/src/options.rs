//! The command line of the clients.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

/// What a client is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The replay server.
    pub server: String,
    /// Where it takes commands, over plain HTTP/1.1; empty for the same address.
    pub commands: String,
    /// A file with the certificate to trust, for a server with TLS.
    pub ca: Option<PathBuf>,
    /// The plural of the kind.
    pub kind: String,
    /// How objects are held; what that means is the client's own.
    pub mode: String,
    /// How the first state is read.
    pub list: List,
    /// How many handlers.
    pub handlers: usize,
    /// What each does with an event.
    pub work: Work,
    /// How many events after the sync.
    pub events: u64,
    /// Among how many objects; 0 for all.
    pub hot: u64,
    /// How many a second; 0 for as fast as possible.
    pub rate: u64,
    /// Whether one more handler never returns from its first event.
    pub stuck: bool,
    /// Whether the watch expires in the end.
    pub relist: bool,
    /// Whether latencies are measured; needs a rate.
    pub latency: bool,
    /// How long each kind of read is repeated and measured while the events come.
    pub reads: Option<Duration>,
    /// Over how many informers, one a namespace, the objects are spread; 1 for one informer of everything.
    pub informers: usize,
    /// For a controller of ReplicaSets that own pods: the plural of the kind that changes.
    pub controller: Option<String>,
    /// How many objects the controller has.
    pub objects: u64,
    /// How many others each of them owns.
    pub owned: u64,
}

/// How the first state is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// As a stream (`sendInitialEvents`).
    Stream,
    /// LIST, as the client chooses.
    List,
}

/// What a handler does with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Looks at the metadata.
    None,
    /// Reads a field of the spec and one of the status in the cheapest way there is.
    View,
    /// Asks for the whole object.
    Get,
}

impl Options {
    /// From the command line.
    pub fn from_arguments() -> Result<Self> {
        let mut options = Self {
            server: String::new(),
            commands: String::new(),
            ca: None,
            kind: "pods".to_owned(),
            mode: String::new(),
            list: List::Stream,
            handlers: 1,
            work: Work::None,
            events: 0,
            hot: 0,
            rate: 0,
            stuck: false,
            relist: false,
            latency: false,
            reads: None,
            informers: 1,
            controller: None,
            objects: 0,
            owned: 0,
        };
        for argument in std::env::args().skip(1) {
            let (name, value) = argument.split_once('=').unwrap_or((&argument, "true"));
            let number = || value.parse::<u64>().with_context(|| argument.clone());
            match name {
                "--server" => value.clone_into(&mut options.server),
                "--commands" => value.clone_into(&mut options.commands),
                "--ca" => options.ca = Some(value.into()),
                "--kind" => value.clone_into(&mut options.kind),
                "--mode" => value.clone_into(&mut options.mode),
                "--list" => {
                    options.list = match value {
                        "stream" => List::Stream,
                        "list" => List::List,
                        _ => bail!("{argument}: stream or list"),
                    }
                }
                "--work" => {
                    options.work = match value {
                        "none" => Work::None,
                        "view" => Work::View,
                        "get" => Work::Get,
                        _ => bail!("{argument}: none, view or get"),
                    }
                }
                "--handlers" => options.handlers = usize::try_from(number()?)?,
                "--informers" => options.informers = usize::try_from(number()?)?,
                "--controller" => options.controller = Some(value.to_owned()),
                "--objects" => options.objects = number()?,
                "--owned" => options.owned = number()?,
                "--events" => options.events = number()?,
                "--hot" => options.hot = number()?,
                "--rate" => options.rate = number()?,
                "--stuck" => options.stuck = true,
                "--relist" => options.relist = true,
                "--latency" => options.latency = true,
                "--reads" => options.reads = Some(Duration::from_millis(number()?)),
                _ => bail!("unknown option {argument}"),
            }
        }
        Ok(options)
    }

    /// The certificate to trust, as the configuration of kube-client wants it.
    pub fn root_cert(&self) -> Result<Option<Vec<Vec<u8>>>> {
        let Some(path) = &self.ca else { return Ok(None) };
        let certificate = CertificateDer::from_pem_file(path).with_context(|| path.display().to_string())?;
        Ok(Some(vec![certificate.to_vec()]))
    }

    /// The namespaces of the informers; none for one informer of everything.
    pub fn namespaces(&self) -> Vec<Option<String>> {
        match self.informers {
            1 => vec![None],
            count => (0..count).map(|number| Some(format!("team-{number:05}"))).collect(),
        }
    }
}
