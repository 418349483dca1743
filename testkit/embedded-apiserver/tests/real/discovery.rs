//! Checks that the fixture of the discovery tests (`testdata/discovery-1.36.jsonl`) is what the real server answers.

use anyhow::Result;
use serde_json::Value;
use test_cluster::{Cluster, Options};

const FIXTURE: &str = include_str!("../../testdata/discovery-1.36.jsonl");

#[test]
fn the_fixture_is_what_the_real_server_answers() -> Result<()> {
    if let Err(why) = test_cluster::available() {
        test_cluster::print_skip("the_fixture_is_what_the_real_server_answers", &why);
        return Ok(());
    }
    let options = Options::default().feature_gate("AllAlpha", true).feature_gate("AllBeta", true);
    let cluster = Cluster::start(options.apiserver_arg("--runtime-config=api/all=true"))?;
    let mut fixture = FIXTURE.lines();
    let groups: Value = serde_json::from_str(fixture.next().unwrap())?;
    assert_eq!(serde_json::from_str::<Value>(&cluster.get("/apis")?)?, groups);
    for line in fixture {
        let expected: Value = serde_json::from_str(line)?;
        let path = match expected["groupVersion"].as_str().unwrap() {
            "v1" => "/api/v1".to_owned(),
            group_version => format!("/apis/{group_version}"),
        };
        let mut real: Value = serde_json::from_str(&cluster.get(&path)?)?;
        for entry in real["resources"].as_array_mut().unwrap() {
            // A value for the real server's own use.
            entry.as_object_mut().unwrap().remove("storageVersionHash");
        }
        assert_eq!(real, expected, "{path}");
    }
    Ok(())
}
