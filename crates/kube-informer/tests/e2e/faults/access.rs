//! The server no longer knows us, or no longer lets us.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube_client::api::{DeleteParams, ListParams, PostParams};
use kube_client::{Api, Client};
use kube_informer::Options;
use kube_informer::status::{InformerStatus, Phase};
use serde_json::json;
use tokio::task::block_in_place;

use super::{cluster, cluster_with_rules};
use crate::support::link::Link;
use crate::support::metered::What;
use crate::support::objects::{Objects, config_maps};
use crate::support::watched::Watched;
use crate::support::{config, config_with_token, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_replaced() -> Result<()> {
    let Some(mut cluster) = block_in_place(|| cluster("token_replaced")) else { return Ok(()) };
    let objects = Objects::seeded(&cluster).await?;
    let token_file = tempfile::NamedTempFile::new()?;
    std::fs::write(&token_file, cluster.token())?;
    let mut from_file = config(&cluster).await?;
    from_file.auth_info.token = None;
    from_file.auth_info.token_file = Some(token_file.path().display().to_string());
    let mut watched = Watched::start(from_file, &objects.resource, Options::default()).await?;
    let before = watched.cached();

    let mut fault = watched.fault("token replaced (401)");
    block_in_place(|| {
        cluster.kill_apiserver();
        cluster.replace_tokens()?;
        cluster.start_apiserver()
    })?;
    watched.until("the old token is refused", |status| last_status(status) == Some(401)).await?;
    watched.until("it waits", |status| status.phase == Phase::BackingOff).await?;
    assert_eq!(watched.cached(), before, "the cache is kept while the token is refused");
    let objects = Objects::new(config(&cluster).await?, objects.resource)?;
    objects.change(1).await?;
    std::fs::write(&token_file, cluster.token())?;
    fault.is_over();

    let recovery = watched.recovered(fault, &objects).await?;
    let text = ["cannot watch configmaps in namespace \"default\" (HTTP 401): Unauthorized", "credentials"];
    assert!(recovery.reported(&text), "{recovery:#?}");
    // A server that was restarted may not know our version any more, which costs one list.
    let lists = recovery.requests.len() - recovery.count(What::Watch);
    assert!(lists <= 1, "resumed, or listed once: {recovery:#?}");
    assert!(recovery.asked_at_most(10), "{recovery:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permission_withdrawn_and_granted_again() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster_with_rules("permission_withdrawn_and_granted_again"))
    else {
        return Ok(());
    };
    let admin = Client::try_from(config(&cluster).await?)?;
    let objects = Objects::seeded(&cluster).await?;
    let permission = Permission::new(admin).await?;
    permission.grant().await?;
    let unprivileged = config_with_token(&cluster, cluster.unprivileged_token()).await?;
    let mine = Objects::new(unprivileged.clone(), config_maps())?;
    eventually("the server knows of the permission", || mine.content()).await?;
    let (link, through_link) = Link::to(unprivileged).await?;
    let mut watched = Watched::start(through_link, &objects.resource, Options::default()).await?;
    let before = watched.cached();

    let mut fault = watched.fault("permission withdrawn (403)");
    permission.withdraw().await?;
    until_refused(&mine).await?;
    link.cut();
    watched.until("it is refused", |status| last_status(status) == Some(403)).await?;
    watched.until("it waits", |status| status.phase == Phase::BackingOff).await?;
    assert_eq!(watched.cached(), before, "the cache is kept");
    objects.change(1).await?;
    permission.grant().await?;
    eventually("the server knows of the permission", || mine.content()).await?;
    fault.is_over();

    let recovery = watched.recovered(fault, &objects).await?;
    let text = [
        "cannot watch configmaps in namespace \"default\" (HTTP 403)",
        "User \"unprivileged\" cannot watch resource \"configmaps\" in API group \"\" in the namespace \"default\"",
        "grant the verbs list and watch on configmaps",
    ];
    assert!(recovery.reported(&text), "{recovery:#?}");
    assert_eq!(recovery.count(What::Watch), recovery.requests.len(), "resumed, not listed: {recovery:#?}");
    assert!(recovery.asked_at_most(8), "{recovery:#?}");
    Ok(())
}

/// Waits until the server no longer lets this client list.
pub(super) async fn until_refused(mine: &Objects) -> Result<()> {
    eventually("the permission is gone", || async {
        let refused = matches!(mine.api.list(&ListParams::default()).await,
            Err(kube_client::Error::Api(status)) if status.code == 403);
        ensure!(refused, "it is not refused yet");
        Ok(())
    })
    .await
}

/// The HTTP status of the last error.
pub(super) fn last_status(status: &InformerStatus) -> Option<u16> {
    status.scopes[0].last_error.as_ref()?.cause.http_status()
}

/// The right of the unprivileged user to list and watch ConfigMaps.
pub(super) struct Permission {
    bindings: Api<ClusterRoleBinding>,
}

const NAME: &str = "reads-configmaps";

impl Permission {
    pub(super) async fn new(client: Client) -> Result<Self> {
        let role: ClusterRole = serde_json::from_value(json!({
            "metadata": { "name": NAME },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"] }],
        }))?;
        let roles: Api<ClusterRole> = Api::all(client.clone());
        roles.create(&PostParams::default(), &role).await.context("create the role")?;
        Ok(Self { bindings: Api::all(client) })
    }

    pub(super) async fn grant(&self) -> Result<()> {
        let binding: ClusterRoleBinding = serde_json::from_value(json!({
            "metadata": { "name": NAME },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME },
            "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "unprivileged" }],
        }))?;
        self.bindings.create(&PostParams::default(), &binding).await.context("grant")?;
        Ok(())
    }

    pub(super) async fn withdraw(&self) -> Result<()> {
        self.bindings.delete(NAME, &DeleteParams::default()).await.context("withdraw")?;
        Ok(())
    }
}
