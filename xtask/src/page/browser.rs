//! Chromium without a window, as playwright drives it from `tools/page`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{target_directory, workspace_root};

/// The names that the browser has on different systems.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const SCRIPTS: &str = "tools/page";

/// What playwright is, and in which version.
const LOCK: &str = "package-lock.json";

/// What npm writes when all else is there.
const INSTALLED: &str = "node_modules/.package-lock.json";

/// How long npm may take for one package.
const LIMIT: Duration = Duration::from_secs(60);

/// A browser, and the scripts with what they need beside them.
pub(super) struct Browser {
    program: PathBuf,
    scripts: PathBuf,
}

impl Browser {
    /// If it is installed, and Node.js with npm; otherwise what is missing.
    pub(super) fn find() -> Result<Result<Self, String>> {
        let Some(program) = NAMES.iter().find_map(|name| on_the_path(name)) else {
            return Ok(Err("there is no Chromium on the PATH".to_owned()));
        };
        if on_the_path("node").is_none() || on_the_path("npm").is_none() {
            return Ok(Err("there is no Node.js with npm on the PATH".to_owned()));
        }
        Ok(Ok(Self { program, scripts: prepare()? }))
    }

    /// Runs the scripts, and returns what they print.
    pub(super) fn run(&self, arguments: &[String]) -> Result<String> {
        let mut node = Command::new("node");
        node.arg(self.scripts.join("main.mjs")).arg("--browser").arg(&self.program).args(arguments);
        let output = node.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("node")?;
        ensure!(output.status.success(), "{SCRIPTS}/main.mjs failed with {}", output.status);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn on_the_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|place| place.join(name)).find(|file| file.is_file())
}

/// Copies the scripts to where playwright may lie beside them, and fetches it if it is another one or not there: one package, and no
/// browser of its own.
fn prepare() -> Result<PathBuf> {
    let (from, to) = (workspace_root().join(SCRIPTS), target_directory()?.join("page"));
    let has_it = is_installed(&from, &to);
    fs::create_dir_all(&to)?;
    if !has_it && to.join(INSTALLED).exists() {
        // Of another version. If npm does not come to its end, nobody may take it for this one.
        fs::remove_file(to.join(INSTALLED))?;
    }
    for entry in fs::read_dir(&from).with_context(|| format!("cannot read {}", from.display()))? {
        let file = entry?.path();
        if let Some(name) = file.file_name().filter(|_| file.is_file()) {
            fs::copy(&file, to.join(name)).with_context(|| format!("cannot copy {}", file.display()))?;
        }
    }
    if !has_it {
        install(&to)?;
    }
    Ok(to)
}

fn install(to: &Path) -> Result<()> {
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let mut npm = Command::new("npm").args(arguments).current_dir(to).spawn().context("npm")?;
    let end = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = npm.try_wait()? {
            break status;
        }
        if end <= Instant::now() {
            npm.kill()?;
            npm.wait()?;
            bail!("npm ci in {} was ended after {LIMIT:?}: can npm reach its registry?", to.display());
        }
        thread::sleep(Duration::from_millis(50));
    };
    ensure!(status.success(), "npm ci in {} failed with {status}", to.display());
    Ok(())
}

/// Whether npm has come to its end there, for the same lock file.
fn is_installed(from: &Path, to: &Path) -> bool {
    let locks = fs::read(from.join(LOCK)).ok().zip(fs::read(to.join(LOCK)).ok());
    to.join(INSTALLED).is_file() && locks.is_some_and(|(one, other)| one == other)
}

#[cfg(test)]
mod tests;
