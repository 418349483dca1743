//! A factory on a server.

mod faces;
mod kinds;
mod served;

use anyhow::Result;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{ApiResource, GroupVersionKind, PostParams};
use kube_client::{Api, Client};
use serde_json::json;

use super::cluster;
use crate::faults::kinds::{definition, version};

/// The kind that [`install_widgets`] installs.
fn widgets() -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("example.com", "v1", "Widget"), "widgets")
}

async fn install_widgets(client: &Client) -> Result<Api<CustomResourceDefinition>> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = serde_json::from_value(definition(&json!([version("v1", true)])))?;
    definitions.create(&PostParams::default(), &definition).await?;
    Ok(definitions)
}
