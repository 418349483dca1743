//! Programs in Go that are part of the repository, or that it pins: the folders of `tools` with the names of the programs.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::go_build::{Module, Program};
use crate::{cache, pins};

const LINKER_FLAGS: &str = "-s -w";
const MANAGER: Program = Program { name: "manager", package: ".", takes: "about 1 minute", tags: "" };
const PROMTOOL: Program = Program {
    name: "promtool",
    package: "github.com/prometheus/prometheus/cmd/promtool",
    takes: "about 2 minutes",
    // It is not to find targets in any cloud: half of what it would be made of.
    tags: "remove_all_sd",
};

/// Finds `tools/manager`, a manager of controller-runtime, in the cache, or builds it with Go (a minute, progress on stderr).
///
/// Started with `--kubeconfig FILE`, it defines a kind, reconciles an object of it and prints what is then stored.
pub fn controller_runtime_manager() -> Result<PathBuf> {
    locate_or_build(&MANAGER, "sigs.k8s.io/controller-runtime")
}

/// Finds promtool, which checks and tests rules of Prometheus, in the cache, or builds it with Go (two minutes, progress on
/// stderr).
pub fn promtool() -> Result<PathBuf> {
    locate_or_build(&PROMTOOL, "github.com/prometheus/prometheus")
}

/// Finds a program in the cache, or builds it. `made_of` is the Go module whose version is shown.
pub(crate) fn locate_or_build(program: &Program, made_of: &str) -> Result<PathBuf> {
    let name = program.name;
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools").join(name);
    let go_mod = fs::read_to_string(dir.join("go.mod")).with_context(|| format!("{name} has no go.mod"))?;
    let version = |module| {
        pins::version_of(&go_mod, module).with_context(|| format!("the go.mod of {name} has no {module}"))
    };
    let shown = made_of.rsplit('/').next().unwrap_or(made_of);
    let module = Module {
        dir: &dir,
        go: &version("go")?,
        version: &format!("on {shown} {}", version(made_of)?),
        linker_flags: LINKER_FLAGS,
    };
    cache::ensure(&cache::directory(&format!("{name}-{}", fingerprint(&dir)?))?, program, &module)
}

/// A fingerprint of everything that the program is built from.
fn fingerprint(dir: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))? {
        names.push(entry?.path());
    }
    names.sort();
    let mut parts = vec![LINKER_FLAGS.to_owned(), pins::platform()];
    for path in names {
        let is_source = path
            .extension()
            .is_some_and(|extension| ["go", "mod", "sum"].iter().any(|known| extension == *known));
        if is_source {
            parts.push(fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(pins::fingerprint(&parts.iter().map(String::as_str).collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests;
