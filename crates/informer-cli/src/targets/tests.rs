use super::*;

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// `pods: a b; svc:`
fn told(targets: &[Target]) -> String {
    let told = |target: &Target| format!("{}: {}", target.kind, target.names.join(" "));
    targets.iter().map(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn kinds_and_names_have_several_forms() {
    let get = |text: &str| told(&of_get(&words(text)).unwrap());
    assert_eq!(get("pods"), "pods: ");
    assert_eq!(get("pods,svc"), "pods: ; svc: ");
    assert_eq!(get("pod web-0 web-1 web-0"), "pod: web-0 web-1");
    assert_eq!(get("pod,svc web"), "pod: web; svc: web");
    assert_eq!(get("pod/web-0 svc/web pod/web-1"), "pod: web-0 web-1; svc: web");
    let watch = |text: &str| told(&of_watch(&words(text)).unwrap());
    assert_eq!(watch("po svc,cm pod/a"), "po: ; svc: ; cm: ; pod: a");
    assert_eq!(watch("pod/a pod"), "pod: ", "all, and so also this one");
    assert_eq!(watch("pod pod/a"), "pod: ");
}

#[test]
fn what_is_neither_is_refused() {
    for wrong in ["pods,", ",pods", "pod/a svc", "pod/", "/a", "pods,svc/a", "pod/a/b"] {
        assert!(of_get(&words(wrong)).is_err(), "{wrong}");
    }
}
