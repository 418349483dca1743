//! Any text, cut anywhere: nothing panics, and no secret that is there is shown.

use super::*;
use crate::redact::{About, redact};
use crate::split::{Form, Piece, Splitter};
use crate::target::without_secrets;

/// The same texts in every run.
const SEED: u64 = 27;
const ROUNDS: usize = 5_000;

/// What texts are made of where something can go wrong.
const PIECES: [&str; 44] = [
    ".",
    "..",
    "/",
    ":",
    "=",
    ":=",
    "://",
    "@",
    "-",
    "--",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&",
    "|",
    ">",
    "#",
    "abcdef",
    "0123456789abcdef",
    "password",
    "token",
    "DB_PASS",
    "Bearer ",
    "basic ",
    "eyJ",
    "ghp_",
    "AKIA",
    "xoxb-",
    "sk-",
    "schlüssel",
    "鍵",
    "\u{1F511}",
    "PRIVATE KEY-----",
];

fn any(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for _ in 0..random.usize(..24) {
        match random.u8(..4) {
            0 => text.push(random.char(..)),
            1 => text.extend(std::iter::repeat_n(random.alphanumeric(), random.usize(..20))),
            _ => text.push_str(PIECES[random.usize(..PIECES.len())]),
        }
    }
    text
}

#[test]
fn no_text_makes_it_panic() {
    let mut random = fastrand::Rng::with_seed(SEED);
    for _ in 0..ROUNDS {
        let text = any(&mut random);
        for role in [TextRole::Anywhere, TextRole::Name] {
            without(&text, role);
        }
        without_secrets(&text);
    }
}

#[test]
fn a_secret_is_found_whatever_stands_around_it() {
    let mut random = fastrand::Rng::with_seed(SEED);
    for _ in 0..ROUNDS {
        let (before, after) = (any(&mut random), any(&mut random));
        for secret in [
            "password: hunter22 ",
            "\"token\": \"hunter22\"",
            "https://me:hunter22@host/",
            "DB_PASS=hunter22\n",
        ] {
            let text = format!("{before}\n{secret}{after}");
            assert!(!shown(&text).contains("hunter22"), "{text:?}\n{:?}", shown(&text));
        }
    }
}

#[test]
fn documents_of_any_text_stay_documents_however_they_are_cut() {
    let mut random = fastrand::Rng::with_seed(SEED);
    for _ in 0..ROUNDS / 10 {
        let object = serde_json::json!({ "kind": any(&mut random), "metadata": { "name": any(&mut random) },
            any(&mut random): [any(&mut random), any(&mut random)], "token": any(&mut random) });
        let document = object.to_string();
        let about = About { sensitive: random.bool(), is_write: random.bool() };
        let shown = redact(document.as_bytes(), about).expect("it is JSON");
        serde_json::from_slice::<serde_json::Value>(&shown).expect("it is still JSON");
        // Whole, and up to anywhere, in chunks that end anywhere.
        let cut = random.usize(..=document.len());
        for bytes in [document.as_bytes(), &document.as_bytes()[..cut]] {
            assert!(redact(bytes, about).is_some() == (bytes.len() == document.len()));
            for form in [Form::Events, Form::List, Form::Document] {
                let mut splitter = Splitter::new(form, about);
                let mut rest = bytes;
                let mut pieces = Vec::new();
                while !rest.is_empty() {
                    let (chunk, others) = rest.split_at(random.usize(1..=rest.len()));
                    pieces.extend(splitter.take(chunk));
                    rest = others;
                }
                pieces.extend(splitter.end(bytes.len() == document.len()));
                let is_text = |piece: &Piece| match piece {
                    Piece::Shown(bytes) => std::str::from_utf8(bytes).is_ok(),
                    Piece::Hidden(_) => true,
                };
                assert!(pieces.iter().all(is_text), "{document}");
            }
        }
    }
}
