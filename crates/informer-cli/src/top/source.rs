//! Where the state of informers comes from: a running program, or informers of our own.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use informer_endpoint::Endpoint;
use k8s_openapi::jiff::Timestamp;
use kube_informer::SharedInformerFactory;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::document::Document;
use crate::args::TopArgs;
use crate::cluster::{Cluster, Without};
use crate::ending::within;
use crate::failure::Failure;
use crate::kinds::{Selected, reading, select, sync};
use crate::program::{INFORMERS, Program};
use crate::refusal::Refusal;
use crate::targets;
use crate::watch::ENDING;

/// A program that has not answered for so long is not reachable.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long caches may take to fill before one picture of them is printed.
const FILLING: Duration = Duration::from_secs(60);

/// What was seen at one moment.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) at: Timestamp,
    /// The same in seconds of a clock that is never set.
    pub(super) second: f64,
    /// Or why nothing was.
    pub(super) seen: Result<Document, String>,
}

pub(super) enum Source {
    Program(Program),
    Own(Box<Own>),
}

/// Informers of our own, told of by the same document that a program serves.
pub(super) struct Own {
    name: String,
    endpoint: Endpoint,
    factory: SharedInformerFactory,
    refusal: Refusal,
    /// Held so that an embedded one runs.
    _cluster: Cluster,
}

impl Source {
    pub(super) async fn find(args: &TopArgs) -> Result<Self, Failure> {
        if let Some(url) = &args.endpoint {
            return Program::new(url).map(Self::Program);
        }
        let targets = targets::of_watch(&args.targets).map_err(Failure::usage)?;
        let cluster = Cluster::find(&args.cluster, Without::Embedded).await?;
        let (factory, refusal) = reading(&cluster, &args.objects)?;
        let selected = within(Some(FILLING), &cluster, select(&factory, &targets, &args.objects)).await?;
        let labels: Vec<_> = selected.iter().map(Selected::label).collect();
        let name = format!("{} in {} of {}", labels.join(", "), cluster.place(&args.objects), cluster.origin);
        let statuses = factory.clone();
        let endpoint = Endpoint::new(move || statuses.status());
        factory.start();
        Ok(Self::Own(Box::new(Own { name, endpoint, factory, refusal, _cluster: cluster })))
    }

    /// Whose informers they are.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Program(program) => program.url(),
            Self::Own(own) => &own.name,
        }
    }

    /// Waits until there is something to see.
    pub(super) async fn filled(&self) -> Result<(), Failure> {
        match self {
            Self::Program(_) => Ok(()),
            Self::Own(own) => sync(&own.factory, &own.refusal, FILLING).await,
        }
    }

    /// A look at once, and then this often.
    pub(super) fn looks(self: &Arc<Self>, every: Duration) -> mpsc::Receiver<Look> {
        let source = self.clone();
        follow(every, move || {
            let source = source.clone();
            async move { source.look().await }
        })
    }

    async fn look(&self) -> Result<Document, String> {
        match self {
            Self::Program(program) => {
                let json = program.get(INFORMERS).await?;
                Document::read(json).ok_or_else(|| program.is_something_else())
            }
            Self::Own(own) => {
                let answer = own.endpoint.answer(&Method::GET, INFORMERS).into_body();
                let json: Value = serde_json::from_str(&answer).map_err(|error| error.to_string())?;
                Document::read(json)
                    .ok_or_else(|| "the status of our own informers has another form".to_owned())
            }
        }
    }

    pub(super) async fn end(&self) {
        if let Self::Own(own) = self {
            own.factory.shutdown_within(ENDING).await;
        }
    }
}

/// Looks until nobody receives any more. What cannot be seen is looked at again.
fn follow<F>(every: Duration, look: impl Fn() -> F + Send + 'static) -> mpsc::Receiver<Look>
where
    F: Future<Output = Result<Document, String>> + Send,
{
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let begun = Instant::now();
        let mut tick = interval(every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            let late = |_| Err(format!("no answer for {} s", PATIENCE.as_secs()));
            let seen = timeout(PATIENCE, look()).await.unwrap_or_else(late);
            let look = Look { at: Timestamp::now(), second: begun.elapsed().as_secs_f64(), seen };
            if sender.send(look).await.is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests;
