use http::HeaderValue;

use super::*;

fn negotiated(accept: &str, verb: Verb) -> Result<Form, ApiError> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
    Accept::negotiate(&headers, verb)
}

#[test]
fn json_is_answered_to_those_who_take_it() {
    assert_eq!(Accept::negotiate(&HeaderMap::new(), Verb::List), Ok(Form::Whole));
    for accept in [
        "",
        "*/*",
        "application/json",
        "application/json;stream=watch",
        "application/json; charset=utf-8",
        "application/json, */*",
        "image/png, */*;q=0.1",
        "application/vnd.kubernetes.protobuf,application/json",
        "application/yaml;q=0.9,application/json;q=0.1",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
        "application/json;q=0",
    ] {
        for verb in [Verb::Get, Verb::List, Verb::Watch, Verb::Create] {
            assert_eq!(negotiated(accept, verb), Ok(Form::Whole), "{accept} {verb}");
        }
    }
}

#[test]
fn metadata_of_one_object_or_of_a_list() {
    let one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    let list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    for (accept, verb) in [(one, Verb::Get), (one, Verb::Watch), (list, Verb::List), (list, Verb::Watch)] {
        assert_eq!(negotiated(accept, verb), Ok(Form::Metadata), "{accept} {verb}");
    }
    let both = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
    assert_eq!(negotiated(both, Verb::List), Ok(Form::Metadata));
    for (accept, verb) in [(one, Verb::List), (list, Verb::Get)] {
        let error = negotiated(accept, verb).unwrap_err();
        assert_eq!((error.code, error.reason, error.details), (406, "NotAcceptable", None));
        assert!(error.message.starts_with("you requested PartialObjectMetadata"), "{}", error.message);
    }
}

#[test]
fn the_best_clause_wins_wherever_it_is() {
    let list =
        "application/json;q=0.1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1;q=0.9";
    assert_eq!(negotiated(list, Verb::List), Ok(Form::Metadata));
    let whole = "application/json,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(negotiated(whole, Verb::List), Ok(Form::Whole));
}

#[test]
fn several_headers_are_one() {
    let mut headers = HeaderMap::new();
    headers.append(header::ACCEPT, HeaderValue::from_static("application/yaml"));
    assert!(Accept::takes_json(&headers).is_err());
    headers.append(header::ACCEPT, HeaderValue::from_static("application/json"));
    assert_eq!(Accept::negotiate(&headers, Verb::Get), Ok(Form::Whole));
    assert_eq!(Accept::takes_json(&headers), Ok(()));
}

#[test]
fn what_the_real_server_has_and_this_one_has_not_is_refused_with_what_there_is() {
    for accept in [
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=Foo;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v2",
    ] {
        let error = negotiated(accept, Verb::List).unwrap_err();
        assert_eq!((error.code, error.reason, error.details), (406, "NotAcceptable", None), "{accept}");
        assert_eq!(error.message, "only the following media types are accepted: application/json");
    }
    let watch = negotiated("application/yaml", Verb::Watch).unwrap_err();
    assert_eq!(watch.message, "only the following media types are accepted: application/json;stream=watch");
}

#[test]
fn a_type_that_nobody_knows_is_refused_by_the_router() {
    for accept in ["text/plain", "garbage", ";;;,", "application/*"] {
        let error = negotiated(accept, Verb::List).unwrap_err();
        assert_eq!((error.code, error.details), (406, Some(Box::default())), "{accept}");
        assert_eq!(error.message, "406: Not Acceptable\n\nAvailable representations: application/json");
    }
}
