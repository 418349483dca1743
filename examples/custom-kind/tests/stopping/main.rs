//! The program as its users run it, on an embedded API server: it ends in order when it is told to.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use embedded_apiserver::EmbeddedApiserver;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

const PROGRAM: &str = env!("CARGO_BIN_EXE_custom-kind");

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_in_order_on_ctrl_c_and_on_sigterm() {
    let server = EmbeddedApiserver::new();
    let printed = Command::new(PROGRAM).arg("crd").output().unwrap().stdout;
    let definition: CustomResourceDefinition = serde_json::from_slice(&printed).unwrap();
    server.create(&definition).await.unwrap();
    let endpoint = server.listen().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("kubeconfig");
    endpoint.write_kubeconfig(&kubeconfig).unwrap();
    for signal in [2_u8, 15] {
        let kubeconfig = kubeconfig.clone();
        let ended = tokio::task::spawn_blocking(move || run(&kubeconfig, signal));
        assert_eq!(ended.await.unwrap(), (true, String::new()), "signal {signal}");
    }
}

/// Runs the program until it is synced, ends it with a signal, and tells whether it ended well and what it complained of.
fn run(kubeconfig: &std::path::Path, signal: u8) -> (bool, String) {
    let mut program = Command::new(PROGRAM);
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBERNETES_SERVICE_HOST"] {
        program.env_remove(variable);
    }
    program.env("KUBECONFIG", kubeconfig).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = program.spawn().unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "0 on node-1"), "it is synced");
    while !listens_for(program.id(), signal) {
        std::thread::yield_now();
    }
    // `kill` is built into the shell; the program of that name is not on every machine.
    let kill = format!("kill -{signal} {}", program.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let mut said = String::new();
    program.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (program.wait().unwrap().success(), said)
}

/// Whether the process catches a signal. Where there is no `/proc` it is taken to do so.
fn listens_for(id: u32, signal: u8) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{id}/status")) else { return true };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & (1 << (signal - 1)) != 0)
}
