//! What the pages cost with 100,000 objects and 1,000 updates a second.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::chromium::Chromium;
use super::program::Program;

/// How long CPU is counted, and how often without and with a viewer in turn.
const WINDOW: Duration = Duration::from_secs(20);
const ROUNDS: u32 = 3;

/// The searches that are timed.
const SEARCHES: [(&str, &str); 4] = [
    ("by name", "name=web-0001"),
    ("by label", "labels=app%3Dweb"),
    ("all", ""),
    ("by field", "field=spec.nodeName%3Dnode-7"),
];

/// Measures, and gives the figures in one line. Fails where a limit is passed.
pub(super) fn measure(browser: impl FnOnce() -> Result<Chromium>, program: &Program) -> Result<String> {
    let mut told = Vec::new();
    // The caches have just been filled, and the slow handler is behind; give it a while.
    sleep(WINDOW);
    let (mut without, mut with) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        without += cpu_of(program, || sleep(WINDOW))?;
        let mut events = 0;
        with += cpu_of(program, || {
            events = view(program, "/debug/informers", WINDOW).unwrap_or_default();
        })?;
        let most = 2 * WINDOW.as_secs();
        ensure!(events > 0 && events <= most, "{events} events in {WINDOW:?}");
    }
    let share = (with - without) / f64::from(ROUNDS) / WINDOW.as_secs_f64() * 100.0;
    told.push(format!("watching takes {share:.2} % of a core more"));
    ensure!(share < 1.0, "watching takes {share:.2} % of a core");

    for (name, query) in SEARCHES {
        let (first, last, size) = search(program, query)?;
        told.push(format!(
            "search {name}: first answer {} ms, whole {} ms, {size} bytes",
            first.as_millis(),
            last.as_millis()
        ));
        ensure!(first <= Duration::from_millis(200), "search {name}: {first:?}");
    }

    let mut browser = browser()?;
    browser.look("light", 1280, 900)?;
    browser.open(&format!("http://{}/debug/informers", program.address))?;
    browser.wait_until("it is live", "document.querySelectorAll('article').length === 3")?;
    let paint = browser.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")?;
    let paint = paint.as_f64().context("no first paint")?;
    told.push(format!("first paint {paint:.0} ms"));
    ensure!(paint <= 1_000.0, "first paint after {paint} ms");
    Ok(told.join("; "))
}

/// The CPU time of the program while something is done, in seconds.
fn cpu_of(program: &Program, mut done: impl FnMut()) -> Result<f64> {
    let before = cpu(program)?;
    done();
    Ok(cpu(program)? - before)
}

/// From `/proc`: the 14th and 15th value, in hundredths of a second.
fn cpu(program: &Program) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{}/stat", program.id())).context("CPU times need Linux")?;
    let (_, rest) = text.rsplit_once(')').context("an odd /proc")?;
    let values: Vec<f64> =
        rest.split_whitespace().skip(11).take(2).filter_map(|value| value.parse().ok()).collect();
    Ok(values.iter().sum::<f64>() / 100.0)
}

fn ask(program: &Program, path: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(&program.address)?;
    stream.set_read_timeout(Some(WINDOW))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\r\n", program.address)?;
    Ok(BufReader::new(stream))
}

/// Reads events for so long, and counts them.
fn view(program: &Program, path: &str, time: Duration) -> Result<u64> {
    let begun = Instant::now();
    let mut events = 0;
    for line in ask(program, path)?.lines() {
        events += u64::from(line?.starts_with("data: "));
        if begun.elapsed() >= time {
            break;
        }
    }
    Ok(events)
}

/// When the first and the last answer came, and how long the last was.
fn search(program: &Program, query: &str) -> Result<(Duration, Duration, usize)> {
    let begun = Instant::now();
    let (mut first, mut size) = (None, 0);
    for line in ask(program, &format!("/debug/objects/search?informer=0&{query}"))?.lines() {
        let line = line?;
        if line.starts_with("data: ") {
            first.get_or_insert(begun.elapsed());
            size = line.len();
        }
    }
    Ok((first.context("no answer")?, begun.elapsed(), size))
}
