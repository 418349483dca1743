//! The text of a list, piece by piece.

use std::vec;

use bytes::Bytes;
use futures::stream;
use serde_json::json;
use tokio::task::coop::consume_budget;

use super::Envelope;
use crate::body::{Body, full, streamed};
use crate::kinds::Resource;
use crate::request::Form;
use crate::storage::Stored;

/// About how long a piece is.
const PIECE: usize = 64 << 10;

/// The text of a list, piece by piece: it is never in memory whole.
#[derive(Debug)]
pub(crate) struct ListText {
    items: vec::IntoIter<Stored>,
    envelope: Envelope,
    head: Vec<u8>,
    tail: Vec<u8>,
    begun: bool,
    ended: bool,
}

/// What a list says about itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListMetadata {
    pub(crate) version: u64,
    /// Empty if there is nothing to go on with.
    pub(crate) token: String,
    pub(crate) remaining: Option<usize>,
}

impl ListText {
    pub(crate) fn new(resource: &Resource, form: Form, metadata: &ListMetadata, items: Vec<Stored>) -> Self {
        let version = metadata.version;
        let remaining = metadata.remaining.map(|count| format!(r#","remainingItemCount":{count}"#));
        let remaining = remaining.unwrap_or_default();
        let token = json!(metadata.token);
        let (head, tail) = if form == Form::Whole && resource.custom {
            // In the order of the alphabet, and with the token even if there is none.
            let (kind, api_version) = (&resource.list_kind, resource.api_version());
            let head = format!(r#"{{"apiVersion":"{api_version}","items":["#);
            let metadata = format!(r#"{{"continue":{token}{remaining},"resourceVersion":"{version}"}}"#);
            (head, format!("],\"kind\":\"{kind}\",\"metadata\":{metadata}}}\n"))
        } else {
            let (kind, api_version) = match form {
                Form::Whole => (&*resource.list_kind, resource.api_version()),
                Form::Metadata => ("PartialObjectMetadataList", "meta.k8s.io/v1".to_owned()),
            };
            let token =
                if metadata.token.is_empty() { String::new() } else { format!(r#","continue":{token}"#) };
            let metadata = format!(r#"{{"resourceVersion":"{version}"{token}{remaining}}}"#);
            let kind = format!(r#""kind":"{kind}","apiVersion":"{api_version}""#);
            (format!(r#"{{{kind},"metadata":{metadata},"items":["#), "]}\n".to_owned())
        };
        Self {
            items: items.into_iter(),
            envelope: Envelope::of_items(resource, form),
            head: head.into_bytes(),
            tail: tail.into_bytes(),
            begun: false,
            ended: false,
        }
    }

    /// As a body: at once if it is short.
    pub(crate) fn into_body(mut self) -> Body {
        let first = self.next().unwrap_or_default();
        match self.ended {
            true => full(first),
            false => streamed(stream::unfold((Some(first), self), async |(first, mut rest)| {
                // Whoever takes it at once lets others go on meanwhile.
                consume_budget().await;
                let piece = first.or_else(|| rest.next())?;
                Some((Ok(piece), (None, rest)))
            })),
        }
    }
}

impl Iterator for ListText {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let mut piece = std::mem::take(&mut self.head);
        while piece.len() < PIECE {
            let Some(item) = self.items.next() else {
                piece.append(&mut self.tail);
                self.ended = true;
                break;
            };
            if std::mem::replace(&mut self.begun, true) {
                piece.push(b',');
            }
            self.envelope.write(&item, &mut piece);
        }
        Some(piece.into())
    }
}
