//! What users download: the command as one static binary, with its manual, its completions and its licence.

mod archive;
mod check;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{Cargo, host, target_directory, workspace_root};
use crate::report::{Outcome, Report};

/// The shells, and the file that each looks for.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "informer.bash"), ("zsh", "_informer"), ("fish", "informer.fish")];

/// Files of the repository that are in the archive.
const FILES: [&str; 3] = ["LICENSE", "README.md", "Containerfile"];

/// Builds `target/dist/informer-VERSION-TARGET.tar.gz` and its checksum, unpacks it and tries what is in it.
pub(crate) fn steps(report: &mut Report) {
    let mut built = None;
    report.step("dist", || {
        let archive = build()?;
        let size = fs::metadata(&archive)?.len();
        let detail = format!("{} ({:.1} MB)", archive.display(), megabytes(size));
        built = Some(archive);
        Ok(Outcome::Passed(detail))
    });
    if let Some(archive) = built {
        report.step("dist, unpacked and tried", || check::unpack_and_try(&archive).map(Outcome::Passed));
    }
}

fn build() -> Result<PathBuf> {
    let target = target()?;
    let compiler = c_compiler(&target)?;
    let variable = format!("CC_{}", target.replace('-', "_"));
    Cargo::new(&format!("build --profile archive --locked --package informer-cli --target {target}"))
        .env(&variable, &compiler)
        .run()?;
    let targets = target_directory()?;
    let program = targets.join(&target).join("archive").join("informer");
    let name = format!("informer-{}-{target}", env!("CARGO_PKG_VERSION"));
    let dist = targets.join("dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    fill(&folder, &program).with_context(|| format!("cannot fill {}", folder.display()))?;
    archive::pack(&dist, &name)
}

/// Static binaries are made with musl, for the processor of this machine.
fn target() -> Result<String> {
    let host = host()?;
    let Some((processor, "unknown-linux-gnu" | "unknown-linux-musl")) = host.split_once('-') else {
        bail!("a static binary is made on Linux only, and this is {host}");
    };
    let target = format!("{processor}-unknown-linux-musl");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let library = Command::new(rustc)
        .args(["--print", "target-libdir", "--target", &target])
        .output()
        .context("rustc")?;
    let library = PathBuf::from(String::from_utf8_lossy(&library.stdout).trim());
    ensure!(library.is_dir(), "Rust has no library for {target}: run `rustup target add {target}`");
    Ok(target)
}

/// zstd and ring are partly C, which has to be compiled for musl as well.
fn c_compiler(target: &str) -> Result<String> {
    if let Ok(chosen) = env::var(format!("CC_{}", target.replace('-', "_"))) {
        return Ok(chosen);
    }
    let is_there =
        Command::new("musl-gcc").arg("--version").output().is_ok_and(|output| output.status.success());
    ensure!(is_there, "musl-gcc is not on the PATH: install musl-tools (Debian) or musl-gcc (Fedora)");
    Ok("musl-gcc".to_owned())
}

fn fill(folder: &Path, program: &Path) -> Result<()> {
    let (manual, completions) = (folder.join("man/man1"), folder.join("completions"));
    fs::create_dir_all(&manual)?;
    fs::create_dir_all(&completions)?;
    for file in FILES {
        fs::copy(workspace_root().join(file), folder.join(file)).context(file)?;
    }
    let informer = folder.join("informer");
    fs::copy(program, &informer).with_context(|| format!("cannot copy {}", program.display()))?;
    // kubectl finds `kubectl informer` by this name.
    std::os::unix::fs::symlink("informer", folder.join("kubectl-informer"))?;
    printed(&informer, &["man", &manual.display().to_string()])?;
    for (shell, file) in COMPLETIONS {
        fs::write(completions.join(file), printed(&informer, &["completions", shell])?)?;
    }
    Ok(())
}

/// Runs a program, and returns what it prints.
fn printed(program: &Path, arguments: &[&str]) -> Result<String> {
    let shown = || format!("{} {}", program.display(), arguments.join(" "));
    let output =
        Command::new(program).args(arguments).output().with_context(|| format!("cannot run {}", shown()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed with {}: {said}", shown(), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[allow(clippy::cast_precision_loss)] // For people.
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
