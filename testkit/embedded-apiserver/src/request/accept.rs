//! The `Accept` header: the form of the answer that the client wants.

use http::{HeaderMap, header};

use super::Verb;
use crate::status::{ApiError, Details};

/// Negotiates the form of an answer.
#[derive(Debug)]
pub(crate) struct Accept;

/// How much of an object an answer has. It is JSON in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The objects themselves.
    Whole,
    /// Only their metadata: `PartialObjectMetadata`, and `PartialObjectMetadataList` for a list.
    Metadata,
}

/// One of the alternatives in `Accept`.
struct Clause<'a> {
    media_type: &'a str,
    /// What the object is to be converted to: kind, group and version.
    conversion: Option<(&'a str, &'a str, &'a str)>,
    quality: f32,
}

/// What can be done for a clause.
enum Outcome {
    Form(Form),
    /// The clause is about one object but the answer is a list, or the other way round.
    WrongNumber(&'static str),
    /// A type that the real server knows, but that this one cannot produce, or not with this conversion.
    NotThis,
    /// A type that the real server does not know either.
    Unknown,
}

impl Accept {
    /// Chooses the form of the answer; 406 if no clause can be satisfied.
    pub(crate) fn negotiate(headers: &HeaderMap, verb: Verb) -> Result<Form, ApiError> {
        let values: Vec<&str> =
            headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let header = values.join(",");
        if header.trim().is_empty() {
            return Ok(Form::Whole);
        }
        let mut clauses: Vec<Clause<'_>> = header.split(',').filter_map(Clause::parse).collect();
        clauses.sort_by(|one, other| other.quality.total_cmp(&one.quality));
        let mut is_known = false;
        for clause in &clauses {
            match clause.outcome(verb) {
                Outcome::Form(form) => return Ok(form),
                Outcome::WrongNumber(why) => return Err(ApiError::not_acceptable(why)),
                Outcome::NotThis => is_known = true,
                Outcome::Unknown => {}
            }
        }
        Err(if is_known {
            let stream = if verb == Verb::Watch { ";stream=watch" } else { "" };
            ApiError::not_acceptable(format!(
                "only the following media types are accepted: application/json{stream}"
            ))
        } else {
            Self::unknown()
        })
    }

    /// Checks that the client accepts plain JSON, for answers that have no other form, such as discovery.
    pub(crate) fn takes_json(headers: &HeaderMap) -> Result<(), ApiError> {
        Self::negotiate(headers, Verb::Get).map(drop)
    }

    fn unknown() -> ApiError {
        let message = "406: Not Acceptable\n\nAvailable representations: application/json";
        ApiError::not_acceptable(message).with_details(Details::default())
    }
}

impl<'a> Clause<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = parts.next().filter(|media_type| !media_type.is_empty())?;
        let mut kind = "";
        let mut group = "";
        let mut version = "";
        let mut quality = 1.0;
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name.trim() {
                "as" => kind = value,
                "g" => group = value,
                "v" => version = value,
                "q" => quality = value.parse().unwrap_or(0.0),
                _ => {}
            }
        }
        let conversion = (!kind.is_empty()).then_some((kind, group, version));
        Some(Self { media_type, conversion, quality })
    }

    fn outcome(&self, verb: Verb) -> Outcome {
        match self.media_type {
            "*/*" | "application/json" => {}
            "application/yaml" | "application/vnd.kubernetes.protobuf" => return Outcome::NotThis,
            _ => return Outcome::Unknown,
        }
        let is_list = matches!(verb, Verb::List | Verb::DeleteCollection);
        match self.conversion {
            None => Outcome::Form(Form::Whole),
            Some(("PartialObjectMetadata", "meta.k8s.io", "v1")) if is_list => Outcome::WrongNumber(
                "you requested PartialObjectMetadata, but the requested object is a list",
            ),
            Some(("PartialObjectMetadataList", "meta.k8s.io", "v1")) if !is_list && verb != Verb::Watch => {
                Outcome::WrongNumber(
                    "you requested PartialObjectMetadataList, but the requested object is not a list",
                )
            }
            Some(("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1")) => {
                Outcome::Form(Form::Metadata)
            }
            Some(_) => Outcome::NotThis,
        }
    }
}

#[cfg(test)]
mod tests;
