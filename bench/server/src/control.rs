//! What happens, on command.

use std::fmt::{Display, Write as _};
use std::sync::atomic::Ordering;

use anyhow::Result;

use crate::States;
use crate::answer::Answer;
use crate::http::Request;
use crate::state::State;

pub(crate) fn answer(states: &States, command: &str, request: &Request, answer: Answer<'_>) -> Result<()> {
    let is_meant =
        |state: &&State| request.query("kind").is_none_or(|kind| kind == state.world.kind().plural());
    let Some(state) = states.iter().find(is_meant) else { return answer.not_found() };
    let last = |event: u64| format!(r#"{{"last":{}}}"#, state.world.version_of_world(event));
    match command {
        "events" => {
            let (count, hot, rate) = (request.number("count"), request.number("hot"), request.number("rate"));
            answer.text(&last(state.change(count, hot, rate)))
        }
        "expire" => answer.text(&last(state.expire())),
        "state" => {
            let (mut objects, mut sum, mut counts) = (0, 0, [0; 3]);
            for state in states.iter() {
                let version = |object| state.world.resource_version(object, state.version(object));
                objects += state.world.objects();
                sum += (0..state.world.objects()).map(version).sum::<u64>();
                for (sum, count) in counts.iter_mut().zip([&state.lists, &state.streamed, &state.http2]) {
                    *sum += count.load(Ordering::Relaxed);
                }
            }
            let [lists, streamed, http2] = counts;
            answer.text(&format!(
                r#"{{"objects":{objects},"sum":{sum},"lists":{lists},"streamed":{streamed},"http2":{http2}}}"#
            ))
        }
        "sent" => answer.text(&lines(state.sent())),
        "owners" => answer.text(&lines(state.changed().map(|object| state.world.owner_uid(object)))),
        _ => answer.not_found(),
    }
}

fn lines(values: impl IntoIterator<Item = impl Display>) -> String {
    let mut lines = String::new();
    for value in values {
        // Writing to a string does not fail.
        let _ = writeln!(lines, "{value}");
    }
    lines
}
