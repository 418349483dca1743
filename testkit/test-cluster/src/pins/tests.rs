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
fn a_binary_is_used_as_long_as_everything_that_it_is_made_of_is_pinned() {
    const GO_SUM: &str = "k8s.io/kubernetes v1.36.4 h1:a=\nk8s.io/kubernetes v1.36.4/go.mod h1:b=\n\
        go.etcd.io/etcd/server/v3 v3.6.8 h1:c=\nk8s.io/kms v0.36.4 h1:d=\n";
    let go_mod = format!("{GO_MOD}\nreplace (\n\tk8s.io/kms => k8s.io/kms v0.36.4\n)\n");
    let pins = |go_mod: &str, go_sum: &str| Pins::parse(Path::new("m"), go_mod, go_sum).unwrap();
    let settings = pins(&go_mod, GO_SUM).settings("-s");
    let made_of = format!("{settings}\nk8s.io/kubernetes v1.36.4 h1:a=\nk8s.io/kms v0.36.4 h1:d=\n");
    assert!(pins(&go_mod, GO_SUM).pin(&settings, &made_of));
    assert!(
        pins(&go_mod.replace("3.6.8", "3.6.9"), GO_SUM).pin(&settings, &made_of),
        "it is not made of that"
    );
    assert!(
        !pins(&go_mod, GO_SUM).pin(&settings, &made_of.replace(&settings, "other")),
        "another Go, or other flags"
    );
    assert!(!pins(&go_mod.replace("1.36.4", "1.36.5"), GO_SUM).pin(&settings, &made_of));
    assert!(!pins(&go_mod.replace("0.36.4", "0.36.5"), GO_SUM).pin(&settings, &made_of), "a replacement");
    assert!(!pins(&go_mod, &GO_SUM.replace("h1:a=", "h1:x=")).pin(&settings, &made_of), "the checksum");
}

#[test]
fn the_project_pins_can_be_read() {
    assert!(Pins::read().unwrap().kubernetes.starts_with("v1."));
}
