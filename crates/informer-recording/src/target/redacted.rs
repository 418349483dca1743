//! A target as it may be written down. Proxied services take tokens in paths and in parameters of any name.

use super::{Resource, decoded, decoded_path};
use crate::redact::{is_secret_name, masked, without_credentials};

/// Parameters of the API itself. What they say is not secret, may look so, and without it nothing could be replayed.
const OF_THE_API: [&str; 4] = ["continue", "fieldSelector", "labelSelector", "resourceVersion"];

/// The target without the values of parameters with the names of secrets, and without what looks like a token. Of what was
/// taken out of it nothing is taken out again, so recorded and asked targets can be compared.
pub(crate) fn without_secrets(target: &str) -> String {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let resource = Resource::of(path);
    let shown = path_without_secrets(path, resource.as_ref());
    let Some(query) = query else { return shown };
    let is_of_the_api = resource.is_some_and(|resource| resource.part.is_none());
    let parameters = query.split('&').map(|parameter| parameter_without_secrets(parameter, is_of_the_api));
    format!("{shown}?{}", parameters.collect::<Vec<_>>().join("&"))
}

fn path_without_secrets(path: &str, resource: Option<&Resource>) -> String {
    let whole = decoded_path(path);
    // What stands here may be named like a bootstrap token, as events are: `web.17a2b3c4d5e6f708`.
    let mut names = resource.map_or(0, |resource| resource.named);
    let mut is_masked = false;
    let segments = whole.split('/').map(|segment| {
        let is_name = names > 0 && segment.bytes().all(is_of_name);
        names = names.saturating_sub(usize::from(!segment.is_empty()));
        let shown = without_credentials(segment).filter(|_| !is_name);
        is_masked |= shown.is_some();
        encoded(shown.as_deref().unwrap_or(segment))
    });
    let shown = segments.collect::<Vec<_>>().join("/");
    if is_masked { shown } else { path.to_owned() }
}

/// Names of objects have no capital letters, and web tokens have some.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}

fn parameter_without_secrets(parameter: &str, is_of_the_api: bool) -> String {
    let (name, value) =
        parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
    let meant = decoded(name);
    if is_of_the_api && OF_THE_API.contains(&&*meant) {
        return parameter.to_owned();
    }
    let shown = without_credentials(&meant).map_or_else(|| name.to_owned(), |name| encoded(&name));
    let Some(value) = value else { return shown };
    let plain = decoded(value);
    let hidden = if is_secret_name(&meant) { Some(masked(plain.len())) } else { without_credentials(&plain) };
    format!("{shown}={}", hidden.map_or_else(|| value.to_owned(), |value| encoded(&value)))
}

/// Percent-encodes all but what means nothing anywhere in a target.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
