//! What is around objects: lists and events, as JSON and as protobuf.

use bench_data::{Format, Kind};

/// Which form a client gets.
pub(crate) fn negotiate(kind: Kind, accept: &str) -> Format {
    if accept.contains("as=PartialObjectMetadata") {
        Format::Metadata
    } else if kind.has_protobuf() && accept.contains("application/vnd.kubernetes.protobuf") {
        Format::Protobuf
    } else {
        Format::Json
    }
}

/// `"kind":…,"apiVersion":…,` of an object, for where it stands alone.
pub(crate) fn type_members(kind: Kind, format: Format) -> String {
    let (kind, api_version) = match format {
        Format::Metadata => ("PartialObjectMetadata", "meta.k8s.io/v1"),
        _ => (kind.name(), kind.api_version()),
    };
    format!(r#""kind":"{kind}","apiVersion":"{api_version}","#)
}

/// The bookmark at the end of a streaming list.
pub(crate) fn end_of_initial_events(kind: Kind, format: Format, resource_version: u64, out: &mut Vec<u8>) {
    if format == Format::Protobuf {
        let mut annotation = Vec::new();
        field(&mut annotation, 1, b"k8s.io/initial-events-end");
        field(&mut annotation, 2, b"true");
        let mut metadata = Vec::new();
        field(&mut metadata, 6, resource_version.to_string().as_bytes());
        field(&mut metadata, 12, &annotation);
        let mut object = Vec::new();
        field(&mut object, 1, &metadata);
        event(out, "BOOKMARK", kind.api_version(), kind.name(), object.len(), |out| {
            out.extend_from_slice(&object);
        });
        return;
    }
    let text = format!(
        r#"{{"type":"BOOKMARK","object":{{{}"metadata":{{"resourceVersion":"{resource_version}","annotations":{{"k8s.io/initial-events-end":"true"}}}}{}}}}}"#,
        type_members(kind, format),
        if kind == Kind::Pods && format == Format::Json {
            r#","spec":{"containers":null},"status":{}"#
        } else {
            ""
        },
    );
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// The event that ends a watch whose history is gone.
pub(crate) fn expired(format: Format, out: &mut Vec<u8>) {
    let message = "too old resource version: 1 (2)";
    if format == Format::Protobuf {
        let mut status = Vec::new();
        field(&mut status, 1, &[]);
        field(&mut status, 2, b"Failure");
        field(&mut status, 3, message.as_bytes());
        field(&mut status, 4, b"Expired");
        varint(&mut status, 6 << 3);
        varint(&mut status, 410);
        event(out, "ERROR", "v1", "Status", status.len(), |out| out.extend_from_slice(&status));
        return;
    }
    let text = format!(
        r#"{{"type":"ERROR","object":{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{message}","reason":"Expired","code":410}}}}"#
    );
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// A frame of a protobuf watch: its length, then the event, in which the object has an envelope of its own.
pub(crate) fn event(
    out: &mut Vec<u8>,
    event_type: &str,
    api_version: &str,
    kind: &str,
    length: usize,
    object: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    field(out, 1, event_type.as_bytes());
    let mut head = Vec::with_capacity(64);
    unknown_head(&mut head, api_version, kind, length);
    let raw = head.len() + length + UNKNOWN_TAIL.len();
    varint(out, (2 << 3) | 2);
    varint(out, (1 + varint_length(raw) + raw) as u64);
    varint(out, (1 << 3) | 2);
    varint(out, raw as u64);
    out.extend_from_slice(&head);
    object(out);
    out.extend_from_slice(UNKNOWN_TAIL);
    let frame = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&frame.to_be_bytes());
}

/// What follows the object in `runtime.Unknown`: two empty fields.
pub(crate) const UNKNOWN_TAIL: &[u8] = &[0x1a, 0, 0x22, 0];

/// What precedes an object of so many bytes in `runtime.Unknown`.
pub(crate) fn unknown_head(out: &mut Vec<u8>, api_version: &str, kind: &str, length: usize) {
    out.extend_from_slice(b"k8s\0");
    let mut type_meta = Vec::with_capacity(40);
    field(&mut type_meta, 1, api_version.as_bytes());
    field(&mut type_meta, 2, kind.as_bytes());
    field(out, 1, &type_meta);
    varint(out, (2 << 3) | 2);
    varint(out, length as u64);
}

pub(crate) fn field(out: &mut Vec<u8>, number: u64, value: &[u8]) {
    varint(out, (number << 3) | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn varint_length(value: usize) -> usize {
    (usize::BITS - value.max(1).leading_zeros()).div_ceil(7) as usize
}

#[cfg(test)]
mod tests;
