//! The effects of all faults on one request.

use std::io;

use bytes::Bytes;
use futures::stream::once;
use http::{Response, header};
use http_body_util::BodyExt as _;
use tokio::time::sleep;

use super::armed::{Planned, Strikes};
use super::effect::{Effect, LineEffect};
use super::{answers, items, stream};
use crate::api::Api;
use crate::body::{Body, streamed};
use crate::journal::RecordedRequest;
use crate::request::{Request, Verb};
use crate::status::ApiError;

/// The effects of the faults that apply to one request, in the order of their injection.
#[derive(Debug)]
pub(crate) struct Plan {
    planned: Vec<Planned>,
}

/// What happens to a request after the effects that come before the API.
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

    /// Performs the effects that come before the API.
    pub(crate) async fn before(
        &self,
        recorded: &RecordedRequest,
        request: &mut Request,
        api: &Api,
    ) -> Before {
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
                Effect::Forbid => return Before::Answer(Box::new(answers::forbidden(recorded))),
                Effect::ExpireContinue => {
                    let token = request.query.text("continue");
                    return Before::Answer(Box::new(answers::expired_continue(token)));
                }
                Effect::Refuse => {
                    let why = "the connection was refused";
                    return Before::Break(io::Error::new(io::ErrorKind::ConnectionRefused, why));
                }
                Effect::Stall => strikes.until_removed().await,
                Effect::Delay(by) => sleep(*by).await,
                Effect::IgnoreSendInitialEvents => {
                    request.query.remove(&["sendInitialEvents", "resourceVersionMatch"]);
                }
                _ => {}
            }
        }
        Before::Ask
    }

    /// Performs the effects on the answer.
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
                // A server that does not know `sendInitialEvents` does not send the bookmark that ends them either.
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

/// Changes a body as a whole, once all of it has been read.
fn whole(body: Body, strikes: Strikes, change: impl FnOnce(&[u8]) -> Option<Bytes> + Send + 'static) -> Body {
    streamed(once(async move {
        let text = body.collect().await?.to_bytes();
        let Some(changed) = change(&text) else { return Ok(text) };
        strikes.count();
        Ok(changed)
    }))
}
