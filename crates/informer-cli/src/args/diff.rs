//! The command line of `diff`.

use std::time::Duration;

use clap::Args;

use super::{ClusterArgs, Lines, ObjectArgs, duration};

pub(super) const EXAMPLES: &str = "\
Exit code 0 if the cache equals the server, 1 if not, another if they could not be compared.

Examples:
  informer diff pods -A
  informer diff --endpoint http://127.0.0.1:9090          all caches of a running program
  informer diff --endpoint http://127.0.0.1:9090 pods -l app=web
  informer diff configmaps -n shop --output json

With --endpoint the program tells keys, uids, versions and digests of its objects, never contents; it has to ask for that with \
Endpoint::digests. Its namespaces are known; if its informers have selectors, give the same. A difference is reported if it is \
the same for three seconds: what is just under way is none. Where a program drops fields or transforms objects, and for Secrets, \
only versions are compared.";

#[derive(Clone, Debug, Args)]
pub(crate) struct DiffArgs {
    /// Kinds by plural, singular, short name or kind
    #[arg(required_unless_present = "endpoint", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,
    /// Compares the caches of a running program, whose informer-endpoint is at this address
    #[arg(long, value_name = "URL", conflicts_with_all = ["namespaces", "all_namespaces", "embedded"])]
    pub(crate) endpoint: Option<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// How differences are written
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Lines,
    /// How long to wait for which kinds the server has, and then for the cache
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
}
