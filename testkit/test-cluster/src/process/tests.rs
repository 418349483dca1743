use std::io::{BufRead, BufReader, Read};

use super::*;

/// A process for tests. It ends by itself after a minute if a test does not end it.
fn sleeper() -> Command {
    let mut command = Command::new("sleep");
    command.arg("60");
    command
}

fn spawn(command: &mut Command) -> (Process, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    (Process::spawn("sleeper", command, &dir.path().join("log")).unwrap(), dir)
}

/// Waits until no process has this id.
fn assert_gone(process_id: u32) {
    let started = Instant::now();
    while Command::new("sh").args(["-c", &format!("kill -s 0 {process_id} 2>&-")]).status().unwrap().success()
    {
        assert!(started.elapsed() < Duration::from_secs(10), "process {process_id} is still there");
        thread::sleep(POLL);
    }
}

#[test]
fn drop_kills_the_process_and_its_watchdog() {
    let (process, _dir) = spawn(&mut sleeper());
    let (server, watchdog) = (process.child.id(), process.watchdog.id());
    drop(process);
    assert_gone(server);
    assert_gone(watchdog);
}

#[test]
fn terminate_waits_for_the_end() {
    let (process, _dir) = spawn(&mut sleeper());
    let server = process.child.id();
    process.terminate(Duration::from_secs(10)).unwrap();
    assert_gone(server);
}

#[test]
fn terminate_kills_what_does_not_end() {
    let mut deaf = Command::new("sh");
    deaf.args(["-c", "trap '' TERM; echo deaf; while :; do sleep 1; done"]);
    let (process, dir) = spawn(&mut deaf);
    let server = process.child.id();
    // It ignores the signal only after it has printed its line.
    while std::fs::read_to_string(dir.path().join("log")).unwrap().is_empty() {
        thread::sleep(POLL);
    }
    let error = process.terminate(Duration::from_millis(100)).unwrap_err();
    assert!(error.to_string().contains("was killed"), "{error}");
    assert_gone(server);
}

#[test]
fn an_exit_is_noticed_and_ends_the_watchdog() {
    let (mut process, _dir) = spawn(&mut Command::new("false"));
    let status = loop {
        if let Some(status) = process.exited().unwrap() {
            break status;
        }
        thread::sleep(POLL);
    };
    assert!(!status.success());
    assert_gone(process.watchdog.id());
    process.terminate(Duration::ZERO).unwrap();
}

/// A test cannot kill its own process and observe the result, so it runs itself a second time and kills that process.
#[test]
fn the_process_dies_with_a_killed_test() {
    const VICTIM: &str = "TEST_CLUSTER_VICTIM";
    if std::env::var_os(VICTIM).is_some() {
        let (process, _dir) = spawn(&mut sleeper());
        println!("victim's server: {}", process.child.id());
        // Waits until it is killed, or until the test that started it is gone.
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::tests::the_process_dies_with_a_killed_test", "--nocapture"])
        .env(VICTIM, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let server = BufReader::new(victim.stdout.take().unwrap())
        .lines()
        .find_map(|line| line.unwrap().split_once("victim's server: ").map(|(_, id)| id.parse().unwrap()))
        .expect("the victim says which server it started");
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_gone(server);
}
