//! `endpoints`.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use serde_json::json;

use crate::replicas;
use crate::support::{Program, Server, eventually, stories};

stories!(both_share_the_pods);

async fn both_share_the_pods(server: &Server) {
    let before = server.watches("pods").await;
    let mut program = Program::start("endpoints", server);
    program.until("looks after endpoints and replicas").await;
    let service = json!({
        "metadata": { "name": "web" },
        "spec": { "selector": { "app": "web" }, "ports": [{ "name": "http", "port": 80, "targetPort": 8080 }] },
    });
    server.create::<Service>(service).await;
    server.create::<ReplicaSet>(replicas::replica_set("web", 2)).await;
    replicas::has(server, "web", 2).await;
    let now = server.watches("pods").await;
    assert_eq!(now, before + 1, "both controllers have the same watch");
    for (number, pod) in replicas::pods_of(server, "web").await.iter().enumerate() {
        let address = format!("10.0.0.{}", number + 1);
        let ready = json!({ "type": "Ready", "status": if number == 0 { "True" } else { "False" } });
        let status = json!({ "phase": "Running", "podIP": address, "podIPs": [{ "ip": address }], "conditions": [ready] });
        server.patch_status::<Pod>(pod, json!({ "status": status })).await;
    }
    eventually("the slice has both pods, one of them ready", || async {
        let slices = server.list::<EndpointSlice>().await;
        let slices: Vec<_> =
            slices.iter().filter(|slice| slice.metadata.generate_name.as_deref() == Some("web-")).collect();
        let [slice] = slices[..] else { return Err(format!("{} slices", slices.len())) };
        let found = serde_json::to_value(slice).unwrap();
        let endpoints = found["endpoints"].as_array().cloned().unwrap_or_default();
        let told: Vec<_> = endpoints
            .iter()
            .map(|endpoint| format!("{} {}", endpoint["addresses"][0], endpoint["conditions"]["ready"]))
            .collect();
        if told == ["\"10.0.0.1\" true", "\"10.0.0.2\" false"] && found["ports"][0]["port"] == 8080 {
            Ok(())
        } else {
            Err(found.to_string())
        }
    })
    .await;
    program.ended_by_sigterm().await;
}
