//! The command line of `get`.

use std::time::Duration;

use clap::Args;
use informer_wire::Path;

use super::{ClusterArgs, ObjectArgs, duration};
use crate::output::Form;

pub(super) const EXAMPLES: &str = "\
Examples:
  informer get deployments
  informer get pods,svc -n shop -n test         several kinds, several namespaces
  informer get pod web-0 web-1 -n shop -o yaml  or: pod/web-0 pod/web-1
  informer get po -A -l app=web -o wide --show-labels -L tier
  informer get po --field spec.nodeName --field 'status.conditions[?(@.type==\"Ready\")].status'
  informer get po -w                            and then each change, until Ctrl-C
  informer get nodes --embedded

Cells have control characters as escapes; -o json has the exact content. Values of Secrets are sizes in every form. For templates, \
custom columns and another order: kubectl get.";

#[derive(Clone, Debug, Args)]
pub(crate) struct GetArgs {
    /// Kinds by plural, singular, short name or kind, and names; or KIND/NAME
    #[arg(required = true, value_name = "KIND[,KIND] [NAME]")]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// table, wide, json, yaml or name
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = str::parse::<Form>)]
    pub(crate) output: Form,
    /// Shows this field in a column of its own, such as `spec.nodeName`; several times for several
    #[arg(long = "field", value_name = "PATH", value_parser = Path::parse)]
    pub(crate) field_columns: Vec<Path>,
    // Of kubectl, to say so.
    #[arg(long, hide = true)]
    sort_by: Option<String>,
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

impl GetArgs {
    /// What is wrong with the options as a whole.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.sort_by.is_some() {
            return Err(
                "`kubectl get … --sort-by=PATH` sorts by a field; `informer get` has the order of names",
            );
        }
        if !self.field_columns.is_empty() && !matches!(self.output, Form::Table | Form::Wide) {
            return Err("--field is for the forms table and wide; json and yaml have all fields");
        }
        Ok(())
    }
}
