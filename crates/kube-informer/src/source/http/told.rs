//! The texts of errors without credentials. Some errors quote the input that could not be parsed, which may contain
//! credentials: for those the text names what failed and where, without the input.

use std::error::Error as StdError;

use kube_client::client::{AuthError, RustlsTlsError};
use kube_client::config::KubeconfigError;

/// An error with all that is known of its cause, without credentials.
pub(super) fn told(error: &(dyn StdError + 'static)) -> String {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(text) = without_credentials(cause) {
            return text;
        }
        next = cause.source();
    }
    let text = without_manual(error.to_string());
    let mut text = text.strip_prefix("ServiceError: ").unwrap_or(&text).to_owned();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = without_manual(cause.to_string());
        // Some errors print their cause themselves.
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = cause.source();
    }
    text
}

/// A text without the link into rustls' manual that some of its errors end with: that is for those who write programs with it.
fn without_manual(mut text: String) -> String {
    if let Some(link) = text.find(": https://docs.rs/rustls/") {
        text.truncate(link);
    }
    text
}

/// The same error for somebody who will print it, or a text in its place if it would quote credentials.
pub(super) fn silent(error: kube_client::Error) -> kube_client::Error {
    let mut next: Option<&(dyn StdError + 'static)> = Some(&error);
    while let Some(cause) = next {
        if without_credentials(cause).is_some() {
            return kube_client::Error::Service(told(&error).into());
        }
        next = cause.source();
    }
    error
}

/// The text for an error that would quote credentials.
fn without_credentials(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(KubeconfigError::Parse(error)) = error.downcast_ref() {
        let place = error.location().map(|at| place(at.line(), at.column())).unwrap_or_default();
        return Some(format!("it is not a kubeconfig in YAML{place}"));
    }
    if let Some(RustlsTlsError::InvalidIdentityPem(_)) = error.downcast_ref() {
        return Some("the client certificate or its key is not valid PEM".to_owned());
    }
    match error.downcast_ref()? {
        AuthError::AuthExecParse(error) => {
            let place = error.location().map(|at| place(at.line(), at.column())).unwrap_or_default();
            Some(format!("what the credential plugin printed is not an ExecCredential{place}"))
        }
        // The error's own text contains the command with its environment, which may hold credentials too.
        AuthError::AuthExecRun { out, .. } => Some(format!("the credential plugin failed: {}", out.status)),
        _ => None,
    }
}

fn place(line: u64, column: u64) -> String {
    if line == 0 { String::new() } else { format!(": line {line}, column {column}") }
}

#[cfg(all(test, unix))]
mod tests;
