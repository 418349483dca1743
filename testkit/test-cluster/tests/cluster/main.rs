//! Tests of the cluster with the real servers. Slow the first time, because it builds them.

use anyhow::{Context, Result};
use test_cluster::{Cluster, Options};

/// False if these tests cannot run; the reason is printed on stderr.
fn can_run(test: &str) -> bool {
    test_cluster::available().inspect_err(|why| test_cluster::print_skip(test, why)).is_ok()
}

#[test]
fn a_cluster_starts_restarts_and_stops() -> Result<()> {
    if !can_run("a_cluster_starts_restarts_and_stops") {
        return Ok(());
    }
    let mut cluster = Cluster::start(Options::default())?;
    let (url, certificate) = (cluster.url().to_owned(), cluster.ca_cert_pem().to_owned());
    assert!(cluster.get("/version")?.contains(r#""gitVersion": "v1.36.4""#), "{}", cluster.get("/version")?);
    let first_uid = namespace_uid(&cluster)?;

    cluster.restart_apiserver()?;
    assert_eq!(cluster.url(), url);
    assert_eq!(cluster.ca_cert_pem(), certificate);
    assert_eq!(namespace_uid(&cluster)?, first_uid, "the data is the same");

    cluster.kill_apiserver();
    assert!(cluster.get("/version").is_err());
    cluster.start_apiserver()?;
    assert_eq!(namespace_uid(&cluster)?, first_uid, "the data is the same");

    cluster.kill_etcd();
    cluster.start_etcd()?;
    cluster.restart_apiserver()?;
    assert_eq!(namespace_uid(&cluster)?, first_uid, "the data is the same");

    cluster.stop_apiserver()?;
    assert!(cluster.get("/version").is_err());
    cluster.stop_apiserver().context("stopping twice is no error")
}

#[test]
fn two_api_servers_have_the_same_data_and_one_goes_on_while_the_other_is_paused() -> Result<()> {
    if !can_run("two_api_servers_have_the_same_data_and_one_goes_on_while_the_other_is_paused") {
        return Ok(());
    }
    let mut cluster = Cluster::start(Options::default())?;
    let uid = namespace_uid(&cluster)?;
    let peer = cluster.start_peer()?;
    assert_ne!(cluster.url(), peer);
    cluster.pause_apiserver()?;
    let from_peer = cluster.get_at(&peer, "/api/v1/namespaces/default")?;
    assert!(from_peer.contains(&uid), "{from_peer}");
    cluster.resume_apiserver()?;
    cluster.kill_peer();
    assert!(cluster.get_at(&peer, "/version").is_err());
    assert_eq!(namespace_uid(&cluster)?, uid, "it goes on");
    Ok(())
}

#[test]
fn options_reach_the_server() -> Result<()> {
    if !can_run("options_reach_the_server") {
        return Ok(());
    }
    let options = Options::default().feature_gate("WatchList", false).apiserver_arg("--watch-cache=false");
    let cluster = Cluster::start(options)?;
    let refused =
        cluster.get("/api/v1/namespaces?watch=1&sendInitialEvents=true&timeoutSeconds=1").unwrap_err();
    assert!(refused.to_string().contains("sendInitialEvents is forbidden"), "{refused}");
    Ok(())
}

#[test]
fn a_start_that_fails_shows_the_servers_log() -> Result<()> {
    if !can_run("a_start_that_fails_shows_the_servers_log") {
        return Ok(());
    }
    let error = Cluster::start(Options::default().apiserver_arg("--no-such-flag")).unwrap_err().to_string();
    assert!(error.contains("kube-apiserver ended by itself"), "{error}");
    assert!(error.contains("unknown flag: --no-such-flag"), "{error}");
    Ok(())
}

fn namespace_uid(cluster: &Cluster) -> Result<String> {
    let body = cluster.get("/api/v1/namespaces/default")?;
    let uid = body.split_once(r#""uid":"#).context("no uid")?.1;
    Ok(uid.split('"').nth(1).context("no uid")?.to_owned())
}
