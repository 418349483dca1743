use clap::CommandFactory;

use super::*;

#[test]
fn the_command_line_is_consistent() {
    Command::command().debug_assert();
}

#[test]
fn times_have_units() {
    assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
    assert_eq!(duration("45"), Ok(Duration::from_secs(45)));
    assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
    assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
    assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
    for wrong in ["", "s", "-1s", "5x", "1.5s", "99999999999999999999s", "9999999999999999999h"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn addresses_have_several_forms() {
    assert_eq!(address(":9090"), Ok("0.0.0.0:9090".parse().unwrap()));
    assert_eq!(address("127.0.0.1:0"), Ok("127.0.0.1:0".parse().unwrap()));
    assert_eq!(address("[::1]:80"), Ok("[::1]:80".parse().unwrap()));
    assert!(address("localhost:9090").is_ok_and(|it| it.ip().is_loopback() && it.port() == 9090));
    for wrong in ["", ":", "9090", "localhost", ":http", ":70000", "1.2.3.4"] {
        assert!(address(wrong).unwrap_err().contains("127.0.0.1:9090"), "{wrong}");
    }
}

#[test]
fn namespace_and_all_namespaces_exclude_each_other() {
    let wrong = Command::try_parse_from(["informer", "get", "pods", "-n", "a", "-A"]);
    assert!(wrong.unwrap_err().to_string().contains("cannot be used with"));
}

#[test]
fn a_form_that_only_kubectl_has_is_refused_by_each_command_in_its_own_words() {
    let refused = |text: &str| Command::try_parse_from(text.split(' ')).unwrap_err().to_string();
    let replay = refused("informer replay file -o jsonpath={.a}");
    assert!(replay.contains("--serve --write-kubeconfig") && !replay.contains("--field"), "{replay}");
    let watch = refused("informer watch pods -o jsonpath={.a}");
    assert!(watch.contains("informer get -w … --field PATH"), "{watch}");
    let unknown = refused("informer replay file -o xml");
    assert!(unknown.contains("expected text, wide, json, yaml or name"), "{unknown}");
    for form in ["text", "wide", "json", "yaml", "name"] {
        assert!(Command::try_parse_from(["informer", "replay", "file", "-o", form]).is_ok(), "{form}");
    }
}
