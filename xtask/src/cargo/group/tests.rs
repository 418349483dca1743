use std::io::pipe;

use super::*;

/// Longer than any test waits.
const FOREVER: &str = "sleep 600";

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What it said, whether it ended well, and why it was ended.
fn read(script: &str, limits: Limits) -> (Vec<String>, bool, Option<String>) {
    let (output, input) = pipe().unwrap();
    let mut command = shell(script);
    command.stdout(input);
    let (mut said, mut group) = (Vec::new(), Group::start(command).unwrap());
    let (status, why) = group.read(output, &limits, |line| said.push(line.to_owned())).unwrap();
    (said, status.success(), why)
}

fn limits(silence: Duration, until: Option<Duration>) -> Limits {
    Limits { silence, until: until.map(|until| Instant::now() + until) }
}

#[test]
fn a_program_that_says_nothing_is_ended_with_those_that_it_started() {
    // The pipe is open until the last of them is gone, so this test would not come to its end.
    let (said, well, why) =
        read(&format!("echo one; (trap '' TERM; {FOREVER}) & {FOREVER}"), limits(POLL * 10, None));
    assert_eq!((said, well), (vec!["one".to_owned()], false));
    assert_eq!(why.as_deref(), Some("it had said nothing for 200ms"));
}

#[test]
fn a_program_that_always_says_something_is_ended_when_the_time_is_up() {
    let limits = limits(Duration::MAX, Some(POLL * 10));
    let (said, well, why) = read("while :; do echo again; sleep 0.01; done", limits);
    assert!(!said.is_empty() && !well);
    assert_eq!(why.as_deref(), Some("the time of the whole run was up"));
    let mut silent = Group::start(shell(FOREVER)).unwrap();
    let (status, why) = silent.wait(&limits).unwrap();
    assert!(!status.success() && why.is_some());
}

#[test]
fn a_program_that_ends_by_itself_is_not_ended() {
    let hour = Duration::from_secs(3600);
    let (said, well, why) = read("echo one; printf two", limits(hour, Some(hour)));
    assert_eq!((said, well, why), (vec!["one".to_owned(), "two".to_owned()], true, None));
    let (status, why) = Group::start(shell("exit 3")).unwrap().wait(&limits(hour, Some(hour))).unwrap();
    assert_eq!((status.code(), why), (Some(3), None));
}
