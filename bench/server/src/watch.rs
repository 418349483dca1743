//! Watches, with or without the state at the beginning.

use std::ops::Range;
use std::sync::atomic::Ordering;

use anyhow::Result;
use bench_data::Format;

use crate::answer::{Answer, Body};
use crate::envelope;
use crate::http::Request;
use crate::state::{Next, State};

pub(crate) fn answer(
    state: &State,
    request: &Request,
    answer: Answer<'_>,
    format: Format,
    objects: &Range<u64>,
) -> Result<()> {
    let watch = Watch { state, format, types: envelope::type_members(state.world.kind(), format) };
    let mut body = answer.ok(match format {
        Format::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        Format::Json | Format::Metadata => "application/json",
    })?;
    let mut seen = state.world.events_at(request.number("resourceVersion"));
    if request.query("sendInitialEvents") == Some("true") {
        state.streamed.fetch_add(1, Ordering::Relaxed);
        seen = state.events();
        for object in objects.clone() {
            watch.event(&mut body, "ADDED", object, state.version(object));
            body.flush_if_full()?;
        }
        let version = state.world.version_of_world(seen);
        envelope::end_of_initial_events(state.world.kind(), format, version, body.buffer());
    }
    loop {
        let next = match state.next(seen, false) {
            Some(next) => Some(next),
            None => {
                body.flush()?;
                state.next(seen, true)
            }
        };
        match next {
            None => {}
            Some(Next::Expired) => {
                envelope::expired(format, body.buffer());
                return body.end();
            }
            Some(Next::Event { object, run }) => {
                seen += 1;
                if !objects.contains(&object) {
                    continue;
                }
                run.wait_until_due(seen, body.is_written_elsewhere());
                watch.event(&mut body, "MODIFIED", object, seen);
                if run.note_sent(seen) {
                    body.flush()?;
                } else {
                    body.flush_if_full()?;
                }
            }
        }
    }
}

struct Watch<'a> {
    state: &'a State,
    format: Format,
    types: String,
}

impl Watch<'_> {
    fn event(&self, body: &mut Body<'_>, event_type: &str, object: u64, version: u64) {
        let (world, kind, format) = (&self.state.world, self.state.world.kind(), self.format);
        let out = body.buffer();
        if format == Format::Protobuf {
            let length = world.size(format, object);
            let (api_version, name) = (kind.api_version(), kind.name());
            envelope::event(out, event_type, api_version, name, length, |out| {
                world.render(format, object, version, out);
            });
            return;
        }
        out.extend_from_slice(br#"{"type":""#);
        out.extend_from_slice(event_type.as_bytes());
        out.extend_from_slice(br#"","object":{"#);
        out.extend_from_slice(self.types.as_bytes());
        world.render(format, object, version, out);
        out.extend_from_slice(b"}\n");
    }
}
