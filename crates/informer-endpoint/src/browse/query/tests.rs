use super::*;

#[test]
fn values_are_decoded_and_empty_ones_are_none() {
    let query = Query::parse("name=a%2Fb+c&labels=&informer=2&name=second&odd=%zz%F0");
    assert_eq!((query.text("name"), query.text("labels"), query.text("field")), (Some("a/b c"), None, None));
    assert_eq!((query.number("informer"), query.number("name")), (Some(2), None));
    assert!(query.text("odd").is_some(), "what is no text does not panic");
}

#[test]
fn a_long_text_is_cut_between_characters() {
    assert_eq!(cut("short", 5), "short");
    assert_eq!(cut("ééé", 3), "é… (6 bytes)");
    assert_eq!(cut("🦀", 2), "… (4 bytes)");
}
