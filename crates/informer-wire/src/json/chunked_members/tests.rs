use super::*;

#[test]
fn separators_have_to_be_right() {
    for bad in
        [r#"{,}"#, r#"{"a"}"#, r#"{"a":1 "b":2}"#, r#"{"a":1,}"#, r#"{"a":,}"#, r#"{a:1}"#, r#"[1]"#, "x"]
    {
        let (mut members, mut at) = (ChunkedMembers::of_object(), 0);
        let failed = loop {
            match members.next_mark(bad.as_bytes(), &mut at) {
                Ok(Some(Mark::Close(_)) | None) => break false,
                Ok(Some(_)) => {}
                Err(_) => break true,
            }
        };
        assert!(failed, "{bad}");
    }
}
