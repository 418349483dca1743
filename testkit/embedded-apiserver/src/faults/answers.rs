//! The errors that faults answer with, with the messages of the real server.

use crate::journal::RecordedRequest;
use crate::read::token_at_latest;
use crate::status::{ApiError, Details};

pub(super) const TOO_OLD_TO_WATCH: &str = "The resourceVersion for the provided watch is too old.";
const TOO_OLD_TO_LIST: &str = "The resourceVersion for the provided list is too old.";
const TOO_OLD_TO_CONTINUE: &str = "The provided continue parameter is too old to display a consistent list result. \
    You can start a new list without the continue parameter, or use the continue token in this response to retrieve \
    the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that \
    were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// An error with this code and a message that the real server sends with it.
pub(super) fn status(code: u16) -> ApiError {
    let (reason, message) = match code {
        400 => ("BadRequest", "the server rejected our request for an unknown reason"),
        401 => return ApiError::unauthorized(),
        404 => return ApiError::no_such_resource(),
        405 => return ApiError::method_not_allowed(),
        409 => ("Conflict", "the server reported a conflict"),
        410 => return ApiError::expired(TOO_OLD_TO_LIST),
        413 => return ApiError::entity_too_large(),
        422 => return ApiError::rejected(),
        429 => return ApiError::too_many_requests("storage is (re)initializing", 0),
        500 => ("InternalError", "Internal error occurred: etcdserver: request timed out"),
        503 => ("ServiceUnavailable", "the server is currently unable to handle the request"),
        504 => ("Timeout", "Timeout: request did not complete within the allotted timeout"),
        code => {
            let message = format!(
                "the server responded with the status code {code} but did not return more information"
            );
            return ApiError::new(code, "", message);
        }
    };
    ApiError::new(code, reason, message)
}

/// The 403 for a request: which user may not use which verb on which resource.
pub(super) fn forbidden(request: &RecordedRequest) -> ApiError {
    let plural = request.plural();
    let group = request.group();
    let user = &request.user;
    let Some(verb) = request.verb else {
        let method = request.method.as_str().to_lowercase();
        let path = &request.path;
        let message = format!("forbidden: User \"{user}\" cannot {method} path \"{path}\"");
        return ApiError::new(403, "Forbidden", message).with_details(Details::default());
    };
    let asked_for = match &*request.subresource {
        "" => plural.to_owned(),
        subresource => format!("{plural}/{subresource}"),
    };
    let place = match &*request.namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace \"{namespace}\""),
    };
    let about = match &*request.name {
        "" => request.resource.clone(),
        name => format!("{} \"{name}\"", request.resource),
    };
    let message = format!(
        "{about} is forbidden: User \"{user}\" cannot {verb} resource \"{asked_for}\" in API group \"{group}\" {place}"
    );
    let details = Details {
        name: request.name.clone(),
        group: group.to_owned(),
        kind: plural.to_owned(),
        ..Details::default()
    };
    ApiError::new(403, "Forbidden", message).with_details(details)
}

/// The error for a page whose version has expired, with a token to continue at the latest version.
pub(super) fn expired_continue(token: &str) -> ApiError {
    let error = ApiError::expired(TOO_OLD_TO_CONTINUE);
    match token_at_latest(token) {
        Some(token) => error.with_continue(token),
        None => error,
    }
}
