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
};
const ETCD: Program = Program { name: "etcd", package: "go.etcd.io/etcd/server/v3", takes: "about 1 minute" };
const KUBECTL: Program =
    Program { name: "kubectl", package: "k8s.io/kubernetes/cmd/kubectl", takes: "about 1 minute" };

/// The servers, built from the Go module that pins them and cached for the user.
///
/// The cache is `kube-informer/cluster-<fingerprint>` in `$XDG_CACHE_HOME` or `~/.cache`; the fingerprint covers
/// the pins and the build flags, so a new pin is a new directory and old ones may be deleted at any time.
#[derive(Debug, Clone)]
pub struct Binaries {
    dir: PathBuf,
    pins: Pins,
}

impl Binaries {
    /// Finds kube-apiserver and etcd in the cache, or builds them with Go (a few minutes, progress on stderr).
    ///
    /// Processes that do so at the same time wait for one another, and none ever sees a half-written binary.
    pub fn locate_or_build() -> Result<Self> {
        let binaries = Self::in_cache()?;
        for program in [ETCD, KUBE_APISERVER] {
            binaries.ensure(&program)?;
        }
        Ok(binaries)
    }

    /// The path of the kube-apiserver binary.
    pub fn kube_apiserver(&self) -> PathBuf {
        self.path_of(&KUBE_APISERVER)
    }

    /// The path of the etcd binary.
    pub fn etcd(&self) -> PathBuf {
        self.path_of(&ETCD)
    }

    /// The path of kubectl, which is built now if it has not been: most tests do without it.
    pub fn kubectl(&self) -> Result<PathBuf> {
        self.ensure(&KUBECTL)
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
        Self::in_cache().is_ok_and(|it| it.kube_apiserver().is_file() && it.etcd().is_file())
    }

    fn in_cache() -> Result<Self> {
        let pins = Pins::read()?;
        let dir = cache::directory(&format!("cluster-{}", pins.fingerprint))?;
        Ok(Self { dir, pins })
    }

    fn path_of(&self, program: &Program) -> PathBuf {
        self.dir.join(program.name)
    }

    fn ensure(&self, program: &Program) -> Result<PathBuf> {
        let version = if program.name == ETCD.name { &self.pins.etcd } else { &self.pins.kubernetes };
        let module = Module {
            dir: &self.pins.module_dir,
            go: &self.pins.go,
            version,
            linker_flags: &self.pins.linker_flags(),
        };
        cache::ensure(&self.dir, program, &module)
    }
}
