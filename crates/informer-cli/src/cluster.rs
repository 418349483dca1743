//! The cluster that a command works on.

use embedded_apiserver::{EmbeddedApiserver, RunningSimulation, Simulation};
use kube_informer::source::{HttpSources, Sources};
use kube_informer::{FactoryBuilder, SharedInformerFactory};

use crate::args::{ClusterArgs, ObjectArgs};
use crate::failure::Failure;

/// The number of nodes of the simulated cluster.
const NODES: usize = 5;

/// Writes per second on it: enough to see something happen, few enough to read.
const CHANGES: f64 = 3.0;

/// A cluster and its configuration.
pub(crate) struct Cluster {
    reached: Reached,
    /// Where the configuration comes from, for the user, such as `kubeconfig kc.yaml`.
    pub(crate) origin: String,
    /// Held so that the simulation runs as long as the command.
    _simulation: Option<RunningSimulation>,
}

enum Reached {
    Over(Box<kube_informer::Cluster>),
    Within(EmbeddedApiserver),
}

/// What a command does when there is no cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// Runs on an embedded one, and says so.
    Embedded,
    /// Fails, and says how to name one.
    Fails,
}

impl Cluster {
    pub(crate) async fn find(args: &ClusterArgs, without: Without) -> Result<Self, Failure> {
        if args.embedded {
            return Ok(Self::embedded());
        }
        let mut find = kube_informer::Cluster::find();
        if let Some(file) = &args.kubeconfig {
            find = find.kubeconfig(file);
        }
        if let Some(context) = &args.context {
            find = find.context(context);
        }
        match find.await {
            Ok(found) => Ok(Self {
                origin: found.origin().unwrap_or_default().to_owned(),
                reached: Reached::Over(Box::new(found)),
                _simulation: None,
            }),
            Err(error) if error.is_not_found() && without == Without::Embedded => {
                anstream::eprintln!(
                    "no kubeconfig found: showing a simulated rollout on an embedded API server \
                     (--kubeconfig FILE for a cluster)"
                );
                Ok(Self::embedded())
            }
            Err(error) if error.is_not_found() => Err(Failure::cluster(format!(
                "{error}; name one with --kubeconfig, or use --embedded for a simulated one"
            ))),
            Err(error) => Err(Failure::cluster(error)),
        }
    }

    fn embedded() -> Self {
        let server = EmbeddedApiserver::new();
        let simulation = Simulation::new(1).nodes(NODES).rate(CHANGES).run(&server);
        Self {
            reached: Reached::Within(server),
            origin: "an embedded API server".to_owned(),
            _simulation: Some(simulation),
        }
    }

    /// A factory with the namespace and selectors of the command line.
    pub(crate) fn factory(&self, objects: &ObjectArgs) -> FactoryBuilder {
        let factory = match &self.reached {
            Reached::Over(cluster) => SharedInformerFactory::builder((**cluster).clone()),
            Reached::Within(server) => SharedInformerFactory::builder(server.client()),
        };
        self.select(factory, objects)
    }

    /// The same over sources that lead to this cluster.
    pub(crate) fn factory_over(&self, sources: impl Sources, objects: &ObjectArgs) -> FactoryBuilder {
        self.select(SharedInformerFactory::with_sources(sources), objects)
    }

    fn select(&self, mut factory: FactoryBuilder, objects: &ObjectArgs) -> FactoryBuilder {
        if let Some(namespaces) = self.namespaces(objects) {
            factory = factory.namespaces(namespaces);
        }
        if let Some(labels) = &objects.labels {
            factory = factory.labels(labels);
        }
        if let Some(fields) = &objects.fields {
            factory = factory.fields(fields);
        }
        factory
    }

    /// For requests of the command itself, and informers that are not built as [`Self::factory`] builds them.
    pub(crate) fn sources(&self) -> Result<HttpSources, Failure> {
        let sources = match &self.reached {
            Reached::Over(cluster) => HttpSources::new((**cluster).clone()),
            Reached::Within(server) => HttpSources::new(server.client()),
        };
        sources.map_err(Failure::cluster)
    }

    /// The namespaces of the command line, or else that of the context; `None` for all. In the simulated cluster the default
    /// is all namespaces.
    pub(crate) fn namespaces(&self, objects: &ObjectArgs) -> Option<Vec<String>> {
        match &self.reached {
            _ if objects.all_namespaces => None,
            _ if !objects.namespaces.is_empty() => {
                let mut namespaces = objects.namespaces.clone();
                namespaces.sort();
                namespaces.dedup();
                Some(namespaces)
            }
            Reached::Over(cluster) => cluster.config().map(|config| vec![config.default_namespace.clone()]),
            Reached::Within(_) => None,
        }
    }

    /// The same for the user: `namespace "shop"`, `all namespaces`.
    pub(crate) fn place(&self, objects: &ObjectArgs) -> String {
        match self.namespaces(objects).as_deref() {
            None => "all namespaces".to_owned(),
            Some([namespace]) => format!("namespace {namespace:?}"),
            Some(several) => {
                let quoted: Vec<_> = several.iter().map(|namespace| format!("{namespace:?}")).collect();
                format!("namespaces {}", quoted.join(", "))
            }
        }
    }
}
