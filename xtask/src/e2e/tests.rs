use super::Policy;

#[test]
fn without_go_the_tests_are_skipped_but_not_in_ci() {
    let no_go = || Err("no Go".to_owned());
    assert_eq!(Policy::decide(false, false, no_go()), Policy::Skip("no Go".to_owned()));
    assert_eq!(Policy::decide(true, false, no_go()), Policy::Run);
    assert_eq!(Policy::decide(true, true, no_go()), Policy::Skip("no Go".to_owned()));
    assert_eq!(Policy::decide(false, false, Ok(())), Policy::Run);
}
