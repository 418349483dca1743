//! The versions of the servers, read from `tools/cluster/go.mod`, the only place where they are set.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ring::digest;

/// The pinned versions, and a fingerprint of a build of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pins {
    /// The Go module that pins the servers.
    pub(crate) module_dir: PathBuf,
    /// Such as `v1.36.4`.
    pub(crate) kubernetes: String,
    /// Such as `v3.6.8`.
    pub(crate) etcd: String,
    /// The Go version the module asks for, such as `1.26.0`.
    pub(crate) go: String,
    /// Changes whenever the binaries change.
    pub(crate) fingerprint: String,
}

impl Pins {
    pub(crate) fn read() -> Result<Self> {
        Self::read_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/cluster"))
    }

    fn read_from(module_dir: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = module_dir.join(name);
            std::fs::read_to_string(&path).with_context(|| {
                format!("{} pins the servers of the end-to-end tests and cannot be read", path.display())
            })
        };
        Self::parse(module_dir, &read("go.mod")?, &read("go.sum")?)
    }

    fn parse(module_dir: &Path, go_mod: &str, go_sum: &str) -> Result<Self> {
        let version = |module: &str| {
            version_of(go_mod, module).with_context(|| format!("go.mod has no line `{module} <version>`"))
        };
        let mut pins = Self {
            module_dir: module_dir.to_owned(),
            kubernetes: version("k8s.io/kubernetes")?,
            etcd: version("go.etcd.io/etcd/server/v3")?,
            go: version("go")?,
            fingerprint: String::new(),
        };
        pins.fingerprint = fingerprint(&[go_mod, go_sum, &pins.linker_flags(), &platform()]);
        Ok(pins)
    }

    /// Sets the version in the binaries. Without these flags the API server reports `v0.0.0-master`, which some clients cannot
    /// parse.
    pub(crate) fn linker_flags(&self) -> String {
        let mut parts = self.kubernetes.trim_start_matches('v').split('.');
        let (major, minor) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let package = "k8s.io/component-base/version";
        format!(
            "-s -w -X {package}.gitVersion={} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}",
            self.kubernetes
        )
    }
}

/// The version on the line `module version`, with or without `require` before it.
pub(crate) fn version_of(go_mod: &str, module: &str) -> Option<String> {
    go_mod.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word == "require");
        (words.next() == Some(module)).then(|| words.next().map(str::to_owned)).flatten()
    })
}

/// The operating system and architecture of the binaries.
pub(crate) fn platform() -> String {
    [std::env::consts::OS, std::env::consts::ARCH].join("/")
}

/// A hash of `parts` and their boundaries, as sixteen hexadecimal digits.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(&part.len().to_le_bytes());
        context.update(part.as_bytes());
    }
    context.finish().as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
