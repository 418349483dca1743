//! The `continue` tokens of lists: JSON with a position and a version, in base64url.

use serde::{Deserialize, Serialize};

use crate::go;
use crate::status::ApiError;

/// The position and version at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ContinueToken {
    #[serde(default)]
    v: String,
    /// Negative for the latest version.
    #[serde(default)]
    rv: i64,
    /// The first key of the next page, without the namespace if the list is of one namespace.
    #[serde(default)]
    start: String,
}

const FORMAT: &str = "meta.k8s.io/v1";
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl ContinueToken {
    /// A token that continues after this key.
    pub(super) fn after(key: &str, version: u64) -> Self {
        let rv = i64::try_from(version).unwrap_or(i64::MAX);
        Self { v: FORMAT.to_owned(), rv, start: format!("{key}\0") }
    }

    /// The same position at the latest version.
    pub(super) fn at_latest(&self) -> Self {
        Self { rv: -1, ..self.clone() }
    }

    /// `None` for the latest version.
    pub(super) fn version(&self) -> Option<u64> {
        u64::try_from(self.rv).ok()
    }

    pub(super) fn start(&self) -> &str {
        self.start.trim_start_matches('/')
    }

    pub(super) fn encode(&self) -> String {
        encode(&serde_json::to_vec(self).unwrap_or_default())
    }

    pub(super) fn decode(token: &str) -> Result<Self, ApiError> {
        Self::read(token).map_err(|why| {
            ApiError::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        })
    }

    fn read(token: &str) -> Result<Self, String> {
        let json = decode(token).map_err(|at| format!("illegal base64 data at input byte {at}"))?;
        let token: Self = serde_json::from_slice(&json).map_err(|error| go::json_problem(&json, &error))?;
        if token.v != FORMAT {
            return Err(format!("server does not recognize this encoded version {}", token.v));
        }
        if token.rv == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {FORMAT})"));
        }
        if token.start.is_empty() {
            return Err(format!("encoded start key empty (version {FORMAT})"));
        }
        if token.start.split('/').any(|part| part == "." || part == "..") {
            return Err(token.start);
        }
        Ok(token)
    }
}

/// base64url without padding.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(bits >> (18 - 6 * at)) as usize & 63]));
        }
    }
    text
}

/// Decodes base64url; the error is the position of the first wrong character.
fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::new();
    let mut bits = 0u32;
    let mut count = 0;
    for (at, character) in text.bytes().enumerate() {
        let value = ALPHABET.iter().position(|other| *other == character).ok_or(at)?;
        bits = bits << 6 | u32::try_from(value).unwrap_or_default();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.extend((bits >> count).to_le_bytes().first());
        }
    }
    match count {
        // A single character at the end has too few bits for a byte.
        6 => Err(text.len()),
        _ => Ok(bytes),
    }
}
