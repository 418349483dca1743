//! The command line.

use anyhow::{Result, bail};

use crate::differential::Differential;
use crate::page::Asked;
use crate::soak::Soak;

pub(crate) const HELP: &str = "\
The project's own chores.

Usage: cargo xtask <command>

Commands:
  ci [--long]       Everything that a change must pass: the README's first command, `cargo test`, and of the below tidy, deny,
                    book, publish without builds, lint, face, page, e2e and three minutes of soak; ends with a table of where
                    the time went, what was skipped and why, and which tests took more than 10 s. Fails if a test target has not
                    run, if it took more than 50 minutes, or if a step says nothing for 15. With --long the random tests try more, for as long as it takes
  e2e [FILTER]...   The tests that need a real kube-apiserver or programs in Go, which are no part of `cargo test`: all with the
                    default feature gates, what lists once more with WatchList=false, and the embedded server beside the real
                    one, with kubectl and client-go; only tests whose name contains a FILTER, if there is one, on both.
                    Fails if no test is called so, and without a FILTER if a suite has not run
  soak [--minutes N] [--seed S] [--step K] [--report FILE]
                    A random walk over everything that can go wrong on a real kube-apiserver, 3 minutes if nothing is
                    said; the seed decides what happens, K is the step to begin with, FILE gets the table as Markdown
  differential [--rounds N] [--seed S]
                    Random schemas, objects and patches on the embedded server and on a real kube-apiserver, 10,000
                    rounds if nothing is said; a round that differs is made smaller and printed with its seed
  lint [--every]    Formatting, clippy, whether generated files are up to date; with --every also the libraries for the
                    oldest and the newest Kubernetes API, without and with all features
  codegen [--check] Generates the accessors for all kinds of k8s-openapi; with --check only says whether the
                    generated files are up to date
  doc [--open]      The documentation as docs.rs builds it, warnings being errors
  book              Makes the book, `docs/` as HTML in target/book/html, and follows all of its links; installs mdBook the first
                    time
  dist              A static binary of `informer` for this processor, with manual, completions and Containerfile, as an
                    archive in target/dist, which is then unpacked and tried; needs the musl target of Rust and musl-gcc.
                    Not a part of `ci`: it is an optimised build, six minutes of CPU
  face              The public names and types of each library that is published, counted, types of one name in two of them, and
                    the types of others in signatures
  msrv              Builds what is published with the oldest Rust that it declares
  deny              Licences and sources of dependencies, and unwanted and doubled ones, by deny.toml
  page [--pictures] [--figures]
                    The pages of informer-endpoint in Chromium: whether they load, update, survive a restart, can be read
                    and used by keyboard; with --pictures those of docs/images are taken anew, with --figures only a program
                    with 100,000 objects is measured. Skipped without Chromium or Node.js with npm
  publish           Rehearses publishing every package and builds each from what would be uploaded; `ci` does not
                    build them
  tidy              File sizes, module levels and what modules may do in every crate, the behaviour ledger, forbidden words,
                    lint tables, links, docs.rs
  bench [--quick]   Speed and memory beside client-go, controller-runtime and kube-rs; `bench --help` says more. With
                    `replicas` in place of --quick: `replication_manager` beside kube-controller-manager, 200
                    controllers with 25 pods, on a real kube-apiserver each; it takes --controllers N, --pods N and
                    --rounds N (3)
  help              This text; also --help or -h

Environment:
  KUBE_INFORMER_E2E             `required`: without Go the e2e tests fail. `skip`: they are skipped.
                                Unset: they run if Go is on the PATH or the servers were built before.
  CI                            `true` is the same as KUBE_INFORMER_E2E=required
  XDG_CACHE_HOME                Where the built servers are kept, in kube-informer/ (default: ~/.cache)
  KUBE_INFORMER_ROUNDS          How often the tests beside client-go repeat a fault (default 2), the differential test
                                its workload (default 30), the one beside kube-controller-manager (default 30), how often
                                something happens to the leader of an election (default 3), and how often the manager
                                of replicas is killed (default 3, as a leader 50) and measured (default 1)
  KUBE_INFORMER_CONTROLLERS, KUBE_INFORMER_PODS
                                What the manager of replicas has to do beside kube-controller-manager (default 5 × 5)
  KUBE_INFORMER_BACKUPS         Set: all cases of restored backups, which take minutes
  INFORMER_SEEDS, INFORMER_SEED How many seeds the model tests try (default 100, of elections 20; `ci` 500), or the one to repeat
  INFORMER_EXPLORE              `all`: every pair of a crash and a version of the cache

The e2e tests build kube-apiserver, etcd, kubectl and kube-controller-manager from source the first time, which takes about
ten minutes.
";

/// What the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Ci { long: bool },
    E2e { filters: Vec<String> },
    Lint { every: bool },
    Codegen { check: bool },
    Doc { open: bool },
    Tidy,
    Book,
    Dist,
    Face,
    Msrv,
    Deny,
    Page(Asked),
    Publish,
    Bench { arguments: Vec<String> },
    Soak(Soak),
    Differential(Differential),
    Help,
}

pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command> {
    let mut arguments: Vec<String> = arguments.collect();
    if arguments.first().is_some_and(|name| name == "bench") {
        // It has a help of its own.
        arguments.remove(0);
        return Ok(Command::Bench { arguments });
    }
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return Ok(Command::Help);
    }
    if arguments.is_empty() {
        bail!("which command?\n\n{HELP}");
    }
    let name = arguments.remove(0);
    let command = match name.as_str() {
        "ci" => Command::Ci { long: take(&mut arguments, "--long") },
        "e2e" => return Ok(Command::E2e { filters: arguments }),
        "soak" => return Soak::parse(&arguments).map(Command::Soak),
        "differential" => return Differential::parse(&arguments).map(Command::Differential),
        "lint" => Command::Lint { every: take(&mut arguments, "--every") },
        "codegen" => Command::Codegen { check: take(&mut arguments, "--check") },
        "doc" => Command::Doc { open: take(&mut arguments, "--open") },
        "tidy" => Command::Tidy,
        "book" => Command::Book,
        "dist" => Command::Dist,
        "face" => Command::Face,
        "msrv" => Command::Msrv,
        "deny" => Command::Deny,
        "page" => Command::Page(Asked {
            pictures: take(&mut arguments, "--pictures"),
            figures: take(&mut arguments, "--figures"),
        }),
        "publish" => Command::Publish,
        "help" => return Ok(Command::Help),
        _ => bail!("there is no command `{name}`\n\n{HELP}"),
    };
    match arguments.first() {
        None => Ok(command),
        Some(argument) => bail!("`{name}` does not take `{argument}`; see `cargo xtask --help`"),
    }
}

/// Whether the first argument is this one, which is then taken out.
fn take(arguments: &mut Vec<String>, wanted: &str) -> bool {
    let found = arguments.first().is_some_and(|argument| argument == wanted);
    arguments.drain(..usize::from(found));
    found
}

#[cfg(test)]
mod tests;
