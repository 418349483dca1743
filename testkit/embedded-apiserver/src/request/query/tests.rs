use super::*;

#[test]
fn parameters_are_decoded_and_the_first_of_a_name_counts() {
    let query = Query::parse("a=1&a=2&b=x%20y+z&c&labelSelector=k+in+%28a%2Cb%29&=v&d=%C3%A9");
    assert_eq!((query.text("a"), query.text("b"), query.text("d")), ("1", "x y z", "é"));
    assert_eq!(query.text("labelSelector"), "k in (a,b)");
    assert_eq!((query.first("c"), query.first("none")), (Some(""), None));
    assert_eq!(query.all("a").collect::<Vec<_>>(), ["1", "2"]);
}

#[test]
fn what_cannot_be_decoded_is_not_there() {
    let query = Query::parse("a=%zz&b=1;c=2&d=%2&e=%&f=1");
    for name in ["a", "b", "c", "d", "e"] {
        assert_eq!(query.first(name), None, "{name}");
    }
    assert_eq!(query.text("f"), "1");
    assert_eq!(Query::parse("a=%ff").text("a"), "\u{fffd}");
}

#[test]
fn every_word_but_false_is_true() {
    let query = Query::parse("a&b=&c=0&d=False&e=1&f=no&g=00");
    for (name, flag) in [
        ("a", Some(true)),
        ("b", Some(true)),
        ("c", Some(false)),
        ("d", Some(false)),
        ("e", Some(true)),
        ("f", Some(true)),
        ("g", Some(true)),
        ("none", None),
    ] {
        assert_eq!(query.flag(name), flag, "{name}");
    }
}

#[test]
fn numbers_are_refused_in_the_words_of_go() {
    let query = Query::parse("a=7&b=-1&c=%2B3&d=x&e=&f=99999999999999999999&g=+1&h=1_000");
    for (name, number) in [("a", Some(7)), ("b", Some(-1)), ("c", Some(3)), ("none", None)] {
        assert_eq!(query.integer(name).unwrap(), number, "{name}");
    }
    for (name, why) in [
        ("d", "strconv.ParseInt: parsing \"x\": invalid syntax"),
        ("e", "strconv.ParseInt: parsing \"\": invalid syntax"),
        ("f", "strconv.ParseInt: parsing \"99999999999999999999\": value out of range"),
        ("g", "strconv.ParseInt: parsing \" 1\": invalid syntax"),
        ("h", "strconv.ParseInt: parsing \"1_000\": invalid syntax"),
    ] {
        let error = query.integer(name).unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (400, why), "{name}");
    }
}

#[test]
fn a_timeout_is_a_duration() {
    for timeout in ["", "0", "5s", "1h30m", "1.5s", "-1s", ".5m", "100ms"] {
        assert_eq!(Query::parse(&format!("timeout={timeout}")).check_timeout(), Ok(()), "{timeout}");
    }
    for (timeout, why) in [
        ("x", "time: invalid duration \"x\""),
        ("5", "time: missing unit in duration \"5\""),
        ("5x", "time: unknown unit \"x\" in duration \"5x\""),
        ("1.2.3s", "time: invalid duration \"1.2.3s\""),
        ("-", "time: invalid duration \"-\""),
    ] {
        let error = Query::parse(&format!("timeout={timeout}")).check_timeout().unwrap_err();
        assert_eq!(error.message, format!("invalid timeout specified in the request URL - {why}"));
    }
}
