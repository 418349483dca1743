use futures::stream::iter;

use super::*;
use crate::faults::items;

const WATCH: &str = concat!(
    r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}"#,
    "\n",
    r#"{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}"#,
    "\n",
    r#"{"type":"MODIFIED","object":{"metadata":{"name":"b","annotations":null}}}"#,
    "\n",
    r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}"#,
    "\n",
    "not JSON\n",
    r#"{"type":"DELETED","object":{"metadata":{"name":"c"}}}"#,
);

/// The same bytes in pieces of this size, which are cut without regard to lines.
fn in_pieces(size: usize) -> Body {
    let pieces: Vec<_> =
        WATCH.as_bytes().chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    streamed(iter(pieces))
}

/// The text of a body, and whether it ends cleanly.
async fn read(mut body: Body) -> (String, bool) {
    let mut text = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => text.extend(frame.into_data().unwrap()),
            Err(_) => return (String::from_utf8(text).unwrap(), false),
        }
    }
    (String::from_utf8(text).unwrap(), true)
}

fn without(line: usize) -> String {
    let lines = WATCH.split_inclusive('\n').enumerate();
    lines.filter(|(number, _)| *number != line).map(|(_, line)| line).collect()
}

#[tokio::test]
async fn lines_are_found_whatever_the_pieces() {
    for size in [1, 2, 7, 53, 54, 1000] {
        let effects = [
            (LineEffect::Lose(9), WATCH.to_owned()),
            (LineEffect::Lose(1), without(0)),
            (LineEffect::DropEndBookmark, without(1)),
            (LineEffect::Lose(2), without(2)),
            (LineEffect::Lose(3), without(5)),
        ];
        for (effect, expected) in effects {
            let strikes = Strikes::uncounted();
            let (text, clean) = read(lines(in_pieces(size), effect.clone(), strikes)).await;
            assert_eq!((text, clean), (expected, true), "{size} {effect:?}");
        }
    }
}

#[tokio::test]
async fn what_is_held_back_comes_in_the_end() {
    let (text, clean) = read(lines(in_pieces(10), LineEffect::Reorder(3), Strikes::uncounted())).await;
    assert_eq!((text.as_str(), clean), (WATCH, true));
}

#[tokio::test]
async fn bytes_are_cut_where_they_should_be() {
    for size in [1, 7, 1000] {
        for length in [0, 1, 60, WATCH.len()] {
            let cut = cut_after_bytes(in_pieces(size), length as u64, Strikes::uncounted());
            assert_eq!(read(cut).await, (WATCH[..length].to_owned(), false), "{size} {length}");
        }
        let beyond = cut_after_bytes(in_pieces(size), WATCH.len() as u64 + 1, Strikes::uncounted());
        assert_eq!(read(beyond).await, (WATCH.to_owned(), true), "{size}");
    }
}

#[test]
fn an_item_that_is_not_there_cannot_be_spoilt() {
    let list = br#"{"kind":"PodList","items":[{"metadata":{"name":"a"}}]}"#;
    assert_eq!(items::undecodable(list, 2), None);
    assert_eq!(items::undecodable(list, 0), None);
    assert_eq!(items::undecodable(b"not JSON", 1), None);
    let spoilt = items::undecodable(list, 1).unwrap();
    assert!(spoilt.starts_with(br#"{"items":[{"metadata":{"labels":17,"name":"a"}}]"#), "{spoilt:?}");
}
