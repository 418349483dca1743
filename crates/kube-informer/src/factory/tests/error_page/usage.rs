//! Calls that cannot be answered: waits, indexes, handlers, settings, names.

use std::fmt::Display;
use std::time::Duration;

use informer_core::store::index_error::IndexError;
use informer_wire::{ObjectKey, ResourceVersion};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube_core::DynamicObject;

use super::{Case, SOON, WAITED, assert_complete, http, pods, server, variants};
use crate::error::{InformerError, NoResource, ResourceError, Unmet, WaitError};
use crate::factory::tests::support::{Servers, rest};
use crate::handler::{async_handler, handler};
use crate::informer::SharedInformer;
use crate::kind::Kind;
use crate::options::Options;
use crate::source::{Fault, SourceError, Status};

variants!(
    Unmet: Timeout,
    NotRefreshed,
    NotStopped,
    NotComparable,
    Rewound,
    OutOfScope,
    NoProgress,
    NotRemoved,
    NotReady,
    NotSynced,
    HandlerEnded,
    NotDelivered,
    NotDrained,
    Refused
);

pub(super) async fn texts() -> Vec<String> {
    [waits().await, ends().await, indexes(), namespaces(), settings(), factories().await].concat()
}

fn text(error: impl Display) -> String {
    error.to_string()
}

fn web() -> ObjectKey {
    ObjectKey::namespaced("default", "web")
}

/// Waiting for what was written or deleted.
async fn waits() -> Vec<String> {
    let later = ResourceVersion::new("99");
    let idle = Case::new(&pods(), &server(&pods()), |builder| builder);
    let case = Case::synced().await;
    let uid = case.informer.lister().by_key(&web()).unwrap().uid().clone();
    let (elsewhere, odd) = (ObjectKey::namespaced("other", "web"), ResourceVersion::new("abc"));
    let mut errors = vec![
        case.informer.wait_for_version(&web(), &later, WAITED).await.unwrap_err(),
        case.informer.wait_gone(&web(), &uid, WAITED).await.unwrap_err(),
        idle.informer.wait_for_version(&web(), &later, WAITED).await.unwrap_err(),
        idle.informer.wait_gone(&web(), &uid, WAITED).await.unwrap_err(),
        case.informer.wait_for_version(&web(), &odd, WAITED).await.unwrap_err(),
        case.informer.wait_for_version(&elsewhere, &later, WAITED).await.unwrap_err(),
        case.informer.wait_progress(&case.informer.progress(), WAITED).await.unwrap_err(),
        idle.informer.refresh_one(&web(), WAITED).await.unwrap_err(),
        case.informer.wait_stopped(WAITED).await.unwrap_err(),
    ];
    let backup = case.server.version();
    case.server.advance(10);
    case.server.bookmark();
    rest().await;
    let (key, restore) = (web(), async {
        rest().await;
        case.server.rewind(&backup);
    });
    let (rewound, ()) = tokio::join!(case.informer.wait_for_version(&key, &later, SOON), restore);
    errors.push(rewound.unwrap_err());
    // Until everything has been read anew.
    tokio::time::sleep(Duration::from_secs(2)).await;
    case.informer.shutdown(SOON).await;
    errors.push(case.informer.wait_for_version(&web(), &later, SOON).await.unwrap_err());
    errors.extend(of_handlers().await);
    let waited = WAITED;
    let shop = Unmet::NotRemoved { namespace: "shop".into(), waited };
    for unmet in [shop, Unmet::NotReady { index: "node".into(), waited }] {
        errors.push(WaitError::new(&Pod::info(&()), unmet));
    }
    let unmet: Vec<_> = errors.iter().map(|error| error.unmet().clone()).collect();
    assert_complete(&unmet);
    let mut texts: Vec<String> = errors.into_iter().map(text).collect();
    texts.push(text(idle.informer.wait_synced(WAITED).await.unwrap_err()));
    let fails = http(500, "etcdserver: leader changed");
    texts.push(asked_in_vain(Fault::error(fails)).await);
    texts.push(asked_in_vain(Fault::stall()).await);
    texts
}

/// The question about an object that is waited for has no good answer either.
async fn asked_in_vain(fault: Fault) -> String {
    let mut case = Case::synced().await;
    case.server.stall_watches();
    case.server.inject(fault.on_list().once());
    let later = ResourceVersion::new("99");
    drop(case.informer.wait_for_version(&web(), &later, Duration::from_secs(20)).await);
    case.failure().await
}

/// Waiting for handlers.
async fn of_handlers() -> Vec<WaitError> {
    let case = Case::synced().await;
    let stuck = case.informer.add_event_handler(
        async_handler::<DynamicObject, _, _>(|_| std::future::pending::<()>()).named("web"),
    );
    let stuck = stuck.unwrap();
    let removed = case.informer.add_event_handler(handler::<DynamicObject>().named("removed")).unwrap();
    removed.remove();
    rest().await;
    vec![
        stuck.wait_synced(WAITED).await.unwrap_err(),
        stuck.wait_drained(WAITED).await.unwrap_err(),
        stuck.remove_and_drain(WAITED).await.unwrap_err(),
        removed.wait_synced(SOON).await.unwrap_err(),
    ]
}

/// What comes after the end, or too late before it.
async fn ends() -> Vec<String> {
    let case = Case::synced().await;
    let mut texts = vec![
        text(case.informer.run(std::future::pending()).await.unwrap_err()),
        text(case.informer.lister().by_key(&ObjectKey::namespaced("default", "gone")).unwrap_err()),
    ];
    case.informer.shutdown(SOON).await;
    texts.push(text(case.informer.add_event_handler(handler()).unwrap_err()));
    let never = Case::new(&pods(), &server(&pods()), |builder| builder);
    never.server.inject(Fault::stall().once());
    never.start();
    rest().await;
    texts.push(text(never.informer.wait_synced(WAITED).await.unwrap_err()));
    never.informer.add_namespace("shop").unwrap();
    let remove = async { never.informer.remove_namespace("shop").unwrap() };
    let (removed, ()) = tokio::join!(never.informer.wait_namespace_synced("shop", WAITED), remove);
    texts.push(text(removed.unwrap_err()));
    texts.push(text(never.informer.wait_namespace_synced("shop", WAITED).await.unwrap_err()));
    never.informer.shutdown(SOON).await;
    texts.push(text(never.informer.wait_synced(WAITED).await.unwrap_err()));
    texts
}

fn indexes() -> Vec<String> {
    let name = || "node".into();
    let function = IndexError::Function { index: name(), message: "no node".into() };
    let errors = [
        IndexError::Unknown(name()),
        IndexError::OtherType(name()),
        IndexError::OtherInformer(name()),
        IndexError::Duplicate(name()),
        IndexError::OtherField { index: name(), there: Some("spec.nodeName"), wanted: "status.nodeName" },
        IndexError::OtherField { index: name(), there: None, wanted: "status.nodeName" },
        function,
    ];
    errors.map(|error| text(InformerError::index(&Pod::info(&()), error))).into()
}

fn namespaces() -> Vec<String> {
    let kind = || Pod::info(&());
    let errors = [
        InformerError::not_limited(&Node::info(&())),
        InformerError::not_limited(&kind()),
        InformerError::empty_namespace(&kind()),
        InformerError::unknown_namespace(&kind(), "shop"),
    ];
    errors.map(text).into()
}

/// What cannot be built.
fn settings() -> Vec<String> {
    let of_pods = || SharedInformer::<Pod>::builder(server(&pods()));
    let no_wait = Options::default().tuning(|tuning| tuning.gone_retry(Duration::ZERO));
    let servers = Servers::default();
    vec![
        text(of_pods().namespace("").build().unwrap_err()),
        text(of_pods().drop_field("spec..x").build().unwrap_err()),
        text(of_pods().options(|_| no_wait.clone()).build().unwrap_err()),
        text(SharedInformer::<Node>::builder(server(&pods())).namespace("shop").build().unwrap_err()),
        text(servers.builder().namespace("").build().unwrap_err()),
        text(servers.builder().options(|_| no_wait).build().unwrap_err()),
        text(servers.builder().drop_field("spec..x").build().unwrap_err()),
        text(servers.builder().kind::<Pod>(|pods| pods).kind::<Pod>(|pods| pods).build().unwrap_err()),
        text("default/web/x".parse::<ObjectKey>().unwrap_err()),
    ]
}

async fn factories() -> Vec<String> {
    let servers = Servers::default();
    let factory = servers.builder().kind::<Secret>(|secrets| secrets.namespace("a")).build().unwrap();
    factory.kind::<Pod>().informer();
    factory.kind::<Secret>().informer();
    factory.kind::<ConfigMap>().named("slow", |maps| maps).unwrap().informer();
    let (reason, message) = ("Forbidden".into(), "the server says no".into());
    let forbidden = Status { code: 403, reason, message, ..Status::default() };
    for _ in 0..1_000 {
        servers.of::<Secret>().inject(Fault::error(SourceError::answered(forbidden.clone())).once());
    }
    servers.of::<ConfigMap>().inject(Fault::stall().once());
    factory.start();
    let mut texts = vec![text(factory.wait_for_cache_sync(Duration::from_secs(20)).await.unwrap_err())];

    let idle = Servers::default().factory();
    idle.kind::<Pod>().named("some", |pods| pods.labels("app=web")).unwrap().informer();
    texts.push(text(idle.wait_for_cache_sync(SOON).await.unwrap_err()));
    texts.push(text(idle.kind::<Pod>().named("some", |pods| pods.labels("app=db")).unwrap_err()));

    let servers = Servers::default();
    let staggered = servers.builder().stagger(1, SOON).build().unwrap();
    staggered.kind::<Pod>().informer();
    staggered.kind::<Secret>().informer();
    servers.of::<Pod>().inject(Fault::stall().once());
    staggered.start();
    let waits = text(staggered.wait_for_cache_sync(Duration::from_secs(20)).await.unwrap_err());
    texts.extend(waits.lines().last().map(str::to_owned));

    let near = vec!["deployments.apps".to_owned()];
    let unavailable = vec!["metrics.k8s.io/v1: away".to_owned()];
    let reviews = crate::kind::KindInfo::new("", "v1", "Binding", "bindings");
    let away = SourceError::transport("connection reset by peer");
    let unauthorized = http(401, "Unauthorized");
    texts.extend(
        [
            NoResource::Unknown { name: "deploymnts.app".into(), near, unavailable },
            NoResource::NotWatchable { kind: reviews },
            NoResource::Discovery(away),
            NoResource::Discovery(unauthorized),
        ]
        .map(|why| text(ResourceError::from(why))),
    );
    texts
}
