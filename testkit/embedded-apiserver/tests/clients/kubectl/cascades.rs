//! `kubectl delete --cascade`, with the garbage collector of the real kube-controller-manager and that of the embedded server.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::run;
use crate::support::{Server, both_with_garbage_collectors, normal_object};

const OWNER: &str = "/apis/apps/v1/namespaces/default/deployments/web";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Deletes a deployment that owns a ConfigMap. Returns what kubectl says, and what becomes of the ConfigMap.
async fn delete(server: &Server, policy: &str) -> Result<Vec<Value>> {
    let mut told = vec![run(server, "default", "create -f @web").await?];
    let uid = server.must("GET", OWNER, &Value::Null).await?["metadata"]["uid"].take();
    let owner = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": uid, "blockOwnerDeletion": true,
    });
    let child = json!({ "metadata": { "name": policy, "ownerReferences": [owner] } });
    server.must("POST", MAPS, &child).await?;
    // It waits until the deployment is gone.
    told.push(run(server, "default", &format!("delete deployment web --cascade={policy}")).await?);
    told.push(json!(server.ask("GET", OWNER, &Value::Null).await?.0));
    let path = format!("{MAPS}/{policy}");
    let settled = server.until(&path, |status, map| match policy {
        "orphan" => status == 200 && map["metadata"].get("ownerReferences").is_none(),
        _ => status == 404,
    });
    let mut child = settled.await.with_context(|| format!("{}: {policy}", server.name))?;
    normal_object(&mut child);
    // Who has taken the owner away is another controller on each side.
    if let Some(metadata) = child["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    told.push(child);
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_deletes_what_it_deletes_beside_the_real_controller() -> Result<()> {
    let test = "kubectl_deletes_what_it_deletes_beside_the_real_controller";
    let Some([real, embedded]) = both_with_garbage_collectors(test).await? else { return Ok(()) };
    for policy in ["background", "foreground", "orphan"] {
        let (real, embedded) = tokio::try_join!(delete(&real, policy), delete(&embedded, policy))?;
        assert_eq!(embedded, real, "{policy}");
    }
    Ok(())
}
