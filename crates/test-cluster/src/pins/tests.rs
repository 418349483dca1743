use super::*;

const GO_MOD: &str = "module x\n\ngo 1.26.0\n\ntool (\n\tk8s.io/kubernetes/cmd/kubectl\n)\n\nrequire (\n\
    \tgo.etcd.io/etcd/server/v3 v3.6.8\n\tk8s.io/kubernetes v1.36.4 // indirect\n)\n";

#[test]
fn versions_come_from_go_mod() {
    let pins = Pins::parse(Path::new("m"), GO_MOD, "").unwrap();
    assert_eq!((pins.kubernetes.as_str(), pins.etcd.as_str()), ("v1.36.4", "v3.6.8"));
    assert_eq!(pins.go, "1.26.0");
    assert!(pins.linker_flags().ends_with(".gitMajor=1 -X k8s.io/component-base/version.gitMinor=36"));
}

#[test]
fn a_missing_module_is_named() {
    let error = Pins::parse(Path::new("m"), "go 1.26.0\n", "").unwrap_err();
    assert!(error.to_string().contains("k8s.io/kubernetes"), "{error}");
}

#[test]
fn the_fingerprint_changes_with_every_input() {
    let of = |go_mod: &str, go_sum: &str| Pins::parse(Path::new("m"), go_mod, go_sum).unwrap().fingerprint;
    assert_eq!(of(GO_MOD, "a"), of(GO_MOD, "a"));
    assert_ne!(of(GO_MOD, "a"), of(GO_MOD, "b"));
    assert_ne!(of(GO_MOD, "a"), of(&GO_MOD.replace("1.36.4", "1.36.5"), "a"));
}

#[test]
fn the_project_pins_can_be_read() {
    assert!(Pins::read().unwrap().kubernetes.starts_with("v1."));
}
