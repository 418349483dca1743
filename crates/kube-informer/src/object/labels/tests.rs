use super::*;

fn labels(pairs: &[(&str, &str)]) -> Labels {
    Labels(LabelSet::from_pairs(pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect()))
}

#[test]
fn p_014_selectors_match_as_the_server_does() {
    let web = labels(&[("app", "web")]);
    let bare = labels(&[]);
    let set = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let cases = [
        (Expression::Equal("app".into(), "web".into()), true, false),
        (Expression::NotEqual("app".into(), "web".into()), false, true),
        (Expression::In("app".into(), set(&["web", "api"])), true, false),
        (Expression::NotIn("app".into(), set(&["web"])), false, true),
        (Expression::Exists("app".into()), true, false),
        (Expression::DoesNotExist("app".into()), false, true),
    ];
    for (expression, on_web, on_bare) in cases {
        let selector = Selector::from(expression.clone());
        assert_eq!(web.matches(&selector), on_web, "{expression} on web");
        assert_eq!(bare.matches(&selector), on_bare, "{expression} on bare");
    }
    assert!(bare.matches(&Selector::default()), "the empty selector picks everything");
}
