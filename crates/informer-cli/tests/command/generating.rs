//! `gen`.

use crate::support::{informer, run};

const KINDS: &str = r#"
[[kind]]
group = "example.com"
version = "v1"
kind = "Widget"
type = "crate::Widget"
scope = "Namespaced"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn accessors_are_written_and_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    let (kinds, out) = (directory.path().join("kinds.toml"), directory.path().join("informers.rs"));
    std::fs::write(&kinds, KINDS).expect("a description");
    let generate = |more: &[&str]| {
        let mut command = informer(&["gen"]);
        command.arg(&kinds).arg("--out").arg(&out).args(more);
        run(command)
    };
    let said = generate(&["--check"]).await;
    assert_eq!(said.code, 1, "it is not there yet: {said:?}");
    let said = generate(&[]).await;
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let text = std::fs::read_to_string(&out).expect("it was written");
    assert!(text.contains("pub fn widgets(self) -> Access<crate::Widget>"), "{text}");
    assert_eq!(generate(&["--check"]).await.code, 0);
    std::fs::write(&kinds, "[[kind]]\nkind = 1\n").expect("a description");
    let said = generate(&[]).await;
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("kinds.toml:2:"), "the place is named: {said:?}");
}
