//! What is said of a failure to whoever can ask: nothing that may quote an object.
//!
//! The messages of decoders, transforms, index functions, handlers and panics may have values of objects in them
//! (`invalid type: string "…"`). The program's log and its error callback get them; the endpoint, which shows no contents, says what
//! failed, at which object, and where the text is.

use http::StatusCode;
use kube_informer::status::{Cause, Failure, InformerStatus};

/// Stands where a message may quote an object.
const WITHHELD: &str =
    "(not told here, since it may quote the object; the program's log and error callback have the text)";

/// How the text of a failed request begins whose source, which may be the program's own, has panicked.
const PANICKED: &str = "the source panicked: ";

/// The failure without what may quote objects.
pub(crate) fn shown_failure(failure: &Failure) -> Failure {
    let mut shown = failure.clone();
    shown.cause = shown_cause(shown.cause);
    shown
}

fn shown_cause(mut cause: Cause) -> Cause {
    match &mut cause {
        Cause::List { status, message } | Cause::Watch { status, message } => {
            *message = shown_message(*status, message);
        }
        Cause::WrongType { message } => *message = without_value(message),
        Cause::LeftOut { message, .. }
        | Cause::Undecodable { message, .. }
        | Cause::Drop { message, .. }
        | Cause::Index { message, .. }
        | Cause::Handler { message, .. }
        | Cause::Broken { message } => WITHHELD.clone_into(message),
        // A cause of a later version of the library: nothing is known of its texts.
        _ => return Cause::Broken { message: WITHHELD.to_owned() },
    }
    cause
}

/// What is said of a wrong type, if that is what an informer has.
pub(crate) fn shown_wrong_type(informer: &InformerStatus) -> Option<String> {
    informer.wrong_type.as_deref().map(without_value)
}

/// The message begins with the key of an object that does not decode.
fn without_value(message: &str) -> String {
    let key = message.split_once(": ").map(|(key, _)| format!("{key}: "));
    format!("{}{WITHHELD}", key.unwrap_or_default())
}

/// What the server or the connection said. A server that refuses a request (4xx) has not looked at any object. One that fails
/// may have failed because of an object, such as one that it cannot convert, and say so with its values; so may one whose code is
/// none that there is, such as 0.
///
/// Without a status no server answered, and the text is the one of the source: an operator needs it to know what is wrong with the
/// connection. That of a program's own `ListWatch` is told too, and the documentation of this crate says that it must not quote objects.
fn shown_message(status: Option<u16>, message: &str) -> String {
    match status {
        Some(code) if !(400..500).contains(&code) => {
            let name = StatusCode::from_u16(code).ok().and_then(|status| status.canonical_reason());
            format!("{} {WITHHELD}", name.unwrap_or("an error"))
        }
        _ => match message.split_once(PANICKED) {
            Some((before, _)) => format!("{before}{PANICKED}{WITHHELD}"),
            None => message.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests;
