//! What happens, on command.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use anyhow::Result;

use crate::answer::Answer;
use crate::http::Request;
use crate::state::State;

pub(crate) fn answer(state: &State, command: &str, request: &Request, answer: Answer<'_>) -> Result<()> {
    let last = |event: u64| format!(r#"{{"last":{}}}"#, state.world.version_of_world(event));
    match command {
        "events" => {
            let (count, hot, rate) = (request.number("count"), request.number("hot"), request.number("rate"));
            answer.text(&last(state.change(count, hot, rate)))
        }
        "expire" => answer.text(&last(state.expire())),
        "state" => {
            let objects = state.world.objects();
            let version = |object| state.world.resource_version(object, state.version(object));
            let sum: u64 = (0..objects).map(version).sum();
            let [lists, streamed, http2] =
                [&state.lists, &state.streamed, &state.http2].map(|count| count.load(Ordering::Relaxed));
            answer.text(&format!(
                r#"{{"objects":{objects},"sum":{sum},"lists":{lists},"streamed":{streamed},"http2":{http2}}}"#
            ))
        }
        "sent" => {
            let mut lines = String::new();
            for at in state.sent() {
                // Writing to a string does not fail.
                let _ = writeln!(lines, "{at}");
            }
            answer.text(&lines)
        }
        _ => answer.not_found(),
    }
}
