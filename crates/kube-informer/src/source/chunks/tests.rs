use std::sync::atomic::Ordering;

use super::*;
use crate::source::testing::chunks;

const LIMIT: usize = 32 << 20;

/// What a parser was given, and how often.
#[derive(Debug, Default, PartialEq, Eq)]
struct Work {
    parsed: usize,
    calls: usize,
}

/// Reads pieces that are lines, or refuses them all. Gives the pieces, whether the last one was refused, and the work.
fn lines(body: &[u8], size: usize, refuse: bool) -> (Vec<Vec<u8>>, bool, Work, usize) {
    let (mut all, line, mut work) = (Chunks::new(LIMIT), Ending::line(), Work::default());
    let mut found = Vec::new();
    for chunk in chunks(body, size) {
        all.push(chunk);
        loop {
            let passed = all.one_pass(all.place(), Some(&line), |bytes| {
                work.parsed += bytes.len();
                work.calls += 1;
                let end = bytes.iter().position(|byte| *byte == b'\n').filter(|_| !refuse)?;
                Some((bytes[..end].to_vec(), end + 1))
            });
            match passed {
                OnePass::Read(line) => found.push(line),
                OnePass::More => break,
                OnePass::Refused(_) if all.is_read() => break,
                OnePass::Refused(_) => return (found, true, work, line.searched.load(Ordering::Relaxed)),
            }
        }
    }
    (found, false, work, line.searched.load(Ordering::Relaxed))
}

#[test]
fn pieces_are_the_same_in_any_chunks_and_parsed_once() {
    let body = b"one\ntwo, which is longer\n\nfour}\nfive }} six\n".as_slice();
    let (whole, refused, ..) = lines(body, body.len(), false);
    assert_eq!((whole.len(), refused), (5, false));
    for size in 5..body.len() {
        let (found, refused, work, _) = lines(body, size, false);
        // A piece that might end with its chunk is left to others, which know.
        if !refused {
            assert_eq!(found, whole, "chunks of {size}");
        }
        assert!(found.iter().zip(&whole).all(|(found, whole)| found == whole));
        assert!(work.calls <= 2 * whole.len(), "{work:?} with chunks of {size}");
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

#[test]
fn tiny_chunks_cost_in_proportion_to_their_bytes() {
    // Text, what might be the end of a piece anywhere, and space: the second is refused at once, the others gathered.
    for filling in [b"x".as_slice(), b"}", b" ", b"x}"] {
        for size in [1, 2, 7] {
            let cost = |length: usize| {
                let body = [filling.repeat(length / filling.len()).as_slice(), b"\n"].concat();
                let (_, _, work, searched) = lines(&body, size, false);
                work.parsed + searched
            };
            for length in [2_000, 100_000] {
                assert!(cost(length) <= 3 * length, "{filling:?}, {size}: {} of {length}", cost(length));
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
