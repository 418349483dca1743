//! All objects of a kind, in all their versions.

use crate::app::App;
use crate::fill::{self, Identity, mix};
use crate::hole;
use crate::schema::{CONFIG_MAP, ENDPOINT_SLICE, EVENT, Field, LEASE, POD, REPLICA_SET, SECRET};
use crate::template::{Format, Template};
use crate::{others, pod, proto, small};

/// Apps, as many as there are templates.
const APPS: u64 = 500;

/// Resource versions start here, so that all have ten digits.
const FIRST_VERSION: u64 = 1_000_000_000;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pods, 2 to 40 KB.
    Pods,
    /// ConfigMaps: text.
    ConfigMaps,
    /// Secrets: incompressible.
    Secrets,
    /// A custom resource, which has no protobuf.
    Widgets,
    /// ReplicaSets, which own pods.
    ReplicaSets,
    /// Events: a little more than 1 KB.
    Events,
    /// Leases: less than 1 KB.
    Leases,
    /// EndpointSlices of a few endpoints.
    EndpointSlices,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Pods,
        Self::ConfigMaps,
        Self::Secrets,
        Self::Widgets,
        Self::ReplicaSets,
        Self::Events,
        Self::Leases,
        Self::EndpointSlices,
    ];

    /// By its name in URLs.
    pub fn from_plural(plural: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.plural() == plural)
    }

    /// Its name in URLs.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Pods => "pods",
            Self::ConfigMaps => "configmaps",
            Self::Secrets => "secrets",
            Self::Widgets => "widgets",
            Self::ReplicaSets => "replicasets",
            Self::Events => "events",
            Self::Leases => "leases",
            Self::EndpointSlices => "endpointslices",
        }
    }

    /// Its name in objects.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pods => "Pod",
            Self::ConfigMaps => "ConfigMap",
            Self::Secrets => "Secret",
            Self::Widgets => "Widget",
            Self::ReplicaSets => "ReplicaSet",
            Self::Events => "Event",
            Self::Leases => "Lease",
            Self::EndpointSlices => "EndpointSlice",
        }
    }

    /// Group and version.
    pub fn api_version(self) -> &'static str {
        match self {
            Self::Widgets => "bench.example.com/v1",
            Self::ReplicaSets => "apps/v1",
            Self::Leases => "coordination.k8s.io/v1",
            Self::EndpointSlices => "discovery.k8s.io/v1",
            Self::Pods | Self::ConfigMaps | Self::Secrets | Self::Events => "v1",
        }
    }

    /// Whether servers speak protobuf about it.
    pub fn has_protobuf(self) -> bool {
        self.schema().is_some()
    }

    fn schema(self) -> Option<&'static [Field]> {
        match self {
            Self::Pods => Some(POD),
            Self::ConfigMaps => Some(CONFIG_MAP),
            Self::Secrets => Some(SECRET),
            Self::Widgets => None,
            Self::ReplicaSets => Some(REPLICA_SET),
            Self::Events => Some(EVENT),
            Self::Leases => Some(LEASE),
            Self::EndpointSlices => Some(ENDPOINT_SLICE),
        }
    }

    fn text(self, app: App, options: WorldOptions) -> (String, String) {
        match self {
            Self::Pods => pod::pod(app, options.owned > 0),
            Self::ReplicaSets => pod::replica_set(app, options.owned),
            Self::ConfigMaps => others::config_map(app),
            Self::Secrets => others::secret(app),
            Self::Widgets => others::widget(app),
            Self::Events => small::event(app),
            Self::Leases => small::lease(app),
            Self::EndpointSlices => small::endpoint_slice(app),
        }
    }
}

/// What a world is like.
#[derive(Clone, Copy, Debug)]
pub struct WorldOptions {
    /// Everything random depends on it.
    pub seed: u64,
    /// How many objects.
    pub objects: u64,
    /// How many namespaces they are in, equally many in each.
    pub namespaces: u64,
    /// How many pods each ReplicaSet owns, in the world of the ones and of the others, which has so many times as many objects.
    /// 0 if pods are owned by ReplicaSets that are not served.
    pub owned: u64,
}

/// All objects of a kind. Objects are numbered from 0 in the order of lists; versions from 0, which is the first list.
#[derive(Debug)]
pub struct World {
    kind: Kind,
    options: WorldOptions,
    nodes: u64,
    apps: Vec<Shapes>,
    /// The first object of each app.
    starts: Vec<u64>,
}

#[derive(Debug)]
struct Shapes {
    json: Template,
    metadata: Template,
    protobuf: Template,
}

impl World {
    /// A world of a kind.
    pub fn new(kind: Kind, options: WorldOptions) -> Self {
        let apps: Vec<App> = (0..APPS).map(|number| App::new(options.seed, number)).collect();
        let total: u64 = apps.iter().map(|app| app.weight()).sum();
        let mut before = 0;
        // Owners are of the same app.
        let group = group(kind, options);
        let starts = apps.iter().map(|app| {
            let start = before * (options.objects / group) / total * group;
            before += app.weight();
            start
        });
        Self {
            kind,
            options,
            // A hundred pods on each.
            nodes: (options.objects / 100).max(1),
            starts: starts.collect(),
            apps: apps.into_iter().map(|app| Shapes::new(kind, app, options)).collect(),
        }
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many objects.
    pub fn objects(&self) -> u64 {
        self.options.objects
    }

    /// The resource version of an object at a version: its own for the first list, then that of the event.
    pub fn resource_version(&self, object: u64, version: u64) -> u64 {
        if version == 0 { FIRST_VERSION + object } else { self.version_of_world(version) }
    }

    /// The resource version of the whole after so many events.
    pub fn version_of_world(&self, events: u64) -> u64 {
        FIRST_VERSION + self.options.objects + events
    }

    /// How many events have happened at a resource version of the whole.
    pub fn events_at(&self, resource_version: u64) -> u64 {
        resource_version.saturating_sub(FIRST_VERSION + self.options.objects)
    }

    /// The object that an event changes.
    pub fn object_of_event(&self, version: u64) -> u64 {
        mix(self.options.seed, version, 55) % self.options.objects.max(1)
    }

    /// The numbers of a namespace's objects. Namespaces are called `team-00000` and so on.
    pub fn objects_of_namespace(&self, namespace: &str) -> Option<std::ops::Range<u64>> {
        let number: u64 = namespace.strip_prefix("team-")?.parse().ok()?;
        let group = group(self.kind, self.options);
        let start =
            |number: u64| (number * (self.options.objects / group)).div_ceil(self.options.namespaces) * group;
        (number < self.options.namespaces).then(|| start(number)..start(number + 1))
    }

    /// How long an object is.
    pub fn size(&self, format: Format, object: u64) -> usize {
        self.apps[self.app(object)].template(format).len()
    }

    /// Appends an object.
    pub fn render(&self, format: Format, object: u64, version: u64, out: &mut Vec<u8>) {
        let app = self.app(object);
        let group = group(self.kind, self.options);
        let identity = Identity {
            seed: self.options.seed,
            object,
            app: app as u64,
            ordinal: object - self.starts[app],
            owner: object / group,
            owner_ordinal: (object - self.starts[app]) / group,
            version,
            resource_version: self.resource_version(object, version),
            namespace: (object / group) * self.options.namespaces / (self.options.objects / group).max(1),
            node: mix(self.options.seed, object, 56) % self.nodes,
        };
        self.apps[app].template(format).render(&identity, out);
    }

    /// The uid of the ReplicaSet that owns a pod, or that of a ReplicaSet.
    pub fn owner_uid(&self, object: u64) -> String {
        let mut uid = [0; 36];
        fill::owner_uuid(self.options.seed, object / group(self.kind, self.options), &mut uid);
        String::from_utf8_lossy(&uid).into_owned()
    }

    fn app(&self, object: u64) -> usize {
        self.starts.partition_point(|start| *start <= object) - 1
    }
}

/// How many objects in a row have the same owner.
fn group(kind: Kind, options: WorldOptions) -> u64 {
    if kind == Kind::Pods { options.owned.max(1) } else { 1 }
}

impl Shapes {
    fn new(kind: Kind, app: App, options: WorldOptions) -> Self {
        let (metadata, rest) = kind.text(app, options);
        let json = format!("{metadata},{rest}}}");
        let protobuf = match (kind.schema(), serde_json::from_str(&format!("{{{json}"))) {
            (Some(schema), Ok(value)) => proto::encode(&value, schema),
            (None, Ok(_)) => Vec::new(),
            (_, Err(error)) => panic!("the template of {} is not JSON: {error}\n{json}", kind.name()),
        };
        Self {
            json: Template::new(hole::bare_numbers(&json).into_bytes()),
            metadata: Template::new(format!("{metadata}}}").into_bytes()),
            protobuf: Template::new(protobuf),
        }
    }

    fn template(&self, format: Format) -> &Template {
        match format {
            Format::Json => &self.json,
            Format::Protobuf => &self.protobuf,
            Format::Metadata => &self.metadata,
        }
    }
}
