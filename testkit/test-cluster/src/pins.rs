//! The versions of the servers, read from `tools/cluster/go.mod`, the only place where they are set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ring::digest;

/// The pinned versions.
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
    /// All modules, with a space between path and version, and those that replace others.
    modules: BTreeSet<String>,
    /// Their checksums: path, version and checksum.
    checksums: BTreeSet<String>,
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
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let pinned = go_mod.lines().map(words).filter_map(|words| {
            // `path version`, with or without `require` before it, or `path => path version`.
            let at = words.iter().position(|word| is_version(word))?;
            Some(format!("{} {}", words.get(at.checked_sub(1)?)?, words[at]))
        });
        Ok(Self {
            module_dir: module_dir.to_owned(),
            kubernetes: version("k8s.io/kubernetes")?,
            etcd: version("go.etcd.io/etcd/server/v3")?,
            go: version("go")?,
            modules: pinned.collect(),
            checksums: go_sum.lines().map(|line| words(line).join(" ")).collect(),
        })
    }

    /// Of the Go version and all modules.
    pub(crate) fn fingerprint(&self) -> String {
        let modules: Vec<&str> = self.modules.iter().map(String::as_str).collect();
        fingerprint(&[&self.go, &modules.join("\n")])
    }

    /// What a binary is made with, besides its modules, in one line.
    pub(crate) fn settings(&self, linker_flags: &str) -> String {
        fingerprint(&[&self.go, linker_flags, &platform()])
    }

    /// Whether a binary is made with these [`settings`](Self::settings), which are on the first line, of modules that are
    /// pinned, which are on the others.
    pub(crate) fn pin(&self, settings: &str, made_of: &str) -> bool {
        let mut lines = made_of.lines();
        let is_pinned = |module: &str| {
            let versioned = module.rsplit_once(' ').map_or("", |(versioned, _checksum)| versioned);
            self.modules.contains(versioned) && self.checksums.contains(module)
        };
        lines.next() == Some(settings) && lines.all(is_pinned)
    }

    /// Sets the version in the binaries of Kubernetes. Without these flags the API server reports `v0.0.0-master`, which some clients cannot
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

/// Whether it is a version of a module, such as `v1.36.4`.
fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        && word.contains('.')
        && !word.contains('/')
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
