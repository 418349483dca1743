//! What the programs find on the server.

use anyhow::Result;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube_client::{Client, Resource};
use kube_core::GroupVersionKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::{Server, config, eventually};

/// Writes to the namespace `default` of a server.
pub(super) struct Writer {
    pub(super) client: Client,
}

impl Writer {
    pub(super) async fn of(server: &impl Server) -> Result<Self> {
        Ok(Self { client: Client::try_from(config(server).await?)? })
    }

    fn api<K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>>(&self) -> Api<K> {
        Api::namespaced(self.client.clone(), "default")
    }

    async fn create<K>(&self, name: &str, mut content: Value) -> Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + Serialize + DeserializeOwned,
    {
        content["metadata"] = json!({ "name": name, "labels": { "app": name } });
        self.api::<K>().create(&PostParams::default(), &serde_json::from_value(content)?).await?;
        Ok(())
    }

    pub(super) async fn patch<K>(&self, name: &str, patch: Value) -> Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        let (api, parameters) = (self.api::<K>(), PatchParams::default());
        // A status has an address of its own.
        if patch.get("status").is_some() {
            api.patch_status(name, &parameters, &Patch::Merge(&patch)).await?;
        } else {
            api.patch(name, &parameters, &Patch::Merge(&patch)).await?;
        }
        Ok(())
    }

    pub(super) async fn delete<K>(&self, name: &str) -> Result<()>
    where
        K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>,
        K: Clone + std::fmt::Debug + DeserializeOwned,
    {
        self.api::<K>().delete(name, &DeleteParams::default().grace_period(0)).await?;
        Ok(())
    }

    pub(super) async fn pod(&self, name: &str, node: Option<&str>) -> Result<()> {
        let container = json!({ "name": "main", "image": "nginx:1" });
        self.create::<Pod>(name, json!({ "spec": { "nodeName": node, "containers": [container] } })).await
    }

    pub(super) async fn deployment(&self, name: &str) -> Result<()> {
        let container = json!({ "name": "main", "image": "nginx:1" });
        let labels = json!({ "app": name });
        let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": [container] } });
        let spec = json!({ "replicas": 2, "selector": { "matchLabels": labels }, "template": template });
        self.create::<Deployment>(name, json!({ "spec": spec })).await
    }

    pub(super) async fn config_map(&self, name: &str, data: Value) -> Result<()> {
        self.create::<ConfigMap>(name, json!({ "data": data })).await
    }

    /// Defines the kind of the program `custom_kind`.
    pub(super) async fn certificates(&self) -> Result<()> {
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let version =
            json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
        let names = json!({ "kind": "Certificate", "plural": "certificates", "singular": "certificate" });
        let definition: CustomResourceDefinition = serde_json::from_value(json!({
            "metadata": { "name": "certificates.cert-manager.io" },
            "spec": { "group": "cert-manager.io", "names": names, "scope": "Namespaced", "versions": [version] },
        }))?;
        Api::all(self.client.clone()).create(&PostParams::default(), &definition).await?;
        Ok(())
    }

    /// Creates one, as soon as the server serves the kind.
    pub(super) async fn certificate(&self, name: &str, host: &str) -> Result<()> {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("cert-manager.io", "v1", "Certificate"));
        let certificates: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), "default", &kind);
        let spec = json!({ "secretName": format!("{name}-tls"), "dnsNames": [host] });
        let certificate = DynamicObject::new(name, &kind).data(json!({ "spec": spec }));
        eventually("the certificate is created", || async {
            certificates.create(&PostParams::default(), &certificate).await?;
            Ok(())
        })
        .await
    }
}
