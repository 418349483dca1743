use super::*;

fn parsed(query: &str, verb: Verb) -> ListOptions {
    ListOptions::parse(&Query::parse(query), verb).unwrap()
}

/// The message that refuses the options, without the part that is the same in all messages.
fn refused(query: &str, verb: Verb) -> String {
    let error = ListOptions::parse(&Query::parse(query), verb).unwrap_err();
    assert_eq!((error.code, error.reason), (422, "Invalid"));
    let details = error.details.unwrap();
    assert_eq!((&*details.group, &*details.kind, &*details.name), ("meta.k8s.io", "ListOptions", ""));
    let why = error.message.strip_prefix("ListOptions.meta.k8s.io \"\" is invalid: ").unwrap();
    why.replace("resourceVersionMatch: Forbidden: ", "RVM! ").replace("resourceVersionMatch: ", "RVM ")
}

#[test]
fn options_are_read_from_the_query() {
    let options = parsed(
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=5&continue=t&resourceVersion=7&timeoutSeconds=9",
        Verb::List,
    );
    assert_eq!((&*options.label_selector, &*options.field_selector), ("a=b", "metadata.name=x"));
    assert_eq!((options.limit, &*options.continue_token), (5, "t"));
    assert_eq!((&*options.resource_version, options.timeout_seconds), ("7", Some(9)));
    assert_eq!((options.version_match, options.send_initial_events), (None, None));
    assert!(!options.allow_bookmarks && parsed("allowWatchBookmarks=1", Verb::Watch).allow_bookmarks);
    let none = parsed("limit=-1&timeoutSeconds=-5", Verb::List);
    assert_eq!((none.limit, none.timeout_seconds), (0, None));
    assert_eq!(parsed("timeoutSeconds=0", Verb::Watch).timeout_seconds, None);
}

#[test]
fn a_watch_of_no_version_gets_the_present_state_first() {
    for query in ["", "resourceVersion=0", "resourceVersion=&allowWatchBookmarks=true"] {
        let options = parsed(query, Verb::Watch);
        assert_eq!(options.send_initial_events, Some(true), "{query}");
        assert_eq!(options.version_match, Some(VersionMatch::NotOlderThan), "{query}");
    }
    assert_eq!(parsed("resourceVersion=5", Verb::Watch).send_initial_events, None);
    let none = parsed("sendInitialEvents=false&resourceVersionMatch=NotOlderThan", Verb::Watch);
    assert_eq!(none.send_initial_events, Some(false));
    assert_eq!(parsed("", Verb::List).send_initial_events, None, "a list has no events");
}

#[test]
fn lists_that_contradict_themselves_are_refused() {
    let no_version = "RVM! resourceVersionMatch is forbidden unless resourceVersion is provided";
    let with_continue = "RVM! resourceVersionMatch is forbidden when continue is provided";
    let events = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list";
    let foo = "RVM Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"";
    for (query, why) in [
        ("resourceVersionMatch=Exact", no_version.to_owned()),
        ("resourceVersionMatch=NotOlderThan&resourceVersion=0&continue=x", with_continue.to_owned()),
        ("resourceVersionMatch=Foo&resourceVersion=1", foo.to_owned()),
        ("resourceVersionMatch=Foo", format!("[{no_version}, {foo}]")),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            "RVM! resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"".to_owned(),
        ),
        ("sendInitialEvents=false", events.to_owned()),
        (
            "resourceVersionMatch=Exact&sendInitialEvents=1&continue=x",
            format!("[{no_version}, {with_continue}, {events}]"),
        ),
    ] {
        assert_eq!(refused(query, Verb::List), why, "{query}");
        assert_eq!(refused(query, Verb::DeleteCollection), why, "{query}");
    }
}

#[test]
fn watches_that_contradict_themselves_are_refused() {
    let needs_match = "RVM! sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    let needs_events =
        "RVM! resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    let with_continue = "RVM! resourceVersionMatch is forbidden when continue is provided";
    let unsupported =
        |word: &str| format!("RVM Unsupported value: {word:?}: supported values: \"NotOlderThan\"");
    for (query, why) in [
        ("sendInitialEvents=true", needs_match.to_owned()),
        ("resourceVersionMatch=NotOlderThan", needs_events.to_owned()),
        (
            "sendInitialEvents=true&resourceVersionMatch=Exact",
            format!("[{needs_match}, {}]", unsupported("Exact")),
        ),
        (
            "sendInitialEvents=true&resourceVersionMatch=Foo&continue=x",
            format!("[{needs_match}, {}, {with_continue}]", unsupported("Foo")),
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=5",
            format!("[{needs_events}, {}]", unsupported("Exact")),
        ),
    ] {
        assert_eq!(refused(query, Verb::Watch), why, "{query}");
    }
    assert_eq!(refused("watch=1&sendInitialEvents=true", Verb::DeleteCollection), needs_match);
}

#[test]
fn a_version_that_is_no_number_is_a_bad_request_for_lists_and_unforeseen_elsewhere() {
    for (version, verb, number) in [
        ("", Verb::List, None),
        ("0", Verb::List, Some(0)),
        ("007", Verb::Watch, Some(7)),
        ("18446744073709551615", Verb::Get, Some(u64::MAX)),
    ] {
        assert_eq!(parse_version(version, verb).unwrap(), number, "{version}");
    }
    let why = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";
    let list = parsed("resourceVersion=abc", Verb::List).version(Verb::List).unwrap_err();
    assert_eq!(
        (list.code, list.reason, list.message),
        (400, "BadRequest", format!("invalid resource version: {why}"))
    );
    for verb in [Verb::Watch, Verb::Get] {
        let error = parse_version("abc", verb).unwrap_err();
        assert_eq!((error.code, error.reason, error.message.as_str()), (500, "", why));
    }
    for version in ["-1", "+1", " 1", "1.5", "18446744073709551616"] {
        assert!(parse_version(version, Verb::List).is_err(), "{version}");
    }
    let large = parse_version("18446744073709551616", Verb::Watch).unwrap_err();
    assert!(large.message.ends_with("value out of range"), "{}", large.message);
}
