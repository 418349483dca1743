//! `/openapi/v3`: the documents of the built-in groups as the real server has them, and those of custom groups.

mod custom;
mod pack;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::body::{Body, full};
use crate::kinds::Registry;
use crate::request::{Accept, Request};
use pack::{Document, Documents};

pub(crate) use custom::object_schema;
pub(crate) use pack::{Packed, schemas, unpack};

/// The answer to `/openapi/v3` if `path` is empty, or to `/openapi/v3/<path>`.
pub(crate) fn answer(registry: &Registry, path: &str, request: &Request) -> Response<Body> {
    if path.is_empty() {
        return index(registry);
    }
    if Accept::takes_json(&request.headers).is_err() {
        return empty(StatusCode::NOT_ACCEPTABLE);
    }
    let builtin = Documents::unpack();
    let found = match builtin.find(path) {
        Some((document, hash)) => Some((text(&document), hash)),
        None => custom::document(registry, path).map(|document| {
            let hash = pack::hash(&document);
            (document, hash)
        }),
    };
    let Some((document, hash)) = found else { return empty(StatusCode::NOT_FOUND) };
    let mut response = Response::new(full(document));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    insert(headers, header::ETAG, &format!("\"{hash}\""));
    if request.query.first("hash").is_some() {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
    }
    response
}

/// Where each document is. The hash in an address lets clients keep a document until it changes.
fn index(registry: &Registry) -> Response<Body> {
    let builtin = Documents::unpack();
    let mut hashes: BTreeMap<String, String> =
        builtin.hashes().map(|(path, hash)| (path.to_owned(), hash)).collect();
    for path in custom::paths(registry) {
        if let Some(document) = custom::document(registry, &path) {
            hashes.insert(path, pack::hash(&document));
        }
    }
    let paths = hashes.into_iter().map(|(path, hash)| {
        let address = format!("/openapi/v3/{path}?hash={hash}");
        (path, json!({ "serverRelativeURL": address }))
    });
    let index = json!({ "paths": paths.collect::<serde_json::Map<String, Value>>() });
    let mut response = Response::new(full(index.to_string()));
    // Sic: the real server does not say that this is JSON.
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, plain);
    response
}

/// A document as text, put together from its parts.
fn text(document: &Document<'_>) -> String {
    let shared = schemas().filter(|schema| document.schemas.binary_search(&schema.name).is_ok());
    let shared = shared.map(|schema| (schema.name, schema.json));
    let all: BTreeMap<&str, &str> =
        shared.chain(document.own.iter().map(|(name, schema)| (*name, schema.get()))).collect();
    let mut text =
        String::from(r#"{"openapi":"3.0.0","info":{"title":"Kubernetes","version":"1.36"},"paths":"#);
    text.push_str(document.paths.get());
    text.push_str(r#","components":{"schemas":{"#);
    for (number, (name, schema)) in all.into_iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}\"{name}\":{schema}");
    }
    text.push_str(r#"},"securitySchemes":{"BearerToken":{"type":"apiKey","#);
    text.push_str(r#""description":"Bearer Token authentication","name":"authorization","in":"header"}}}}"#);
    text
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(full(String::new()));
    *response.status_mut() = status;
    response
}

fn insert(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests;
