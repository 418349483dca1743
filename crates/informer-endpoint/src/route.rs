//! What is answered to a request that came over the network.

use std::net::IpAddr;
use std::sync::Arc;

use futures::FutureExt as _;
use http::header::{ACCEPT, RETRY_AFTER};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::Semaphore;

use crate::answer::{self, Body, Refusal};
use crate::endpoint::Endpoint;
use crate::stream::{self, Seat};
use crate::{browse, guard, page};

/// In which form somebody wants to see the informers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    Html,
    Events,
    Json,
}

impl AnswerForm {
    /// A browser that opens a page names HTML, the script of the page names events, and others get JSON.
    pub(crate) fn wanted(headers: &HeaderMap) -> Self {
        let accepted: Vec<_> =
            headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let accepts = |form: &str| accepted.iter().any(|value| value.contains(form));
        if accepts("text/html") {
            Self::Html
        } else if accepts("text/event-stream") {
            Self::Events
        } else {
            Self::Json
        }
    }
}

impl Endpoint {
    /// Answers a request that came to this address of ours.
    pub(crate) fn respond<B>(&self, request: &Request<B>, local: IpAddr) -> Response<Body> {
        let known = || self.hosts.check(request.headers(), local);
        let may = guard::check_method(request.method()).and_then(|()| guard::check_site(request.headers()));
        let mut answer = match may.map(|()| known()) {
            Ok(Ok(())) => self.route(request),
            Ok(Err(refused)) => {
                let probed = self.probe(request.uri().path());
                probed.unwrap_or_else(|| refused.answer()).map(Body::from)
            }
            Err(refused) => refused.answer().map(Body::from),
        };
        if request.method() == Method::HEAD && answer.body().is_to_come() {
            *answer.body_mut() = Body::Text(None);
        }
        guard::harden(&mut answer);
        answer
    }

    fn route<B>(&self, request: &Request<B>) -> Response<Body> {
        match (request.uri().path(), AnswerForm::wanted(request.headers())) {
            ("/debug/informers", AnswerForm::Html) => page::INFORMERS.answer(),
            ("/debug/informers", AnswerForm::Events) => match self.seat() {
                Ok(seat) => answer::events(stream::informers(self.clone(), seat)),
                Err(full) => full.answer().map(Body::from),
            },
            (path, _) => match self.objects.as_ref().filter(|_| path.starts_with(browse::PATH)) {
                Some(objects) => objects.respond(self, request),
                None => match self.digested(path) {
                    Some(Ok(answer)) => answer::later(answer.in_steps(self.digesting.clone()).boxed()),
                    Some(Err(none)) => none.answer().map(Body::from),
                    None => {
                        let found = self.look(path);
                        found.unwrap_or_else(|| self.not_found(self.objects.is_some())).map(Body::from)
                    }
                },
            },
        }
    }

    /// A place for one more viewer of informers, if there is one.
    pub(crate) fn seat(&self) -> Result<Seat, Refusal> {
        seat_of(&self.seats, stream::VIEWERS)
    }

    /// A place for one more stream of objects, if there is one.
    pub(crate) fn object_seat(&self) -> Result<Seat, Refusal> {
        seat_of(&self.object_seats, stream::OBJECT_VIEWERS)
    }
}

fn seat_of(seats: &Arc<Semaphore>, all: usize) -> Result<Seat, Refusal> {
    seats.clone().try_acquire_owned().map_err(|_| {
        let why = format!("{all} are viewing already; close a page");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why).with(RETRY_AFTER, "5")
    })
}

#[cfg(test)]
mod tests;
