//! `--write-kubeconfig`: no file of somebody else is replaced.

use std::path::Path;
use std::process::Command;

use crate::support::{Running, Server, informer, run};

const THEIRS: &str = "apiVersion: v1\nkind: Config\nusers: [{ name: me, user: { token: hush } }]\n";

/// The commands that write kubeconfigs. A recording is there for the one that serves it.
async fn commands(server: &Server) -> [Command; 3] {
    let in_folder = |name: &str| server.directory.path().join(name);
    let mut record = informer(&["record"]);
    record.arg(in_folder("a.recording")).args(["nodes", "--embedded", "--for", "5s"]);
    let recorded = run(record).await;
    assert_eq!(recorded.code, 0, "{recorded:?}");
    let mut replay = informer(&["replay"]);
    replay.arg(in_folder("a.recording")).arg("--serve");
    let mut record = informer(&["record"]);
    record.arg(in_folder("b.recording")).args(["--proxy", "--kubeconfig"]).arg(server.kubeconfig());
    [informer(&["serve"]), replay, record]
}

fn writing(mut command: Command, file: &Path) -> Command {
    command.arg("--write-kubeconfig").arg(file);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_of_somebody_else_is_left_as_it_is() {
    let server = Server::start().await;
    let file = server.directory.path().join("theirs");
    std::fs::write(&file, THEIRS).expect("a file");
    for command in commands(&server).await {
        let said = run(writing(command, &file)).await;
        assert_eq!(said.code, 4, "{said:?}");
        let expected = format!("error: {} is there and was not written by this command", file.display());
        assert!(said.err.contains(&expected) && said.err.contains("name another file"), "{said:?}");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), THEIRS);
    }
    assert!(!server.directory.path().join("b.recording").exists(), "nothing was recorded");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_that_any_of_the_commands_wrote_is_written_again() {
    let server = Server::start().await;
    let file = server.directory.path().join("ours");
    let mut before = String::new();
    for command in commands(&server).await {
        let mut running = Running::start(writing(command, &file));
        let address = running.line().await;
        let address = address.split("http://").nth(1).expect("an address").split([',', '\n']).next();
        let written = std::fs::read_to_string(&file).expect("the file");
        assert!(written.contains(address.expect("an address")) && written != before, "{written}");
        before = written;
    }
}
