//! What there is an informer for.

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_client::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Written to all the time.
    ConfigMaps,
    /// Written to once or twice in a step; its informer is known by a certificate.
    Secrets,
    /// A namespace with tens of thousands of objects in long runs.
    Large,
    /// A kind that comes and goes.
    Widgets,
}

pub(crate) const CRD: &str = "widgets.example.com";

impl What {
    pub(crate) const ALL: [Self; 4] = [Self::ConfigMaps, Self::Secrets, Self::Large, Self::Widgets];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ConfigMaps => "configmaps",
            Self::Secrets => "secrets",
            Self::Large => "large",
            Self::Widgets => "widgets",
        }
    }

    pub(crate) fn namespace(self) -> &'static str {
        if self == Self::Large { "large" } else { "default" }
    }

    pub(crate) fn resource(self) -> ApiResource {
        match self {
            Self::ConfigMaps | Self::Large => ApiResource::erase::<ConfigMap>(&()),
            Self::Secrets => ApiResource::erase::<Secret>(&()),
            Self::Widgets => {
                let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
                ApiResource::from_gvk_with_plural(&kind, "widgets")
            }
        }
    }
}

pub(crate) fn definition() -> Value {
    let schema = json!({ "openAPIV3Schema": { "type": "object" } });
    json!({
        "metadata": { "name": CRD },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }],
        },
    })
}
