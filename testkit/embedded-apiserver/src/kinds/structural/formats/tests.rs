use super::*;

#[test]
fn all_regular_expressions_compile() {
    let all = [&HOSTNAME, &TIME, &DURATION_PART, &GO_DURATION, &EMAIL, &CREDIT_CARD, &RGB];
    assert!(all.iter().all(|regex| regex.is_some()), "{all:?}");
}
