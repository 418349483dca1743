use super::*;

fn told(output: &str) -> String {
    let mut complaints = Complaints::default();
    output.lines().for_each(|line| complaints.line(line));
    complaints.text()
}

#[test]
fn what_a_harness_held_back_is_kept_up_to_the_backtrace() {
    let output = "\
test a::works ... ok
test a::breaks ... FAILED

failures:

---- a::breaks stdout ----

thread 'a::breaks' (7) panicked at src/a.rs:1:2:
two is not three
stack backtrace:
   0: core::panicking::panic

---- b::breaks stdout ----
Error: no answer

failures:
    a::breaks
    b::breaks

test result: FAILED. 1 passed; 2 failed";
    let wanted = "
---- a::breaks stdout ----
thread 'a::breaks' (7) panicked at src/a.rs:1:2:
two is not three
---- b::breaks stdout ----
Error: no answer";
    assert_eq!(told(output), wanted);
}

#[test]
fn what_was_not_held_back_is_found_among_other_lines() {
    let output = "\
   Running tests/real/main.rs
Error: 1 plans differ:
cargo xtask differential --rounds 50 --seed 3

Stack backtrace:
   0: anyhow::error
test differential ... FAILED
soak: something else
thread 'b' (8) panicked at tests/b.rs:3:4:
assertion failed
note: run with `RUST_BACKTRACE=1`";
    let wanted = "
Error: 1 plans differ:
cargo xtask differential --rounds 50 --seed 3
thread 'b' (8) panicked at tests/b.rs:3:4:
assertion failed";
    assert_eq!(told(output), wanted);
}

#[test]
fn there_is_an_end_to_it() {
    let one = format!("---- a stdout ----\n{}{}", "y".repeat(9_000), "\nx".repeat(1_000));
    let text = told(&format!("{one}\n").repeat(100));
    assert_eq!(text.lines().count(), 1 + TESTS * LINES);
    assert!(text.lines().all(|line| line.len() <= WIDTH));
}
