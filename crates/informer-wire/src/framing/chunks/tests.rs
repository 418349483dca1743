use std::sync::atomic::Ordering;

use super::*;
use crate::testing::chunks;

const LIMIT: usize = 32 << 20;

/// Reads pieces that are lines. Gives the pieces, whether the last one was refused, and how often one was parsed.
fn lines(body: &[u8], size: usize) -> (Vec<Vec<u8>>, bool, usize) {
    let (mut all, line) = (Chunks::new(LIMIT), Ending::line());
    let (mut found, mut calls) = (Vec::new(), 0);
    for chunk in chunks(body, size) {
        all.push(chunk);
        loop {
            let passed = all.one_pass(all.place(), Some(&line), |bytes| {
                calls += usize::from(!bytes.is_empty());
                let end = memchr::memchr(b'\n', bytes)?;
                Some((bytes[..end].to_vec(), end + 1))
            });
            match passed {
                OnePass::Read(line) => found.push(line),
                OnePass::More => break,
                OnePass::Refused(_) if all.is_read() => break,
                OnePass::Refused(_) => return (found, true, calls),
            }
        }
    }
    (found, false, calls)
}

#[test]
fn pieces_are_the_same_in_any_chunks_and_parsed_once() {
    let body = b"one\ntwo, which is longer\n\nfour}\nfive }} six\n".as_slice();
    let (whole, refused, _) = lines(body, body.len());
    assert_eq!((whole.len(), refused), (5, false));
    for size in 5..body.len() {
        let (found, refused, calls) = lines(body, size);
        // A piece that might end with its chunk is left to others, which know.
        if !refused {
            assert_eq!(found, whole, "chunks of {size}");
        }
        assert!(found.iter().zip(&whole).all(|(found, whole)| found == whole));
        assert!(calls <= whole.len(), "{calls} with chunks of {size}");
    }
}

#[test]
fn what_was_gathered_too_much_is_read_again() {
    let (mut all, line) = (Chunks::new(LIMIT), Ending::line());
    // Three pieces before the first line break, of which the second began in an earlier chunk.
    let parse = |bytes: &[u8]| bytes.get(..2).map(|piece| (piece.to_vec(), 2));
    all.push(Bytes::from_static(b"aab"));
    assert_eq!(all.one_pass(0, Some(&line), parse), OnePass::More);
    all.push(Bytes::from_static(b"bcc\nddee"));
    for piece in [b"aa", b"bb", b"cc"] {
        assert_eq!(all.one_pass(all.place(), Some(&line), parse), OnePass::Read(piece.to_vec()));
    }
    assert_eq!(all.unread(), b"ddee");
    assert!(all.line_begins());
}

#[test]
fn only_what_is_missing_is_copied_from_a_large_chunk() {
    let (mut all, line) = (Chunks::new(LIMIT), Ending::line());
    let parse = |bytes: &[u8]| memchr::memchr(b'\n', bytes).map(|end| (bytes.as_ptr() as usize, end + 1));
    all.push(Bytes::from_static(b"fir"));
    assert_eq!(all.one_pass(0, Some(&line), parse), OnePass::More);
    let chunk = Bytes::from_static(b"st\nsecond\n");
    let place = chunk.as_ptr() as usize;
    all.push(chunk);
    assert!(matches!(all.one_pass(all.place(), Some(&line), parse), OnePass::Read(_)));
    assert_eq!(all.one_pass(all.place(), Some(&line), parse), OnePass::Read(place + 3));
}

/// How many bytes were searched and parsed for a piece of this length.
fn cost(ending: &Ending, filling: &[u8], length: usize, size: usize) -> usize {
    let (mut all, mut parsed) = (Chunks::new(LIMIT), 0);
    ending.searched.store(0, Ordering::Relaxed);
    for chunk in chunks([filling.repeat(length / filling.len()).as_slice(), b"\n"].concat(), size) {
        all.push(chunk);
        let passed = all.one_pass(all.place(), Some(ending), |bytes| {
            parsed += bytes.len();
            bytes.ends_with(b"\n").then_some(((), bytes.len()))
        });
        if passed != OnePass::More {
            break;
        }
    }
    parsed + ending.searched.load(Ordering::Relaxed)
}

#[test]
fn tiny_chunks_cost_in_proportion_to_their_bytes() {
    // Text, what might be the end of a piece anywhere, space, and what looks like the mark.
    for filling in [b"x".as_slice(), b"}", b" ", b"x}", br#",{"metadata":["#] {
        for ending in [Ending::line(), Ending::next_item(br#"{"metadata":{"name":"a"}}"#).unwrap()] {
            for size in [1, 2, 7] {
                let costs = [1_000, 2_000, 200_000].map(|length| cost(&ending, filling, length, size));
                assert!(costs[0] <= 40 * 1_000, "{filling:?}, {size}: {costs:?}");
                assert!(costs[1] * 10 <= costs[0] * 21, "{filling:?}, {size}: {costs:?}");
                assert!(costs[2] <= costs[0] * 210, "{filling:?}, {size}: {costs:?}");
            }
        }
    }
}

#[test]
fn a_piece_that_is_refused_is_put_back_whole() {
    let body = b"a piece that nobody can read\n";
    for size in 1..body.len() {
        let (mut all, line) = (Chunks::new(LIMIT), Ending::line());
        let mut pushed = chunks(body, size).into_iter();
        let mut calls = 0;
        let at = loop {
            all.push(pushed.next().unwrap());
            let passed = all.one_pass(all.place(), Some(&line), |_| {
                calls += 1;
                None::<((), usize)>
            });
            match passed {
                OnePass::More => {}
                OnePass::Refused(at) => break at,
                OnePass::Read(()) => panic!("nothing was read"),
            }
        };
        assert_eq!((all.from(at), calls), (body.as_slice(), 1), "chunks of {size}");
    }
}

#[test]
fn nothing_is_gathered_beyond_the_limit() {
    let (mut all, line) = (Chunks::new(10), Ending::line());
    let refuse = |_: &[u8]| None::<((), usize)>;
    all.push(Bytes::from_static(b"123456"));
    assert_eq!(all.one_pass(0, Some(&line), refuse), OnePass::More);
    all.push(Bytes::from_static(b"78901"));
    assert_eq!(all.one_pass(0, Some(&line), refuse), OnePass::Refused(0));
    let (mut all, mut pushed) = (Chunks::new(LIMIT), 0);
    loop {
        all.push(Bytes::from(vec![b'x'; 1000]));
        pushed += 1000;
        match all.one_pass(all.place(), Some(&line), refuse) {
            OnePass::More => assert!(pushed <= KEEP, "{pushed}"),
            OnePass::Refused(_) => break,
            OnePass::Read(()) => panic!("nothing was read"),
        }
    }
}
