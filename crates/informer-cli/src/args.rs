//! The command line.

mod diff;
mod get;
mod top;
mod watch;

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use informer_recording::Speed;

pub(crate) use self::diff::DiffArgs;
pub(crate) use self::get::GetArgs;
pub(crate) use self::top::TopArgs;
pub(crate) use self::watch::{WatchArgs, WatchForm};
use crate::output::kubectl_form;

/// Watch, read and compare Kubernetes objects through an informer's cache.
#[derive(Debug, Parser)]
#[command(name = "informer", version, about, arg_required_else_help = true, after_help = AFTER)]
pub(crate) struct Command {
    #[command(subcommand)]
    pub(crate) action: Action,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Says on stderr what the informers do, twice for everything; $RUST_LOG chooses what, such as kube_informer=debug
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

const AFTER: &str = "\
Exit codes:
  0  done; for `diff`: the cache equals the server; for `watch --until`: it holds
  1  for `diff`: they differ; for `get NAME`: no such object; for `watch --until`: it did not hold in time; for `replay`: the
     recording was cut short, or is too large for the memory
  2  the command line is wrong, or names a kind that the server does not have, or a file that is not a recording
  3  the cluster cannot be reached, refuses access, or is not found, or there are no credentials for it; for `record`: a kind
     was not recorded
  4  something on this machine failed, such as writing the output; for `watch --until`: nobody read it any more
  130 ended with Ctrl-C or SIGTERM before there was an answer

Examples:
  informer watch deployments                    what happens to deployments, without a cluster on a simulated one
  informer watch pods events -n shop -l app=web
  informer get pods -A -o name
  informer diff configmaps
  informer top --endpoint http://localhost:9090 how the informers of a running program are doing
  informer record run.recording pods --for 1m && informer replay run.recording
  informer serve --port 8080 --simulate 10 --write-kubeconfig kubeconfig.yaml";

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Shows what is added, updated and deleted, as it happens
    #[command(after_help = watch::EXAMPLES)]
    Watch(WatchArgs),
    /// Reads objects from a synced cache
    #[command(after_help = get::EXAMPLES)]
    Get(GetArgs),
    /// Compares a synced cache with what the server lists
    #[command(after_help = diff::EXAMPLES)]
    Diff(DiffArgs),
    /// Shows how the informers of a running program are doing, or own ones
    #[command(after_help = top::EXAMPLES)]
    Top(TopArgs),
    /// Runs the embedded API server
    #[command(after_help = SERVE)]
    Serve(ServeArgs),
    /// Records lists, watch events and failures into a file, without secrets
    #[command(after_help = RECORD)]
    Record(RecordArgs),
    /// Shows what a recording holds as `watch` does, or serves it to any client
    #[command(after_help = REPLAY)]
    Replay(ReplayArgs),
    /// Prints completions for a shell
    #[command(after_help = "Example:\n  informer completions bash > /etc/bash_completion.d/informer")]
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Prints the manual page, or writes those of all subcommands into a directory
    #[command(after_help = "Example:\n  informer man ~/.local/share/man/man1")]
    Man {
        /// The directory, which must be there
        directory: Option<PathBuf>,
    },
}

const SERVE: &str = "\
Examples:
  informer serve                                on any free port
  informer serve --port 8080 --simulate 10      ten nodes, deployments rolling out
  informer serve --controllers gc,namespace     owners and deleted namespaces as in a cluster
  informer serve --write-kubeconfig kc.yaml &   then: kubectl --kubeconfig kc.yaml get pods";

const RECORD: &str = "\
Ends with Ctrl-C or after --for. Contents of Secrets, last-applied configurations, tokens and passwords are replaced before \
anything is written; `zstd -dc FILE` shows what is in the file.

Examples:
  informer record run.recording deployments pods -n shop --for 5m
  informer record run.recording vaults.example.com --sensitive vaults.example.com
  informer record run.recording --proxy         what other clients ask for, at the address that it prints
  informer record run.recording deployments --embedded --for 5s";

const REPLAY: &str = "\
With --serve any number of clients can read the recording: they get what was recorded, and for all other reads the state at this \
moment of the replay; with --speed max that is the end.

Examples:
  informer replay run.recording                 as long as it took
  informer replay run.recording pods --speed 10
  informer replay run.recording --speed max --output json
  informer replay run.recording --serve --write-kubeconfig kc.yaml &   then: kubectl --kubeconfig kc.yaml get pods";

/// Options that choose the cluster.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ClusterArgs {
    /// The kubeconfig file; otherwise $KUBECONFIG, the pod's service account, ~/.kube/config
    #[arg(long, value_name = "FILE", conflicts_with = "embedded")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The context in it
    #[arg(long, value_name = "NAME", conflicts_with = "embedded")]
    pub(crate) context: Option<String>,
    /// An embedded API server with a simulated rollout, in place of a cluster
    #[arg(long)]
    pub(crate) embedded: bool,
}

/// Options that choose the objects.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ObjectArgs {
    /// A namespace, several times for several; otherwise that of the context
    #[arg(short, long = "namespace", value_name = "NAME", conflicts_with = "all_namespaces")]
    pub(crate) namespaces: Vec<String>,
    /// All namespaces
    #[arg(short = 'A', long)]
    pub(crate) all_namespaces: bool,
    /// Only objects whose labels match, such as `app=web,tier in (front,back)`
    #[arg(short = 'l', long = "selector", value_name = "SELECTOR")]
    pub(crate) labels: Option<String>,
    /// Only objects whose fields match, such as `spec.nodeName=node-1`
    #[arg(long = "field-selector", value_name = "SELECTOR")]
    pub(crate) fields: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Writes a kubeconfig that kubectl can use; a file that this command did not write is left as it is
    #[arg(long, value_name = "FILE")]
    pub(crate) write_kubeconfig: Option<PathBuf>,
    /// Simulates a rollout on so many nodes; otherwise the server is empty
    #[arg(long, value_name = "NODES")]
    pub(crate) simulate: Option<usize>,
    /// Controllers that act on the objects, separated by commas; otherwise there are none
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) controllers: Vec<ControllerName>,
    /// Answers also who calls the server by this name, and not localhost or 127.0.0.1; several times for several
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RecordArgs {
    /// The file, which must not exist yet
    pub(crate) file: PathBuf,
    /// Kinds by plural, singular, short name or kind, with `.group` where that is ambiguous
    #[arg(required_unless_present = "proxy", conflicts_with = "proxy", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// A kind whose contents are secret, as those of Secrets always are, by any of its names, such as `vaults.example.com`
    #[arg(long, value_name = "KIND")]
    pub(crate) sensitive: Vec<String>,
    /// Ends after this long, such as `30s` or `5m`
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) lasting: Option<Duration>,
    /// Records what other clients ask for: listens on 127.0.0.1 and passes requests on to the cluster, with your credentials
    #[arg(long)]
    pub(crate) proxy: bool,
    /// The port of the proxy; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0, requires = "proxy")]
    pub(crate) port: u16,
    /// Writes a kubeconfig that leads clients to the proxy
    #[arg(long, value_name = "FILE", requires = "proxy")]
    pub(crate) write_kubeconfig: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The recording
    pub(crate) file: PathBuf,
    /// Only these of the recorded kinds, by plural, kind or `plural.group`
    #[arg(value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// How many times as fast as recorded, such as 10 or 0.5; `max` waits for nothing
    #[arg(long, value_name = "TIMES", default_value = "1")]
    pub(crate) speed: Speed,
    /// As of `watch`: text, wide, json; or only the objects as yaml or name
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = replay_form)]
    pub(crate) output: WatchForm,
    /// Serves the recording on 127.0.0.1 as an API server that can be read, until Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// The port to serve at; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0, requires = "serve")]
    pub(crate) port: u16,
    /// Writes a kubeconfig that leads clients to it
    #[arg(long, value_name = "FILE", requires = "serve")]
    pub(crate) write_kubeconfig: Option<PathBuf>,
}

/// The controllers of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ControllerName {
    /// Garbage collection: dependents follow their owners
    Gc,
    /// Deleted namespaces are emptied as in a cluster
    Namespace,
}

/// The output formats of `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lines {
    /// For people
    Text,
    /// One JSON document a line
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// A form of `replay`. It has no columns for fields, but kubectl can be led to the recording.
fn replay_form(text: &str) -> Result<WatchForm, String> {
    text.parse().map_err(|problem| match kubectl_form(text) {
        Some(form) => format!(
            "`kubectl get … -o {form}=…` does that with the kubeconfig of `informer replay … --serve --write-kubeconfig FILE`; \
             here -o json has all fields"
        ),
        None => problem,
    })
}

/// `500ms`, `30s`, `5m`, `1h`; a bare number is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| "expected a time such as 30s, 5m or 500ms".to_owned())?;
    let milliseconds = match unit {
        "ms" => Some(1),
        "" | "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    milliseconds
        .and_then(|unit| number.checked_mul(unit))
        .map(Duration::from_millis)
        .ok_or_else(|| "expected a time such as 30s, 5m or 500ms".to_owned())
}

/// `127.0.0.1:9090`, `localhost:9090`, or `:9090` for all addresses of the machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let wanted =
        || format!("expected an address such as 127.0.0.1:9090, localhost:9090 or :9090, not {text:?}");
    if let Some(port) = text.strip_prefix(':') {
        let port = port.parse().map_err(|_| wanted())?;
        return Ok((Ipv4Addr::UNSPECIFIED, port).into());
    }
    let named: Vec<_> = text.to_socket_addrs().map_err(|error| format!("{}: {error}", wanted()))?.collect();
    // `localhost` may resolve to both, and most clients connect to it over IPv4.
    let chosen = named.iter().find(|address| address.is_ipv4()).or(named.first());
    chosen.copied().ok_or_else(wanted)
}

#[cfg(test)]
mod tests;
