//! Serves lists and watches of made-up objects, as JSON and as protobuf, faster than any client reads them.
//!
//! Speaks the list and watch protocol of kube-apiserver over plain HTTP/1.1 on loopback: whole lists, pages, streaming
//! lists, bookmarks, expired history. What happens is said at a few addresses of its own:
//!
//! | address | does |
//! |---|---|
//! | `/bench/events?count=N&hot=H&rate=R` | N objects change, as fast as the watcher reads or R a second; among H objects or all |
//! | `/bench/expire` | the last object changes, and all watches end with 410: clients have to list again |
//! | `/bench/state` | how many objects there are, the sum of their resource versions, and how often they were listed |
//! | `/bench/sent` | when the events of the last `/bench/events` were written, nanoseconds of the clock, one a line |
//!
//! `--pieces N` writes at most N bytes at a time, so that objects come in several pieces, as they do from servers that write
//! an object in several calls.
//!
//! Prints its address on standard output and ends with standard input.

mod answer;
mod control;
mod envelope;
mod http;
mod list;
mod state;
mod watch;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result, bail};
use bench_data::{Kind, World, WorldOptions};

use crate::answer::Answer;
use crate::http::Request;
use crate::state::State;

fn main() -> Result<()> {
    let mut options = WorldOptions { seed: 1, objects: 1_000, namespaces: 20 };
    let (mut kind, mut pieces) = (Kind::Pods, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().with_context(|| format!("{name} {value}"));
        match name.as_str() {
            "--kind" => kind = Kind::from_plural(&value).with_context(|| format!("there are no {value}"))?,
            "--objects" => options.objects = number()?,
            "--namespaces" => options.namespaces = number()?,
            "--seed" => options.seed = number()?,
            "--pieces" => pieces = NonZeroUsize::new(usize::try_from(number()?)?),
            _ => bail!("unknown option {name}"),
        }
    }
    let state = Arc::new(State::new(World::new(kind, options)));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("http://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let state = state.clone();
            // A client that goes away ends its connection; that is no news.
            thread::spawn(move || serve(&state, stream, pieces).ok());
        }
    });
    // It must not outlive who started it.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Answers the requests of one connection.
fn serve(state: &State, mut stream: TcpStream, pieces: Option<NonZeroUsize>) -> Result<()> {
    stream.set_nodelay(true)?;
    while let Some(request) = Request::read(&mut stream)? {
        match request.path.strip_prefix("/bench/") {
            // The meters expect what they asked for in one chunk.
            Some(command) => control::answer(state, command, &request, Answer::new(&mut stream, None))?,
            None => objects(state, &request, Answer::new(&mut stream, pieces))?,
        }
    }
    Ok(())
}

fn objects(state: &State, request: &Request, answer: Answer<'_>) -> Result<()> {
    let kind = state.world.kind();
    let group = if kind == Kind::Widgets { "/apis/bench.example.com/v1/" } else { "/api/v1/" };
    let Some(rest) = request.path.strip_prefix(group) else { return answer.not_found() };
    let parts: Vec<&str> = rest.split('/').collect();
    let range = match parts.as_slice() {
        [plural] if *plural == kind.plural() => Some(0..state.world.objects()),
        ["namespaces", namespace, plural] if *plural == kind.plural() => {
            state.world.objects_of_namespace(namespace)
        }
        _ => None,
    };
    let Some(range) = range else { return answer.not_found() };
    let format = envelope::negotiate(kind, request.accept());
    if matches!(request.query("watch"), Some("true" | "1")) {
        watch::answer(state, request, answer, format, &range)
    } else {
        list::answer(state, request, answer, format, range)
    }
}
