//! Lists, whole and in pages.

use std::ops::Range;
use std::sync::atomic::Ordering;

use anyhow::Result;
use bench_data::Format;

use crate::answer::{Answer, Body};
use crate::envelope::{UNKNOWN_TAIL, field, type_members, unknown_head, varint, varint_length};
use crate::http::Request;
use crate::state::State;

pub(crate) fn answer(
    state: &State,
    request: &Request,
    answer: Answer<'_>,
    format: Format,
    all: Range<u64>,
) -> Result<()> {
    // One object is asked for by those who want to know how far the server is, as informers do whose watch is silent.
    if request.number("limit") != 1 {
        state.lists.fetch_add(1, Ordering::Relaxed);
    }
    let from: u64 = request.query("continue").and_then(|token| token.parse().ok()).unwrap_or(all.start);
    // As kube-apiserver: "any version" is answered from its cache, which does not page.
    let limit = match (request.number("limit"), request.query("resourceVersion")) {
        (0, _) | (_, Some("0")) => u64::MAX,
        (limit, _) => limit,
    };
    let page = from..all.end.min(from.saturating_add(limit));
    let next = (page.end < all.end).then(|| page.end.to_string());
    let version = state.world.version_of_world(state.events());
    if format == Format::Protobuf {
        protobuf(state, answer.ok("application/vnd.kubernetes.protobuf")?, page, next.as_deref(), version)
    } else {
        json(state, answer.ok("application/json")?, format, page, next.as_deref(), version)
    }
}

fn json(
    state: &State,
    mut body: Body<'_>,
    format: Format,
    page: Range<u64>,
    next: Option<&str>,
    version: u64,
) -> Result<()> {
    let kind = state.world.kind();
    let (list, api_version) = match format {
        Format::Metadata => ("PartialObjectMetadataList".to_owned(), "meta.k8s.io/v1"),
        _ => (format!("{}List", kind.name()), kind.api_version()),
    };
    let next = next.map(|token| format!(r#","continue":"{token}""#)).unwrap_or_default();
    let head = format!(
        r#"{{"kind":"{list}","apiVersion":"{api_version}","metadata":{{"resourceVersion":"{version}"{next}}},"items":["#
    );
    body.buffer().extend_from_slice(head.as_bytes());
    // Items of built-in kinds do not say what they are.
    let named = !kind.has_protobuf() || format == Format::Metadata;
    let types = if named { type_members(kind, format) } else { String::new() };
    for object in page.clone() {
        let out = body.buffer();
        out.extend_from_slice(if object == page.start { b"{" } else { b",{" });
        out.extend_from_slice(types.as_bytes());
        state.world.render(format, object, state.version(object), out);
        body.flush_if_full()?;
    }
    body.buffer().extend_from_slice(b"]}\n");
    body.end()
}

fn protobuf(
    state: &State,
    mut body: Body<'_>,
    page: Range<u64>,
    next: Option<&str>,
    version: u64,
) -> Result<()> {
    let (world, kind) = (&state.world, state.world.kind());
    let mut metadata = Vec::new();
    field(&mut metadata, 1, &[]);
    field(&mut metadata, 2, version.to_string().as_bytes());
    field(&mut metadata, 3, next.unwrap_or_default().as_bytes());
    let mut list = Vec::new();
    field(&mut list, 1, &metadata);
    let items: usize = page
        .clone()
        .map(|object| world.size(Format::Protobuf, object))
        .map(|size| 1 + varint_length(size) + size)
        .sum();
    unknown_head(body.buffer(), kind.api_version(), &format!("{}List", kind.name()), list.len() + items);
    body.buffer().extend_from_slice(&list);
    for object in page {
        let out = body.buffer();
        varint(out, (2 << 3) | 2);
        varint(out, world.size(Format::Protobuf, object) as u64);
        world.render(Format::Protobuf, object, state.version(object), out);
        body.flush_if_full()?;
    }
    body.buffer().extend_from_slice(UNKNOWN_TAIL);
    body.end()
}
