//! What goes wrong with one request.

use std::io;

use bytes::Bytes;
use futures::stream::once;
use http::{Response, Uri, header};
use http_body_util::BodyExt as _;
use tokio::time::sleep;

use super::armed::{Planned, Strikes};
use super::effect::{Effect, LineEffect};
use super::{answers, items, stream};
use crate::api::Api;
use crate::body::{Body, streamed};
use crate::journal::RecordedRequest;
use crate::request::Verb;
use crate::status::ApiError;

/// The faults that strike at one request, in order.
#[derive(Debug)]
pub(crate) struct Plan {
    planned: Vec<Planned>,
}

/// How it goes on after what happens before the API is asked.
#[derive(Debug)]
pub(crate) enum Before {
    Ask,
    Answer(Box<ApiError>),
    Break(io::Error),
}

impl Plan {
    pub(super) fn new(planned: Vec<Planned>) -> Self {
        Self { planned }
    }

    /// Does what is to be done before the API is asked.
    pub(crate) async fn before(&self, request: &RecordedRequest, uri: &mut Uri, api: &Api) -> Before {
        for (effect, strikes) in &self.planned {
            if effect.is_for_the_answer() {
                continue;
            }
            if let Effect::Rewind(version) = effect
                && let Err(gone) = api.rewind(*version)
            {
                tracing::warn!(version, oldest = gone.oldest, "that version is forgotten: not rewound");
                continue;
            }
            strikes.count();
            match effect {
                Effect::Answer(error) => return Before::Answer(error.clone()),
                Effect::Forbid => return Before::Answer(Box::new(answers::forbidden(request))),
                Effect::ExpireContinue => {
                    let token = request.parameter("continue").unwrap_or_default();
                    return Before::Answer(Box::new(answers::expired_continue(&token)));
                }
                Effect::Refuse => {
                    let why = "the connection was refused";
                    return Before::Break(io::Error::new(io::ErrorKind::ConnectionRefused, why));
                }
                Effect::Stall => strikes.until_removed().await,
                Effect::Delay(by) => sleep(*by).await,
                Effect::IgnoreSendInitialEvents => {
                    *uri = without(uri, &["sendInitialEvents", "resourceVersionMatch"]);
                }
                _ => {}
            }
        }
        Before::Ask
    }

    /// Does what is to be done to the answer.
    pub(crate) fn after(self, verb: Option<Verb>, mut answer: Response<Body>) -> Response<Body> {
        let watch = verb == Some(Verb::Watch);
        for (effect, strikes) in self.planned {
            if !answer.status().is_success() && !matches!(effect, Effect::CutAfterBytes(_)) {
                continue;
            }
            let changed: Box<dyn FnOnce(Body) -> Body> = match effect {
                Effect::CutAfterBytes(bytes) => {
                    Box::new(move |body| stream::cut_after_bytes(body, bytes, strikes))
                }
                Effect::Lines(effect) => Box::new(move |body| stream::lines(body, effect, strikes)),
                Effect::Undecodable(n) if watch => {
                    Box::new(move |body| stream::nth_event(body, n, strikes, items::undecodable_event))
                }
                Effect::BadJson(n) if watch => {
                    Box::new(move |body| stream::nth_event(body, n, strikes, items::broken_event))
                }
                Effect::Undecodable(n) => {
                    Box::new(move |body| whole(body, strikes, move |text| items::undecodable(text, n)))
                }
                Effect::BadJson(_) => Box::new(move |body| {
                    whole(body, strikes, |text| Some(Bytes::copy_from_slice(&text[..text.len() / 2])))
                }),
                // What a server that does not know of initial events does not send either.
                Effect::IgnoreSendInitialEvents => Box::new(move |body| {
                    stream::lines(body, LineEffect::DropEndBookmark, Strikes::uncounted())
                }),
                _ => continue,
            };
            answer.headers_mut().remove(header::CONTENT_LENGTH);
            answer = answer.map(changed);
        }
        answer
    }
}

/// A body that is changed as a whole, once all of it is there.
fn whole(body: Body, strikes: Strikes, change: impl FnOnce(&[u8]) -> Option<Bytes> + Send + 'static) -> Body {
    streamed(once(async move {
        let text = body.collect().await?.to_bytes();
        let Some(changed) = change(&text) else { return Ok(text) };
        strikes.count();
        Ok(changed)
    }))
}

/// The same without these parameters.
fn without(uri: &Uri, names: &[&str]) -> Uri {
    let left_out = |pair: &&str| names.contains(&pair.split('=').next().unwrap_or_default());
    let query = uri.query().unwrap_or_default().split('&').filter(|pair| !left_out(pair));
    let path_and_query = format!("{}?{}", uri.path(), query.collect::<Vec<_>>().join("&"));
    // A part of a good address is a good address.
    path_and_query.parse().unwrap_or_else(|_| uri.clone())
}
