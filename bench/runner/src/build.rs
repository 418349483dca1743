//! Building the server and the clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::cli::Settings;

/// Where the programs are.
#[derive(Debug)]
pub(crate) struct Programs {
    rust: PathBuf,
    /// Or why there is none.
    pub(crate) client_go: Result<PathBuf, String>,
    pub(crate) controller_runtime: Result<PathBuf, String>,
    /// Where a client of ours of an earlier commit and a copy of today's are, if there is such a one.
    beside: Option<PathBuf>,
}

/// What our client is called.
const OURS: &str = "client-ours";

/// A program of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Ours,
    /// Ours of an earlier commit.
    Before,
    KubeRs,
    ClientGo,
    ControllerRuntime,
}

impl Program {
    /// Whether it is written in Go, where the program itself can tell its live heap.
    pub(crate) fn is_go(self) -> bool {
        matches!(self, Self::ClientGo | Self::ControllerRuntime)
    }
}

impl Programs {
    pub(crate) fn server(&self) -> PathBuf {
        self.rust.join("replay-server")
    }

    /// Where a server writes the certificate that clients have to trust.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.rust.join("replay-server.pem")
    }

    /// A client; `heap` asks for the one that knows its live heap.
    pub(crate) fn client(&self, program: Program, heap: bool) -> Result<PathBuf, String> {
        let counted = if heap { "-counted" } else { "" };
        match program {
            Program::Ours => Ok(self.beside.as_ref().unwrap_or(&self.rust).join(format!("{OURS}{counted}"))),
            Program::Before => {
                let path =
                    self.beside.as_ref().ok_or("there is no --before")?.join(format!("before{counted}"));
                if path.is_file() { Ok(path) } else { Err(format!("there is no --before PATH{counted}")) }
            }
            Program::KubeRs => Ok(self.rust.join(format!("client-kube-rs{counted}"))),
            Program::ClientGo => self.client_go.clone(),
            Program::ControllerRuntime => self.controller_runtime.clone(),
        }
    }
}

/// The directory of the benchmark.
pub(crate) fn root() -> PathBuf {
    let mut path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    path.pop();
    path
}

pub(crate) fn all(settings: &Settings) -> Result<Programs> {
    let rust = rust(settings, &["--workspace"])?;
    let client_go = go("client-go", &rust.join("client-go"));
    let controller_runtime = go("client-go/controller-runtime", &rust.join("controller-runtime"));
    for (name, program) in [("client-go", &client_go), ("controller-runtime", &controller_runtime)] {
        if let Err(why) = program {
            eprintln!("{name} takes no part: {why}");
        }
    }
    let beside = settings.before.as_deref().map(|before| beside(before, &rust)).transpose()?;
    Ok(Programs { rust, client_go, controller_runtime, beside })
}

/// Puts an earlier client and a copy of today's into one directory. How much of a program is resident depends on how its file was
/// written, up to 2 MiB of it, so both are written in the same way.
fn beside(before: &Path, rust: &Path) -> Result<PathBuf> {
    ensure!(before.is_file(), "--before {}: there is no such program", before.display());
    let directory = rust.join("beside");
    fs::create_dir_all(&directory)?;
    for counted in ["", "-counted"] {
        let former = PathBuf::from(format!("{}{counted}", before.display()));
        let copies = [
            (former, directory.join(format!("before{counted}"))),
            (rust.join(format!("{OURS}{counted}")), directory.join(format!("{OURS}{counted}"))),
        ];
        for (from, to) in copies {
            if to.exists() {
                fs::remove_file(&to)?;
            }
            if from.is_file() {
                fs::copy(&from, &to).with_context(|| from.display().to_string())?;
            }
        }
    }
    Ok(directory)
}

/// Builds Rust programs, and says where they are.
pub(crate) fn rust(settings: &Settings, which: &[&str]) -> Result<PathBuf> {
    let profile = if settings.quick { "quick" } else { "release" };
    eprintln!("building the programs (profile {profile})");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(root()).args(["build", "--locked", "--profile", profile]).args(which);
    run(&mut build)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(profile))
}

/// Builds the Go program in this directory of `clients`, or says why it cannot.
pub(crate) fn go(name: &str, output: &Path) -> Result<PathBuf, String> {
    if let Err(error) = Command::new("go").arg("version").output() {
        return Err(format!("cannot run go: {error}"));
    }
    let mut build = Command::new("go");
    build.current_dir(root().join("clients").join(name)).args(["build", "-o"]).arg(output).arg(".");
    run(&mut build).map_err(|error| format!("{error:#}"))?;
    Ok(output.to_owned())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(())
}
