use super::*;

fn started(arguments: &[&str]) -> Vec<String> {
    let command = command(arguments.iter().map(OsString::from)).unwrap();
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts.map(|part| part.to_string_lossy().into_owned()).collect()
}

#[test]
fn test_programs_are_asked_for_times_and_others_for_nothing() {
    let wanted = ["/w/debug/deps/e2e-0123", "--nocapture", "-Zunstable-options", "--report-time"];
    assert_eq!(started(&["/w/debug/deps/e2e-0123", "--nocapture"]), wanted);
    assert_eq!(started(&["/tmp/rustdoctest/rust_out"]), ["/tmp/rustdoctest/rust_out"]);
    assert!(is_runner("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER") && !is_runner("CARGO_TARGET_DIR"));
}
