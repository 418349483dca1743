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
}

#[test]
fn this_program_may_be_in_a_folder_with_a_blank_in_its_name() {
    let wanted = r#"target.some-host.runner=["/my work/xtask"]"#;
    assert_eq!(runner("some-host", "/my work/xtask"), wanted);
    assert_eq!(runner("h", r#"/a"b"#), r#"target.h.runner=["/a\"b"]"#);
}
