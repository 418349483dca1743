//! The command line of `top`.

use std::time::Duration;

use clap::Args;

use super::{ClusterArgs, ObjectArgs, duration};

pub(super) const EXAMPLES: &str = "\
With --endpoint it shows the informers of a running program that serves informer-endpoint, and goes on when the program is started \
again. Otherwise it runs informers of its own; without a kubeconfig and outside a cluster on an embedded server with a simulated \
rollout. Contents of objects are not shown.

Examples:
  informer top --endpoint http://localhost:9090
  informer top pods deployments -A
  informer top deployments pods --embedded --once

Keys: arrows to move, Enter for one informer, / to filter, s and S to sort, p to pause, ? for the others, q to end.";

/// The shortest and the longest time between two looks.
const BOUNDS: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(60)];

#[derive(Clone, Debug, Args)]
pub(crate) struct TopArgs {
    /// Kinds by plural, singular, short name or kind, with `.group` where that is ambiguous; or KIND/NAME
    #[arg(required_unless_present = "endpoint", value_name = "KIND")]
    pub(crate) targets: Vec<String>,
    /// The informers of a running program, whose informer-endpoint is at this address
    #[arg(long, value_name = "URL", conflicts_with_all = ["targets", "ObjectArgs", "ClusterArgs"])]
    pub(crate) endpoint: Option<String>,
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    /// The time between two looks, from 200ms to 60s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub(crate) interval: Duration,
    /// Prints what there is to see once, as text, and ends; it looks twice, because of the rates
    #[arg(long)]
    pub(crate) once: bool,
}

fn interval(text: &str) -> Result<Duration, String> {
    let [shortest, longest] = BOUNDS;
    match duration(text)? {
        time if time < shortest => Err("at least 200ms".to_owned()),
        time if time > longest => Err("at most 60s".to_owned()),
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests;
