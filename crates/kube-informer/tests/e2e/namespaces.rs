//! Several namespaces as one on a server: one of them denied, others added and removed while the informer runs.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::{Namespace, Pod};
use k8s_openapi::api::rbac::v1::{ClusterRole, RoleBinding};
use kube_client::api::{ListParams, PostParams};
use kube_client::{Api, Client};
use kube_informer::SharedInformer;
use kube_informer::source::HttpSource;
use kube_informer::status::{Phase, Scope};
use serde_json::json;
use tokio::task::block_in_place;

use super::cluster_with_rules;
use crate::support::{Heard, PATIENCE, Running, config, config_with_token, create, eventually, label};

/// What the administrator does.
struct Admin(Client);

impl Admin {
    fn pods(&self, namespace: &str) -> Api<Pod> {
        Api::namespaced(self.0.clone(), namespace)
    }

    /// A namespace with one pod, named like it.
    async fn namespace(&self, name: &str) -> Result<()> {
        let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": name } }))?;
        Api::all(self.0.clone()).create(&PostParams::default(), &namespace).await?;
        create(&self.pods(name), &format!("{name}-1")).await?;
        Ok(())
    }

    async fn role(&self) -> Result<()> {
        let role: ClusterRole = serde_json::from_value(json!({
            "metadata": { "name": "reads-pods" },
            "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"] }],
        }))?;
        Api::all(self.0.clone()).create(&PostParams::default(), &role).await.context("create the role")?;
        Ok(())
    }

    /// Lets the unprivileged user read the pods of a namespace, and waits until the server knows.
    async fn grant(&self, namespace: &str, user: &Client) -> Result<()> {
        let binding: RoleBinding = serde_json::from_value(json!({
            "metadata": { "name": "reads-pods" },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reads-pods" },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "unprivileged" }],
        }))?;
        let bindings: Api<RoleBinding> = Api::namespaced(self.0.clone(), namespace);
        bindings.create(&PostParams::default(), &binding).await.context("grant")?;
        let pods: Api<Pod> = Api::namespaced(user.clone(), namespace);
        eventually("the permission is known", || async {
            Ok(pods.list(&ListParams::default()).await.map(drop)?)
        })
        .await
    }

    /// Names and versions of the pods of some namespaces.
    async fn truth(&self, namespaces: &[&str]) -> Result<BTreeSet<(String, String)>> {
        let mut found = BTreeSet::new();
        for namespace in namespaces {
            for pod in self.pods(namespace).list(&ListParams::default()).await? {
                let text = |field: Option<String>| field.unwrap_or_default();
                found.insert((text(pod.metadata.name), text(pod.metadata.resource_version)));
            }
        }
        Ok(found)
    }
}

fn cached(informer: &SharedInformer<Pod>) -> BTreeSet<(String, String)> {
    let pods = informer.lister().list().into_iter();
    pods.map(|pod| (pod.name().to_owned(), pod.resource_version().to_string())).collect()
}

/// The next events, in any order.
async fn next(heard: &mut Heard, count: usize) -> Result<Vec<String>> {
    let mut events = Vec::new();
    for _ in 0..count {
        events.push(heard.next().await?);
    }
    events.sort();
    Ok(events)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn namespaces_are_denied_added_and_removed_while_the_others_work() -> Result<()> {
    let test = "namespaces_are_denied_added_and_removed_while_the_others_work";
    let Some(cluster) = block_in_place(|| cluster_with_rules(test)) else { return Ok(()) };
    let admin = Admin(Client::try_from(config(&cluster).await?)?);
    let unprivileged = config_with_token(&cluster, cluster.unprivileged_token()).await?;
    let user = Client::try_from(unprivileged.clone())?;
    admin.role().await?;
    for name in ["one", "two", "denied", "later"] {
        admin.namespace(name).await?;
    }
    for name in ["one", "two", "later"] {
        admin.grant(name, &user).await?;
    }
    let source = HttpSource::of::<Pod>(unprivileged)?;
    let builder = SharedInformer::<Pod>::builder(source).namespaces(["one", "two", "denied"]);
    let mut running = Running::of(builder.build()?)?;
    let informer = running.informer.clone();

    // The denied one is named; the others are there and kept up to date.
    assert_eq!(next(&mut running.heard, 2).await?, ["add one-1", "add two-1"]);
    eventually("the refusal has been heard", || async {
        ensure!(informer.status().scopes[0].phase == Phase::BackingOff, "not yet");
        Ok(())
    })
    .await?;
    let error = informer.wait_synced(Duration::ZERO).await.unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(r#"pods not synced after 0ns; namespace "denied" is backing off (HTTP 403): "#));
    assert!(text.contains(r#"User "unprivileged" cannot"#), "{text}");
    assert!(
        text.ends_with("grant the verbs list and watch on pods to the account the program runs as"),
        "{text}"
    );
    let unsynced: Vec<_> = error.scopes().map(|scope| scope.scope.clone()).collect();
    assert_eq!(unsynced, [Scope::namespace("denied")]);
    let created = create(&admin.pods("one"), "one-2").await?;
    informer.wait_for(&created, PATIENCE).await?;
    assert_eq!(running.heard.next().await?, "add one-2");
    assert_eq!(cached(&informer), admin.truth(&["one", "two"]).await?);

    // Without it the informer is synced.
    informer.remove_namespace("denied")?;
    informer.wait_namespace_removed("denied", PATIENCE).await?;
    assert!(informer.has_synced());

    // Another one is added.
    informer.add_namespace("later")?;
    informer.wait_namespace_synced("later", PATIENCE).await?;
    assert_eq!(running.heard.next().await?, "add later-1");
    assert_eq!(cached(&informer), admin.truth(&["one", "two", "later"]).await?);

    // One is removed: told, and nothing of it comes afterwards.
    informer.remove_namespace("one")?;
    informer.wait_namespace_removed("one", PATIENCE).await?;
    assert_eq!(cached(&informer), admin.truth(&["two", "later"]).await?);
    assert_eq!(next(&mut running.heard, 2).await?, ["delete one-1", "delete one-2"]);
    label(&admin.pods("one"), "one-1", "unseen").await?;
    create(&admin.pods("two"), "two-2").await?;
    assert_eq!(running.heard.next().await?, "add two-2");

    // It is added again, and removed and added at once.
    informer.add_namespace("one")?;
    informer.wait_namespace_synced("one", PATIENCE).await?;
    assert_eq!(next(&mut running.heard, 2).await?, ["add one-1", "add one-2"]);
    informer.remove_namespace("one")?;
    informer.add_namespace("one")?;
    informer.wait_namespace_removed("one", PATIENCE).await?;
    informer.wait_namespace_synced("one", PATIENCE).await?;
    // Otherwise what the handler has not been called with yet is merged with the next change.
    eventually("the handler has no backlog", || async {
        ensure!(informer.status().handlers.iter().all(|handler| handler.backlog == 0));
        Ok(())
    })
    .await?;
    let labelled = label(&admin.pods("one"), "one-1", "seen").await?;
    informer.wait_for(&labelled, PATIENCE).await?;
    running.heard.until("update one-1").await?;

    // The denied one is added while it is still denied, and comes once it is granted.
    informer.add_namespace("denied")?;
    informer.wait_namespace_synced("denied", Duration::from_millis(1)).await.unwrap_err();
    admin.grant("denied", &user).await?;
    informer.wait_namespace_synced("denied", PATIENCE).await?;
    informer.wait_synced(PATIENCE).await?;
    running.heard.until("add denied-1").await?;
    assert_eq!(cached(&informer), admin.truth(&["one", "two", "denied", "later"]).await?);
    Ok(())
}
