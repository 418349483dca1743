//! Serves lists and watches of made-up objects, as JSON and as protobuf, faster than any client reads them.
//!
//! Speaks the list and watch protocol of kube-apiserver on loopback: whole lists, pages, streaming lists, bookmarks, expired
//! history. What happens is said at a few addresses of its own:
//!
//! | address | does |
//! |---|---|
//! | `/bench/events?count=N&hot=H&rate=R` | N objects change, as fast as the watcher reads or R a second; among H objects or all |
//! | `/bench/expire` | the last object changes, and all watches end with 410: clients have to list again |
//! | `/bench/state` | how many objects there are, the sum of their resource versions, and how they were listed |
//! | `/bench/sent` | when the events of the last `/bench/events` were written, nanoseconds of the clock, one a line |
//! | `/bench/owners` | the uids of the owners of what they changed, one a line |
//!
//! Where there are two kinds, `kind=PLURAL` says which one is meant; `/bench/state` is about both.
//!
//! | option | |
//! |---|---|
//! | `--kind PLURAL`, `--objects N`, `--namespaces N`, `--seed N` | what is served |
//! | `--owned N` | pods only: every N of them are owned by a ReplicaSet, which is served too |
//! | `--pieces N` | at most N bytes are written at a time, so that objects come in several pieces, as they do from servers that write an object in several calls |
//! | `--tls http1`, `--tls http2` | TLS, with HTTP/1.1 only, or with HTTP/2 for clients that speak it; without it plain HTTP/1.1 |
//! | `--ca FILE` | where the certificate that clients have to trust is written |
//!
//! Prints two lines on standard output, its address and that of its commands, which is always plain HTTP/1.1. Ends with
//! standard input.

mod answer;
mod control;
mod envelope;
mod http;
mod http2;
mod list;
mod state;
mod tls;
mod watch;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use bench_data::{Kind, World, WorldOptions};

use crate::answer::{Answer, Wire};
use crate::http::Request;
use crate::state::State;
use crate::tls::Tls;

/// What is served, each kind for itself.
pub(crate) type States = Arc<[State]>;

fn main() -> Result<()> {
    let mut options = WorldOptions { seed: 1, objects: 1_000, namespaces: 20, owned: 0 };
    let (mut kind, mut pieces, mut tls, mut ca) = (Kind::Pods, None, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().with_context(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().with_context(|| format!("{name} {value}"));
        match name.as_str() {
            "--kind" => kind = Kind::from_plural(&value).with_context(|| format!("there are no {value}"))?,
            "--objects" => options.objects = number()?,
            "--namespaces" => options.namespaces = number()?,
            "--owned" => options.owned = number()?,
            "--seed" => options.seed = number()?,
            "--pieces" => pieces = NonZeroUsize::new(usize::try_from(number()?)?),
            "--tls" => tls = Some(value),
            "--ca" => ca = Some(value),
            _ => bail!("unknown option {name}"),
        }
    }
    let mut states = vec![State::new(World::new(kind, options))];
    if kind == Kind::Pods && options.owned > 0 {
        ensure!(options.objects.is_multiple_of(options.owned), "--objects must be a multiple of --owned");
        let owners = WorldOptions { objects: options.objects / options.owned, ..options };
        states.push(State::new(World::new(Kind::ReplicaSets, owners)));
    }
    let states: States = states.into();
    let commands = listen({
        let states = states.clone();
        move |mut stream| {
            stream.set_nodelay(true)?;
            serve(&states, &mut stream, pieces)
        }
    })?;
    let address = match tls {
        None => format!("http://{commands}"),
        Some(protocol) => {
            let (tls, certificate) = Tls::new(&protocol)?;
            std::fs::write(ca.context("--tls needs --ca")?, certificate)?;
            format!("https://{}", listen(move |stream| tls.serve(&states, stream, pieces))?)
        }
    };
    println!("{address}\nhttp://{commands}");
    std::io::stdout().flush()?;
    // It must not outlive who started it.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Has each connection served on a thread of its own. Returns the address.
fn listen(serve: impl Fn(TcpStream) -> Result<()> + Clone + Send + 'static) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            // A client that goes away ends its connection; that is no news.
            thread::spawn(move || serve(stream).ok());
        }
    });
    Ok(address)
}

/// Answers the requests of one connection that speaks HTTP/1.1.
fn serve(states: &States, stream: &mut (impl Read + Write), pieces: Option<NonZeroUsize>) -> Result<()> {
    while let Some(request) = Request::read(stream)? {
        respond(states, &request, Answer::new(Wire::Http1(stream), pieces))?;
    }
    Ok(())
}

fn respond(states: &States, request: &Request, answer: Answer<'_>) -> Result<()> {
    match request.path.strip_prefix("/bench/") {
        Some(command) => control::answer(states, command, request, answer.whole()),
        None => objects(states, request, answer),
    }
}

fn objects(states: &States, request: &Request, answer: Answer<'_>) -> Result<()> {
    let found = states.iter().find_map(|state| Some((state, range(state, &request.path)?)));
    let Some((state, range)) = found else { return answer.not_found() };
    if answer.is_http2() {
        state.http2.fetch_add(1, Ordering::Relaxed);
    }
    let format = envelope::negotiate(state.world.kind(), request.accept());
    if matches!(request.query("watch"), Some("true" | "1")) {
        watch::answer(state, request, answer, format, &range)
    } else {
        list::answer(state, request, answer, format, range)
    }
}

/// The objects at a path.
fn range(state: &State, path: &str) -> Option<Range<u64>> {
    let kind = state.world.kind();
    let root = if kind.api_version().contains('/') { "/apis" } else { "/api" };
    let rest = path.strip_prefix(root)?.strip_prefix('/')?.strip_prefix(kind.api_version())?;
    match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["", plural] if *plural == kind.plural() => Some(0..state.world.objects()),
        ["", "namespaces", namespace, plural] if *plural == kind.plural() => {
            state.world.objects_of_namespace(namespace)
        }
        _ => None,
    }
}
