//! In a pod: a service account by its mounted files, and what happens when these are replaced.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube_client::api::{DeleteParams, PostParams};
use kube_client::{Api, Client};
use kube_informer::status::{InformerStatus, Phase};
use kube_informer::{Cluster, Options};
use serde_json::{from_value, json};
use tempfile::TempDir;
use tokio::task::block_in_place;

use super::access::last_status;
use super::cluster_with_rules;
use crate::support::link::Link;
use crate::support::objects::Objects;
use crate::support::watched::Watched;
use crate::support::{PATIENCE, config, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d18_service_account_replaced() -> Result<()> {
    let Some(mut cluster) = block_in_place(|| cluster_with_rules("d18_service_account_replaced")) else {
        return Ok(());
    };
    let objects = Objects::seeded(&cluster).await?;
    let account = Account::new(Client::try_from(config(&cluster).await?)?);
    account.create().await?;
    account.permit().await?;
    let files = Mounted::new()?;
    files.put(&account.token().await?, cluster.ca_cert_pem())?;

    let found = Cluster::service_account(cluster.url(), files.path()).await?;
    let (link, through_link) = Link::to(found.config().context("a configuration")?.clone()).await?;
    assert_eq!(through_link.default_namespace, "default");
    let mut watched = Watched::start(through_link, &objects.resource, Options::default()).await?;
    // The account is another one now, of the same name: its old tokens are refused.
    let mut fault = watched.fault("service account made anew (401)");
    account.delete().await?;
    account.create().await?;
    let token = account.token().await?;
    // The server remembers for a while that the old token was good.
    let cut_until_refused = async {
        loop {
            link.cut();
            let refused =
                watched.until("the old token is refused", |status| last_status(status) == Some(401));
            if let Ok(result) = tokio::time::timeout(std::time::Duration::from_secs(2), refused).await {
                return result;
            }
        }
    };
    tokio::time::timeout(PATIENCE, cut_until_refused).await.context("the old token stays good")??;
    objects.change(1).await?;
    files.put(&token, cluster.ca_cert_pem())?;
    fault.is_over();
    watched.recovered(fault, &objects).await?;

    // The server is another one as far as certificates go, and the key that tokens were signed with is gone as well.
    let mut fault = watched.fault("authority and signing key replaced");
    block_in_place(|| {
        cluster.kill_apiserver();
        cluster.replace_serving_certificate()?;
        cluster.start_apiserver()
    })?;
    watched.until("it is not trusted", not_trusted).await?;
    let objects = Objects::new(config(&cluster).await?, objects.resource)?;
    let account = Account::new(Client::try_from(config(&cluster).await?)?);
    objects.change(2).await?;
    files.put(&account.token().await?, cluster.ca_cert_pem())?;
    fault.is_over();
    watched.recovered(fault, &objects).await?;
    Ok(())
}

fn not_trusted(status: &InformerStatus) -> bool {
    let error = status.scopes[0].last_error.as_ref().map(ToString::to_string).unwrap_or_default();
    status.phase == Phase::Unreachable && error.contains("certificate")
}

/// The directory that a pod has for its service account, made as kubelet makes it: all files are replaced at once, by a link.
struct Mounted(TempDir);

impl Mounted {
    fn new() -> Result<Self> {
        let directory = tempfile::tempdir()?;
        for file in ["token", "ca.crt", "namespace"] {
            symlink(Path::new("..data").join(file), directory.path().join(file))?;
        }
        Ok(Self(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, token: &str, authority: &str) -> Result<()> {
        let data = tempfile::Builder::new().prefix("..").tempdir_in(self.path())?.keep();
        fs::write(data.join("token"), token)?;
        fs::write(data.join("ca.crt"), authority)?;
        fs::write(data.join("namespace"), "default")?;
        let link = self.path().join("..data_tmp");
        symlink(data.file_name().context("a name")?, &link)?;
        fs::rename(link, self.path().join("..data")).context("cannot replace the files")
    }
}

/// A service account that may read ConfigMaps in its namespace.
struct Account {
    accounts: Api<ServiceAccount>,
    roles: Api<Role>,
    bindings: Api<RoleBinding>,
}

const NAME: &str = "reader";

impl Account {
    fn new(admin: Client) -> Self {
        Self {
            accounts: Api::namespaced(admin.clone(), "default"),
            roles: Api::namespaced(admin.clone(), "default"),
            bindings: Api::namespaced(admin, "default"),
        }
    }

    async fn create(&self) -> Result<()> {
        let account = from_value(json!({ "metadata": { "name": NAME } }))?;
        self.accounts.create(&PostParams::default(), &account).await.context("create the account")?;
        Ok(())
    }

    async fn delete(&self) -> Result<()> {
        self.accounts.delete(NAME, &DeleteParams::default()).await.context("delete the account")?;
        Ok(())
    }

    async fn permit(&self) -> Result<()> {
        let role = from_value(json!({
            "metadata": { "name": NAME },
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"] }],
        }))?;
        self.roles.create(&PostParams::default(), &role).await.context("create the role")?;
        let binding = from_value(json!({
            "metadata": { "name": NAME },
            "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": NAME },
            "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": "default" }],
        }))?;
        self.bindings.create(&PostParams::default(), &binding).await.context("bind the role")?;
        Ok(())
    }

    /// A token of the account, as kubelet asks for it.
    async fn token(&self) -> Result<String> {
        let request: TokenRequest =
            from_value(json!({ "spec": { "audiences": [], "expirationSeconds": 600 } }))?;
        let ask = || async {
            Ok(self.accounts.create_token_request(NAME, &PostParams::default(), &request).await?)
        };
        let answer = eventually("the server makes a token", ask).await?;
        answer.status.and_then(|status| status.token).context("a token")
    }
}
