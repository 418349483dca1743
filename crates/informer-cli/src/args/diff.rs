//! The command line of `diff`.

use std::time::Duration;

use clap::Args;

use super::{ClusterArgs, Lines, ObjectArgs, duration};

pub(super) const EXAMPLES: &str = "\
Exit code 0 if the cache equals the server, 1 if not.

Examples:
  informer diff pods -A
  informer diff configmaps -n shop --output json";

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
