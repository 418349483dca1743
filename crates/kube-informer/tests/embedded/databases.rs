//! A cluster whose kinds are kept in two databases, as behind an aggregated API server or with `--etcd-servers-overrides`:
//! each has versions of its own, and each can be restored from a backup without the other.

use embedded_apiserver::{EmbeddedApiserver, RecordedRequest};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::Client;
use kube_client::api::ObjectMeta;
use kube_informer::status::RelistReason;
use kube_informer::{InformerBuilder, SharedInformer, SharedInformerFactory};
use tower::ServiceExt as _;

use crate::support::{PATIENCE, SECOND, config_map, is_probe, lists, parameter, pass};

/// One server in the eyes of its clients.
struct Cluster {
    config_maps: EmbeddedApiserver,
    secrets: EmbeddedApiserver,
}

fn secret(name: &str) -> Secret {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    Secret { metadata, ..Secret::default() }
}

impl Cluster {
    fn new() -> Self {
        Self { config_maps: EmbeddedApiserver::new(), secrets: EmbeddedApiserver::new() }
    }

    fn client(&self) -> Client {
        let (config_maps, secrets) = (self.config_maps.service(), self.secrets.service());
        let service = tower::service_fn(move |request: http::Request<_>| {
            let of_secrets = request.uri().path().contains("/secrets");
            let server = if of_secrets { secrets.clone() } else { config_maps.clone() };
            server.oneshot(request)
        });
        Client::new(service, "default")
    }

    fn both(&self) -> [&EmbeddedApiserver; 2] {
        [&self.config_maps, &self.secrets]
    }

    fn factory(&self) -> SharedInformerFactory {
        SharedInformerFactory::builder(self.client())
            .options(|_| lists())
            .build()
            .expect("the options are good")
    }

    /// Ends all watches at the same moment; nothing of what they are about is lost.
    async fn cut(&self) {
        let other = "of no kind that is watched here";
        let maps = self.config_maps.version();
        self.config_maps.create(&secret("other")).await.expect(other);
        self.config_maps.rewind(maps).expect("it is remembered");
        let secrets = self.secrets.version();
        self.secrets.create(&config_map("other")).await.expect(other);
        self.secrets.rewind(secrets).expect("it is remembered");
    }

    /// The questions about single objects that were asked.
    fn probes(&self) -> Vec<RecordedRequest> {
        self.both().into_iter().flat_map(|server| server.journal().matching(is_probe)).collect()
    }
}

/// How often an informer has found that the server went back in time, and how many objects it holds that were undone.
fn outcome<K: 'static>(informer: &SharedInformer<K>) -> (u64, usize) {
    let keys = informer.lister().keys();
    let undone = keys.iter().filter(|key| key.name().starts_with("undone")).count();
    (informer.status().scopes[0].relists(RelistReason::Rewound), undone)
}

/// One round: whether the database of the Secrets is restored, or that of the ConfigMaps, and whether that of the Secrets has
/// the newer versions.
async fn restore_one(of_secrets: bool, secrets_are_newer: bool) {
    let cluster = Cluster::new();
    let created = "it is created";
    let newer = if secrets_are_newer { &cluster.secrets } else { &cluster.config_maps };
    for number in 0..50 {
        newer.create(&config_map(&format!("age-{number}"))).await.expect(created);
    }
    cluster.config_maps.create(&config_map("kept")).await.expect(created);
    cluster.secrets.create(&secret("kept")).await.expect(created);
    let restored = if of_secrets { &cluster.secrets } else { &cluster.config_maps };
    let backup = restored.version();
    for number in 0..5 {
        cluster.config_maps.create(&config_map(&format!("undone-{number}"))).await.expect(created);
        cluster.secrets.create(&secret(&format!("undone-{number}"))).await.expect(created);
    }
    let factory = cluster.factory();
    let (config_maps, secrets) =
        (factory.kind::<ConfigMap>().informer(), factory.kind::<Secret>().informer());
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await.expect("both are listed");
    pass(2 * SECOND).await;
    cluster.cut().await;
    restored.rewind(backup).expect("it is remembered");
    pass(30 * SECOND).await;
    let expected = if of_secrets { [(0, 5), (1, 0)] } else { [(1, 0), (0, 5)] };
    let case = format!("secrets restored: {of_secrets}, newer: {secrets_are_newer}");
    assert_eq!([outcome(&config_maps), outcome(&secrets)], expected, "{case}: {:#?}", cluster.probes());
    factory.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn p_080_d15_a_backup_of_one_of_two_databases_is_noticed_whichever_has_the_newer_versions() {
    for _ in 0..10 {
        for (of_secrets, secrets_are_newer) in [(false, false), (false, true), (true, false), (true, true)] {
            restore_one(of_secrets, secrets_are_newer).await;
        }
    }
}

/// However many informers and namespaces there are of a resource.
#[tokio::test(start_paused = true)]
async fn d15_after_a_reconnect_each_resource_is_asked_about_once() {
    let cluster = Cluster::new();
    cluster.config_maps.create(&config_map("map")).await.unwrap();
    cluster.secrets.create(&secret("secret")).await.unwrap();
    let factory = cluster.factory();
    let namespaces: Vec<_> = (0..20).map(|number| format!("team-{number}")).collect();
    let maps = factory.kind::<ConfigMap>();
    let of_teams = |builder: InformerBuilder<_>| builder.options(|options| options.namespaces(namespaces));
    let teams = maps.named("teams", of_teams).unwrap().informer();
    let (maps, secrets) = (maps.informer(), factory.kind::<Secret>().informer());
    factory.start();
    factory.wait_for_cache_sync(PATIENCE).await.unwrap();
    pass(2 * SECOND).await;
    cluster.cut().await;
    pass(10 * SECOND).await;
    let scopes = [maps.status().scopes, teams.status().scopes, secrets.status().scopes].concat();
    assert_eq!(scopes.iter().map(|scope| scope.reconnects).collect::<Vec<_>>(), [1; 22]);
    let mut asked: Vec<_> = cluster.probes().iter().map(|probe| parameter(probe, "fieldSelector")).collect();
    asked.sort();
    let of = |name: &str| format!("metadata.name={name},metadata.namespace=default");
    assert_eq!(asked, [of("map"), of("secret")]);
    factory.shutdown().await;
}
