//! The command line.

use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Watch, read and compare Kubernetes objects through an informer's cache.
#[derive(Debug, Parser)]
#[command(name = "informer", version, about, arg_required_else_help = true, after_help = AFTER)]
pub(crate) struct Command {
    #[command(subcommand)]
    pub(crate) action: Action,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

const AFTER: &str = "\
Exit codes:
  0  done; for `diff`: the cache equals the server
  1  for `diff`: they differ; for `get NAME`: no such object
  2  the command line is wrong, or names a kind that the server does not have
  3  the cluster cannot be reached, refuses access, or is not found
  4  something on this machine failed, such as writing the output
  130 ended with Ctrl-C before there was an answer

Examples:
  informer watch deployments                    what happens to deployments, without a cluster on a simulated one
  informer watch pods events -n shop -l app=web
  informer get pods -A -o name
  informer diff configmaps
  informer serve --port 8080 --simulate 10 --write-kubeconfig kubeconfig.yaml";

#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Shows what is added, updated and deleted, as it happens
    #[command(after_help = WATCH)]
    Watch(WatchArgs),
    /// Reads objects from a synced cache
    #[command(after_help = GET)]
    Get(GetArgs),
    /// Compares a synced cache with what the server lists
    #[command(after_help = DIFF)]
    Diff(DiffArgs),
    /// Runs the embedded API server
    #[command(after_help = SERVE)]
    Serve(ServeArgs),
    /// Prints completions for a shell
    #[command(after_help = "Example:\n  informer completions bash > /etc/bash_completion.d/informer")]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

const WATCH: &str = "\
Without a kubeconfig and outside a cluster it says so and runs on an embedded server with a simulated rollout.

Examples:
  informer watch deployments
  informer watch po svc -n shop                 kinds by plural, singular, short name or kind
  informer watch widgets.example.com -A         custom resources too
  informer watch pods --field-selector spec.nodeName=node-1
  informer watch pods --output json | jq 'select(.event == \"deleted\").key'
  informer watch pods --listen localhost:9090   with /metrics, /readyz and a page at /debug/informers

A line of JSON is an added, updated or deleted object. One with the event `synced` follows the objects that were there at \
the start, one with the event `merged` says how many updates came faster than they could be written.";

const GET: &str = "\
Examples:
  informer get deployments
  informer get pod web-0 -n shop -o yaml
  informer get po -A -l app=web -o name
  informer get nodes --embedded";

const DIFF: &str = "\
Exit code 0 if the cache equals the server, 1 if not.

Examples:
  informer diff pods -A
  informer diff configmaps -n shop --output json";

const SERVE: &str = "\
Examples:
  informer serve                                on any free port
  informer serve --port 8080 --simulate 10      ten nodes, deployments rolling out
  informer serve --controllers gc,namespace     owners and deleted namespaces as in a cluster
  informer serve --write-kubeconfig kc.yaml &   then: kubectl --kubeconfig kc.yaml get pods";

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
    /// One namespace; otherwise that of the context
    #[arg(short, long, value_name = "NAME", conflicts_with = "all_namespaces")]
    pub(crate) namespace: Option<String>,
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
pub(crate) struct WatchArgs {
    /// Kinds by plural, singular, short name or kind, with `.group` where that is ambiguous
    #[arg(required = true, value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// How events are written
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Lines,
    /// Ends after this long, such as `30s` or `5m`
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) lasting: Option<Duration>,
    /// Serves /metrics, /livez, /readyz and /debug/informers at this address; `:9090` means all addresses of this machine
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Also serves the contents of the objects, at /debug/objects: on a loopback address, or with a token
    #[arg(long, requires = "listen")]
    pub(crate) browse: bool,
    /// The token that /debug/objects asks for is in this file
    #[arg(long, value_name = "FILE", requires = "browse")]
    pub(crate) token_file: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct GetArgs {
    /// The kind by plural, singular, short name or kind
    pub(crate) kind: String,
    /// One object
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// How objects are written
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    pub(crate) output: Objects,
    /// How long to wait for the cache
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DiffArgs {
    /// The kind by plural, singular, short name or kind
    pub(crate) kind: String,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// How differences are written
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Lines,
    /// How long to wait for the cache
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port on 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Writes a kubeconfig that kubectl can use
    #[arg(long, value_name = "FILE")]
    pub(crate) write_kubeconfig: Option<PathBuf>,
    /// Simulates a rollout on so many nodes; otherwise the server is empty
    #[arg(long, value_name = "NODES")]
    pub(crate) simulate: Option<usize>,
    /// Controllers that act on the objects, separated by commas; otherwise there are none
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) controllers: Vec<ControllerName>,
}

/// The controllers of `serve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ControllerName {
    /// Garbage collection: dependents follow their owners
    Gc,
    /// Deleted namespaces are emptied as in a cluster
    Namespace,
}

/// The output formats of `watch` and `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lines {
    /// For people
    Text,
    /// One JSON document a line
    Json,
}

/// The output formats of `get`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Objects {
    /// For people
    Table,
    /// A List, or the object if one was named
    Json,
    /// The same as YAML
    Yaml,
    /// Such as `pod/web-0`, one a line
    Name,
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
