//! The documents in which a server says what it serves: `/api`, `/apis`, and one for each group and version.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use informer_wire::framing::StreamError;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::catalogue::{Catalogue, Served};
use crate::kind::KindInfo;
use crate::source::{SourceError, Sources};

/// How many documents are requested at the same time.
const AT_ONCE: usize = 8;

/// How long one document may take: an aggregated API server that hangs should not hide the other groups.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct CoreVersions {
    versions: Vec<String>,
}

#[derive(Deserialize)]
struct Groups {
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    name: String,
    versions: Vec<GroupVersion>,
    preferred_version: Option<GroupVersion>,
}

#[derive(Deserialize, PartialEq)]
struct GroupVersion {
    version: String,
}

#[derive(Deserialize)]
struct Resources {
    resources: Vec<Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    name: String,
    #[serde(default)]
    singular_name: String,
    namespaced: bool,
    kind: String,
    #[serde(default)]
    verbs: Vec<String>,
    #[serde(default)]
    short_names: Vec<String>,
}

/// Reads all resources that a server serves. A group that does not answer is noted; the other groups can be used.
pub(super) async fn read(sources: &Arc<dyn Sources>) -> Result<Catalogue, SourceError> {
    let (core, groups) =
        futures::join!(get::<CoreVersions>(sources, "/api"), get::<Groups>(sources, "/apis"));
    let mut catalogue = Catalogue::default();
    let mut versions: Vec<(String, String)> = Vec::new();
    if let (Err(failure), Err(_)) = (&core, &groups) {
        return Err(failure.clone());
    }
    match core {
        Ok(core) => {
            versions.extend(core.versions.into_iter().map(|version| (String::new(), version)));
        }
        Err(failure) => catalogue.unavailable.push(format!("/api: {failure}")),
    }
    match groups {
        Ok(groups) => versions.extend(groups.groups.into_iter().flat_map(Group::versions)),
        Err(failure) => catalogue.unavailable.push(format!("/apis: {failure}")),
    }
    let documents = versions.into_iter().map(|(group, version)| async move {
        let kind = KindInfo::new(&group, &version, "", "");
        let root = if group.is_empty() { "api" } else { "apis" };
        let resources = get::<Resources>(sources, &format!("/{root}/{}", kind.api_version())).await;
        (kind, resources)
    });
    let mut documents = stream::iter(documents).buffered(AT_ONCE);
    while let Some((of, document)) = documents.next().await {
        match document {
            Ok(document) => {
                let resources = document.resources.into_iter();
                catalogue.served.extend(resources.filter_map(|resource| resource.served(&of)));
            }
            Err(failure) => catalogue.unavailable.push(format!("{}: {failure}", of.api_version())),
        }
    }
    Ok(catalogue)
}

impl Group {
    /// Its versions, the preferred one first.
    fn versions(self) -> impl Iterator<Item = (String, String)> {
        let Self { name, mut versions, preferred_version } = self;
        // Sorting keeps the order of the others.
        versions.sort_by_key(|version| Some(version) != preferred_version.as_ref());
        versions.into_iter().map(move |version| (name.clone(), version.version))
    }
}

impl Resource {
    fn served(self, of: &KindInfo) -> Option<Served> {
        // Such as `pods/status`.
        if self.name.contains('/') {
            return None;
        }
        let can = |verb: &str| self.verbs.iter().any(|known| known == verb);
        let watchable = can("list") && can("watch");
        let kind =
            KindInfo::new(of.group(), of.version(), &self.kind, &self.name).namespaced(self.namespaced);
        let singular =
            if self.singular_name.is_empty() { self.kind.to_lowercase() } else { self.singular_name };
        Some(Served { kind, singular, short_names: self.short_names, watchable })
    }
}

async fn get<T: DeserializeOwned>(sources: &Arc<dyn Sources>, path: &str) -> Result<T, SourceError> {
    let document = tokio::time::timeout(PATIENCE, sources.document(path)).await;
    let document = document
        .map_err(|_| SourceError::transport(format!("{path} was not answered within {PATIENCE:?}")))??;
    // Without the parser's message: it quotes the text it read, which is not a discovery document and could be
    // anything.
    serde_json::from_slice(&document).map_err(|error| {
        SourceError::transport(format!("{path} is no document of discovery: {}", StreamError::from(error)))
    })
}
