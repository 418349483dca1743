//! Finds the binaries of the servers, or builds them.

use std::path::PathBuf;

use anyhow::Result;

use crate::cache;
use crate::go_build::{Module, Program};
use crate::pins::Pins;

const KUBE_APISERVER: Program = Program {
    name: "kube-apiserver",
    package: "k8s.io/kubernetes/cmd/kube-apiserver",
    takes: "about 4 minutes",
    tags: "",
};
const ETCD: Program =
    Program { name: "etcd", package: "go.etcd.io/etcd/server/v3", takes: "about 1 minute", tags: "" };
const KUBECTL: Program =
    Program { name: "kubectl", package: "k8s.io/kubernetes/cmd/kubectl", takes: "about 1 minute", tags: "" };
const KUBE_CONTROLLER_MANAGER: Program = Program {
    name: "kube-controller-manager",
    package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    takes: "about 3 minutes",
    tags: "",
};

const DIRECTORY: &str = "cluster";

/// The servers, built from the Go module that pins them and cached for the user.
///
/// The cache is `kube-informer/cluster` in `$XDG_CACHE_HOME` or `~/.cache`, with a directory for each build of each
/// program: `<program>-<fingerprint>`. A build is used as long as the module pins everything that it was made of, so a new
/// pin builds only what is made of it anew. Old builds may be deleted at any time.
#[derive(Debug, Clone)]
pub struct Binaries {
    kube_apiserver: PathBuf,
    etcd: PathBuf,
    pins: Pins,
}

impl Binaries {
    /// Finds kube-apiserver and etcd in the cache, or builds them with Go (a few minutes, progress on stderr).
    ///
    /// Processes that do so at the same time wait for one another, and none ever sees a half-written binary.
    pub fn locate_or_build() -> Result<Self> {
        let pins = Pins::read()?;
        let etcd = ensure(&ETCD, &pins)?;
        Ok(Self { kube_apiserver: ensure(&KUBE_APISERVER, &pins)?, etcd, pins })
    }

    /// The path of the kube-apiserver binary.
    pub fn kube_apiserver(&self) -> PathBuf {
        self.kube_apiserver.clone()
    }

    /// The path of the etcd binary.
    pub fn etcd(&self) -> PathBuf {
        self.etcd.clone()
    }

    /// The path of kubectl, which is built now if it has not been: most tests do without it.
    pub fn kubectl(&self) -> Result<PathBuf> {
        ensure(&KUBECTL, &self.pins)
    }

    /// The path of kube-controller-manager, which is built now if it has not been: most tests do without it.
    pub fn kube_controller_manager(&self) -> Result<PathBuf> {
        ensure(&KUBE_CONTROLLER_MANAGER, &self.pins)
    }

    /// The version of kube-apiserver and kubectl, such as `v1.36.4`.
    pub fn kubernetes_version(&self) -> &str {
        &self.pins.kubernetes
    }

    /// The version of etcd, such as `v3.6.8`.
    pub fn etcd_version(&self) -> &str {
        &self.pins.etcd
    }

    /// Whether both servers have been built already.
    pub(crate) fn are_cached() -> bool {
        let are_cached = || -> Result<bool> {
            let (pins, dir) = (Pins::read()?, cache::directory(DIRECTORY)?);
            let is_there = |program: &Program| {
                let settings = pins.settings(&linker_flags(program, &pins));
                cache::find(&dir, program, &|made_of| pins.pin(&settings, made_of)).is_some()
            };
            Ok([KUBE_APISERVER, ETCD].iter().all(is_there))
        };
        are_cached().unwrap_or_default()
    }
}

fn ensure(program: &Program, pins: &Pins) -> Result<PathBuf> {
    let version = if is_etcd(program) { &pins.etcd } else { &pins.kubernetes };
    let linker_flags = linker_flags(program, pins);
    let module = Module { dir: &pins.module_dir, go: &pins.go, version, linker_flags: &linker_flags };
    let settings = pins.settings(&linker_flags);
    let pinned = |made_of: &str| pins.pin(&settings, made_of);
    cache::ensure_pinned(&cache::directory(DIRECTORY)?, program, &module, &settings, &pinned)
}

fn linker_flags(program: &Program, pins: &Pins) -> String {
    if is_etcd(program) { "-s -w".to_owned() } else { pins.linker_flags() }
}

fn is_etcd(program: &Program) -> bool {
    program.name == ETCD.name
}
