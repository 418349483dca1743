//! A manager of controller-runtime (`tools/manager`): reconciler, finalizer, CreateOrUpdate, CreateOrPatch, server-side apply,
//! status, events and leader election.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::support::{Server, both, normal_object};

/// What is stored in the end, object by object.
async fn stored(server: &Server) -> Result<Vec<Value>> {
    let kubeconfig = server.kubeconfig();
    let output = tokio::task::spawn_blocking(move || -> Result<_> {
        let mut command = Command::new(test_cluster::controller_runtime_manager()?);
        command.arg("--kubeconfig").arg(kubeconfig).env("NO_PROXY", "127.0.0.1");
        command.output().context("cannot run the manager")
    });
    let output = output.await??;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {log}", server.name);
    let lines = String::from_utf8(output.stdout)?;
    let objects: Result<Vec<Value>, _> = lines.lines().map(serde_json::from_str).collect();
    let mut objects = objects?;
    objects.iter_mut().for_each(normal);
    Ok(objects)
}

/// Without what is random: the names of events and of the manager's process.
fn normal(object: &mut Value) {
    normal_object(object);
    if let Some(holder) = object.pointer_mut("/spec/holderIdentity") {
        *holder = (!holder.as_str().unwrap_or_default().is_empty()).into();
    }
    for event in object.get_mut("items").and_then(Value::as_array_mut).into_iter().flatten() {
        event["metadata"]["name"] = Value::Null;
        event["reportingInstance"] = Value::Null;
        event["deprecatedSource"] = Value::Null;
        if event["regarding"]["kind"] == "Lease" {
            event["note"] = Value::Null;
        }
    }
    if let Some(items) = object.get_mut("items").and_then(Value::as_array_mut) {
        // The real server has some of its own.
        items.retain(|event| event["regarding"]["kind"] == "Site" || event["regarding"]["kind"] == "Lease");
        items.sort_by_cached_key(|event| event["note"].to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manager_of_controller_runtime_does_what_it_does_on_the_real_server() -> Result<()> {
    let test = "a_manager_of_controller_runtime_does_what_it_does_on_the_real_server";
    let Some([real, embedded]) = both(test).await? else { return Ok(()) };
    let (real, embedded) = tokio::try_join!(stored(&real), stored(&embedded))?;
    assert_eq!(real.len(), 6, "{real:#?}");
    assert_eq!(embedded.len(), real.len());
    for (real, embedded) in real.into_iter().zip(embedded) {
        assert_eq!(embedded, real, "\nembedded {embedded}\nreal     {real}");
    }
    Ok(())
}
