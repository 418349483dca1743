//! The command line of `get`.

use std::time::Duration;

use clap::Args;

use super::{ClusterArgs, ObjectArgs, duration};
use crate::jsonpath::Path;
use crate::output::Form;

pub(super) const EXAMPLES: &str = "\
Examples:
  informer get deployments
  informer get pods,svc -n shop -n test         several kinds, several namespaces
  informer get pod web-0 web-1 -n shop -o yaml  or: pod/web-0 pod/web-1
  informer get po -A -l app=web -o wide --show-labels -L tier
  informer get po -A --sort-by=.metadata.creationTimestamp --no-headers
  informer get po -o jsonpath='{range .items[*]}{.metadata.name}{\"\\t\"}{.status.phase}{\"\\n\"}{end}'
  informer get po -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName
  informer get po -w                            and then each change, until Ctrl-C
  informer get nodes --embedded

Templates and columns are in kubectl's dialect. What they print of an object has control characters as escapes; -o json has \
the exact content. Values of Secrets are sizes in every form.";

#[derive(Clone, Debug, Args)]
pub(crate) struct GetArgs {
    /// Kinds by plural, singular, short name or kind, and names; or KIND/NAME
    #[arg(required = true, value_name = "KIND[,KIND] [NAME]")]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// table, wide, json, yaml, name, jsonpath=TEMPLATE, jsonpath-as-json=TEMPLATE or custom-columns=TITLE:PATH,…
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = str::parse::<Form>)]
    pub(crate) output: Form,
    /// Sorts by this field, such as `.metadata.creationTimestamp`
    #[arg(long, value_name = "PATH", value_parser = Path::parse, conflicts_with_all = ["watch", "watch_only"])]
    pub(crate) sort_by: Option<Path>,
    /// Leaves out the titles of columns
    #[arg(long)]
    pub(crate) no_headers: bool,
    /// Shows all labels in the last column
    #[arg(long)]
    pub(crate) show_labels: bool,
    /// Shows these labels in columns of their own
    #[arg(short = 'L', long, value_name = "LABELS", value_delimiter = ',')]
    pub(crate) label_columns: Vec<String>,
    /// Then shows each object that is added, updated or deleted, until Ctrl-C
    #[arg(short, long)]
    pub(crate) watch: bool,
    /// The same without those that are there
    #[arg(long)]
    pub(crate) watch_only: bool,
    /// How long to wait for which kinds the server has, and then for the cache
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
}
