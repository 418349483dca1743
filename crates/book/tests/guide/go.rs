//! The Go in `docs/from-client-go.md` has the syntax of Go. It is not compiled: that would need client-go for each block.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
#[ignore = "needs gofmt: `cargo xtask e2e` runs it"]
fn the_go_of_the_book_can_be_parsed() {
    let gofmt = gofmt();
    assert!(complaint(&gofmt, "informer.Run(ctx").contains("expected"), "what is no Go is found");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/from-client-go.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let blocks: Vec<_> =
        page.split("```go\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
    assert!(blocks.len() >= 8, "blocks are found: {}", blocks.len());
    for block in blocks {
        let complaint = complaint(&gofmt, block);
        assert!(complaint.is_empty(), "{complaint}in\n{block}");
    }
}

/// That of the Go on the PATH.
fn gofmt() -> PathBuf {
    let said = Command::new("go").args(["env", "GOROOT"]).output().expect("go runs");
    Path::new(String::from_utf8_lossy(&said.stdout).trim()).join("bin/gofmt")
}

/// What gofmt has to say against a declaration, or else against statements.
fn complaint(gofmt: &Path, block: &str) -> String {
    // What the page leaves out is nothing.
    let block = block.replace('…', "");
    let file = if block.starts_with("func ") {
        format!("package p\n\n{block}")
    } else {
        format!("package p\n\nfunc _() {{\n{block}\n}}\n")
    };
    let mut running = Command::new(gofmt);
    running.arg("-e").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = running.spawn().expect("gofmt runs");
    running.stdin.take().expect("its input").write_all(file.as_bytes()).expect("it reads");
    let said = running.wait_with_output().expect("it ends");
    let complaint = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.success(), complaint.is_empty(), "{complaint}");
    complaint
}
