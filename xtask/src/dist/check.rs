//! Tries an archive as a user would: checksum, unpack, run.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::archive::output;
use super::{COMPLETIONS, FILES, megabytes, printed};

/// How large the binary may be.
const MOST_BYTES: u64 = 20_000_000;

/// What a dynamic binary names, and a static one does not.
const LOADERS: [&str; 2] = ["/ld-linux", "/ld-musl"];

/// A word on what was found.
pub(crate) fn unpack_and_try(archive: &Path) -> Result<String> {
    let dist = archive.parent().context("an archive is in a folder")?;
    output(Command::new("sha256sum").args(["--check", "SHA256SUMS"]).current_dir(dist))?;
    let folder = dist.join("unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    output(Command::new("tar").arg("--extract").arg("--file").arg(archive).arg("--directory").arg(&folder))?;
    let name = archive.file_name().and_then(|name| name.to_str()).context("a name that is not UTF-8")?;
    let root = folder.join(name.trim_end_matches(".tar.gz"));
    for file in FILES {
        ensure!(root.join(file).is_file(), "there is no {file} in the archive");
    }
    let size = binary(&root)?;
    let help = printed(&root.join("informer"), &["--help"])?;
    documentation(&root, &commands(&help)?)?;
    fs::remove_dir_all(&folder)?;
    Ok(format!("a static binary of {:.1} MB, as `informer` and as a plugin of kubectl", megabytes(size)))
}

fn binary(root: &Path) -> Result<u64> {
    let informer = root.join("informer");
    let bytes = fs::read(&informer)?;
    let size = bytes.len() as u64;
    ensure!(size <= MOST_BYTES, "the binary has {size} bytes, more than {MOST_BYTES}");
    let loader = LOADERS.iter().find(|loader| is_in(&bytes, loader));
    ensure!(loader.is_none(), "the binary is not static: it asks for {}", loader.unwrap_or(&""));
    let version = printed(&informer, &["--version"])?;
    ensure!(version.trim() == concat!("informer ", env!("CARGO_PKG_VERSION")), "it says it is {version}");
    let nodes = printed(&informer, &["get", "nodes", "--embedded"])?;
    ensure!(nodes.contains("node-000"), "it does not show the nodes of the embedded server:\n{nodes}");
    let equal = printed(&informer, &["diff", "deployments", "--embedded"])?;
    ensure!(equal.contains("cache and server are equal"), "it says of the embedded server:\n{equal}");
    let help = printed(&root.join("kubectl-informer"), &["get", "--help"])?;
    ensure!(help.contains("Usage: kubectl informer get"), "the plugin does not know its name:\n{help}");
    Ok(size)
}

/// Whether the bytes have this text in them.
fn is_in(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// The commands that the help lists.
fn commands(help: &str) -> Result<Vec<&str>> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.map_while(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let commands: Vec<&str> = names.filter(|name| *name != "help").collect();
    ensure!(!commands.is_empty(), "its help lists no commands:\n{help}");
    Ok(commands)
}

/// There is a manual page for the whole and for each command, and there are completions.
fn documentation(root: &Path, commands: &[&str]) -> Result<()> {
    let pages = commands.iter().map(|command| format!("informer-{command}.1"));
    for page in std::iter::once("informer.1".to_owned()).chain(pages) {
        let text = fs::read_to_string(root.join("man/man1").join(&page)).with_context(|| page.clone())?;
        ensure!(text.contains(".SH NAME"), "{page} is not a manual page");
    }
    for (shell, file) in COMPLETIONS {
        let text = fs::read_to_string(root.join("completions").join(file)).context(file)?;
        ensure!(text.contains("informer") && text.contains("watch"), "{file} has no completions for {shell}");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
