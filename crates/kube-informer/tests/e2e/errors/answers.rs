//! What a server says to those who may not, or ask for what is not there.

use anyhow::{Context, Result, ensure};
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::ListParams;
use kube_client::core::{ApiResource, GroupVersionKind};
use kube_client::{Api, Client};
use tokio::task::block_in_place;

use super::{cluster, cluster_with_rules};
use crate::support::failure::{first_failure, pods};
use crate::support::{Server, config, config_with_token, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rbac_denied() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster_with_rules("rbac_denied")) else { return Ok(()) };
    let config = config_with_token(&cluster, cluster.unprivileged_token()).await?;
    let mine: Api<Pod> = Api::namespaced(Client::try_from(config.clone())?, "default");
    eventually("the server knows all the roles it is bound to have", || async {
        let refused = mine.list(&ListParams::default()).await.expect_err("it is not permitted").to_string();
        ensure!(refused.contains("pods is forbidden") && !refused.contains("not found"), "{refused}");
        Ok(())
    })
    .await?;
    first_failure(config, &pods()).await?.assert(
        "cannot list pods in namespace \"default\" (HTTP 403): pods is forbidden: User \"unprivileged\" cannot \
         list resource \"pods\" in API group \"\" in the namespace \"default\"; grant the verbs list and watch on \
         pods to the account the program runs as",
        "pods not synced after 10ms; namespace \"default\" is backing off (HTTP 403): pods is forbidden: User \
         \"unprivileged\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\"; grant the \
         verbs list and watch on pods to the account the program runs as",
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_cluster_can_answer() -> Result<()> {
    let Some(cluster) = block_in_place(|| cluster("what_one_cluster_can_answer")) else { return Ok(()) };
    missing_crd(&cluster).await.context("missing CRD")?;
    wrong_token(&cluster).await.context("wrong token")
}

async fn missing_crd(server: &impl Server) -> Result<()> {
    let widget = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let widgets = ApiResource::from_gvk_with_plural(&widget, "widgets");
    first_failure(config(server).await?, &widgets).await?.assert(
        "cannot list widgets.example.com in namespace \"default\" (HTTP 404): 404 page not found; example.com/v1 \
         Widget is not served there: install its CustomResourceDefinition, or check group, version and the \
         server's address",
        "widgets.example.com not synced after 10ms; namespace \"default\" is gone (HTTP 404): 404 page not found; \
         example.com/v1 Widget is not served there: install its CustomResourceDefinition, or check group, version \
         and the server's address",
    )
}

async fn wrong_token(server: &impl Server) -> Result<()> {
    first_failure(config_with_token(server, "expired").await?, &pods()).await?.assert(
        "cannot list pods in namespace \"default\" (HTTP 401): Unauthorized; check the credentials: the token or \
         certificate is not accepted",
        "pods not synced after 10ms; namespace \"default\" is backing off (HTTP 401): Unauthorized; check the \
         credentials: the token or certificate is not accepted",
    )
}
