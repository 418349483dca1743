//! A world: a server and what happens on it, programs, the way between them, and what judges it all by what the server stored. Nothing
//! but [`program`] knows which controller it is about.

mod link;
mod oracle;
mod program;
mod world;

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) use self::link::Link;
pub(crate) use self::program::{Program, pass};
pub(crate) use self::world::World;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
/// What happens at the same time, which a program cannot know before it writes.
pub(crate) const MOMENT: Duration = Duration::from_millis(50);

/// What the pods of a set are like.
pub(crate) fn template(app: &str) -> Value {
    json!({ "metadata": { "labels": { "app": app } }, "spec": { "containers": [{ "name": "c", "image": "i" }] } })
}

/// On paused time, each in a runtime of its own.
pub(crate) fn on_paused_time<T>(world: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(world)
}

pub(crate) fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: that is not a number")))
}
