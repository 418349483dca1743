//! The command line of `watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use informer_wire::Path;

use super::{ClusterArgs, ObjectArgs, address, duration};
use crate::output::{Form, of_kubectl};
use crate::watch::until::Until;

pub(super) const EXAMPLES: &str = "\
Without a kubeconfig and outside a cluster it says so and runs on an embedded server with a simulated rollout.

Examples:
  informer watch deployments
  informer watch po,svc -n shop -n test         kinds by plural, singular, short name or kind
  informer watch pod web-0 web-1                some objects; or: pod/web-0 pod/web-1
  informer watch widgets.example.com -A         custom resources too
  informer watch pods --field-selector spec.nodeName=node-1
  informer watch pods --output json | jq 'select(.event == \"deleted\").key'
  informer watch deploy --changes spec.replicas --diff
  informer watch pods --grep OOMKilled --only-changes
  informer watch --owner deploy/web -n shop     with its ReplicaSets, pods and events
  informer watch deploy/web --until condition=Available --for 2m
  informer watch pods -l job=x --until jsonpath='{.status.phase}'=Succeeded
  informer watch pods -A --for 10m --summary    who changes most, which conditions flap
  informer watch pods --listen localhost:9090   with /metrics, /readyz and a page at /debug/informers
  informer watch pods --listen :9090 --digests  also for `informer diff --endpoint` on other machines

--until holds when it holds for each object that was named, or else for all that are selected, of which there is one at least; \
with --owner, for the owner. Exit code 0 when it holds, 1 if --for is over before. An object that does not exist is waited for.

A line of JSON is an added, updated or deleted object. One with the event `synced` follows the objects that were there at \
the start, one with the event `merged` says how many updates came faster than they could be written.";

#[derive(Clone, Debug, Args)]
pub(crate) struct WatchArgs {
    /// Kinds by plural, singular, short name or kind, with `.group` where that is ambiguous; or one and names; or KIND/NAME
    #[arg(required_unless_present_any = ["owner", "follows", "follows_only", "sort_by", "no_headers"], value_name = "KIND")]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// text, wide, json; or only the objects as yaml or name
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = str::parse::<WatchForm>)]
    pub(crate) output: WatchForm,
    /// Only updates that change what this path leads to; several times for any of several
    #[arg(long, value_name = "PATH", value_parser = Path::parse)]
    pub(crate) changes: Vec<Path>,
    /// Only events with this text: in what an update changed, anywhere in what was added or deleted, or in the key
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,
    /// Shows a unified diff of each update
    #[arg(long)]
    pub(crate) diff: bool,
    /// An object with all that belongs to it and the events about them, such as `deploy/web`
    #[arg(long, value_name = "KIND/NAME", conflicts_with_all = ["labels", "fields"])]
    pub(crate) owner: Option<String>,
    /// Ends when it holds: condition=NAME[=STATUS], jsonpath={PATH}[=VALUE], create or delete
    #[arg(long, value_name = "CONDITION", value_parser = str::parse::<Until>)]
    pub(crate) until: Option<Until>,
    /// Says at the end which objects changed most and which conditions went back and forth
    #[arg(long)]
    pub(crate) summary: bool,
    /// Shows all objects that are there at the start, however many
    #[arg(long, conflicts_with = "only_changes")]
    pub(crate) initial: bool,
    /// Shows none of the objects that are there at the start
    #[arg(long)]
    pub(crate) only_changes: bool,
    /// Shows all labels at the end of a line, in the forms text and wide
    #[arg(long)]
    pub(crate) show_labels: bool,
    /// Shows these labels at the end of a line, in the forms text and wide
    #[arg(short = 'L', long, value_name = "LABELS", value_delimiter = ',')]
    pub(crate) label_columns: Vec<String>,
    // Of `get`, to say what to use here.
    #[arg(short = 'w', long = "watch", hide = true)]
    follows: bool,
    #[arg(long = "watch-only", hide = true)]
    follows_only: bool,
    #[arg(long, hide = true)]
    sort_by: Option<String>,
    #[arg(long, hide = true)]
    no_headers: bool,
    /// Ends after this long, such as `30s` or `5m`
    #[arg(long = "for", visible_alias = "timeout", value_name = "TIME", value_parser = duration)]
    pub(crate) lasting: Option<Duration>,
    /// Serves /metrics, /livez, /readyz, /debug/informers and, on a loopback address, /debug/digests at this address; `:9090`
    /// means all addresses of this machine
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Serves /debug/digests on any address: names, uids, versions and digests of all objects, to whoever can connect
    #[arg(long, requires = "listen")]
    pub(crate) digests: bool,
    /// Also serves the contents of the objects, at /debug/objects: on a loopback address, or with a token
    #[arg(long, requires = "listen")]
    pub(crate) browse: bool,
    /// The token that /debug/objects asks for is in this file
    #[arg(long, value_name = "FILE", requires = "browse")]
    pub(crate) token_file: Option<PathBuf>,
}

impl WatchArgs {
    /// What is wrong with the options as a whole.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let has_lines = matches!(self.output, WatchForm::Text | WatchForm::Wide);
        if self.follows {
            return Err("-w is for `informer get`; `informer watch` goes on by itself, so leave it out");
        }
        if self.follows_only {
            return Err("--watch-only is for `informer get`; use --only-changes here");
        }
        if self.sort_by.is_some() {
            return Err(
                "--sort-by is for `kubectl get`; `informer watch` shows changes in the order in which they happen, so leave \
                 it out",
            );
        }
        if self.no_headers {
            return Err(
                "--no-headers is for `informer get`; `informer watch` writes no titles, so leave it out",
            );
        }
        if self.diff && matches!(self.output, WatchForm::Objects(_)) {
            return Err("--diff is for the forms text, wide and json");
        }
        if !has_lines && (self.show_labels || !self.label_columns.is_empty()) {
            return Err(
                "--show-labels and -L are for the forms text and wide; the others have the labels in .metadata.labels",
            );
        }
        Ok(())
    }
}

/// The output formats of `watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchForm {
    /// For people.
    Text,
    /// With more of each object.
    Wide,
    /// One JSON document a line.
    Json,
    /// The objects alone, each in this form.
    Objects(Form),
}

impl FromStr for WatchForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "wide" => Ok(Self::Wide),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Objects(Form::Yaml)),
            "name" => Ok(Self::Objects(Form::Name)),
            other => Err(of_kubectl(other, "get -w")
                .unwrap_or_else(|| "expected text, wide, json, yaml or name".to_owned())),
        }
    }
}
