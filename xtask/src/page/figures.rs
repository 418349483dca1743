//! What the pages cost with 100,000 objects and 1,000 updates a second.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::browser::Browser;
use super::program::Program;

/// How long CPU is counted, and how often without and with a viewer in turn.
const WINDOW: Duration = Duration::from_secs(20);
const ROUNDS: u32 = 3;

/// How long pushes are counted in the short form.
const BRIEFLY: Duration = Duration::from_secs(5);

/// 200 rows of half a kilobyte.
const LARGEST_ANSWER: usize = 100_000;

/// The searches that are timed.
const SEARCHES: [(&str, &str); 4] = [
    ("by name", "name=web-0001"),
    ("by label", "labels=app%3Dweb"),
    ("all", ""),
    ("by field", "field=spec.nodeName%3Dnode-7"),
];

/// What was measured, and which of it passes a limit.
#[derive(Default)]
struct Figures {
    told: Vec<String>,
    missed: Vec<String>,
}

impl Figures {
    fn add(&mut self, figure: String, is_within: bool) {
        if !is_within {
            self.missed.push(figure.clone());
        }
        self.told.push(figure);
    }

    /// In one line. An error where a limit is passed.
    fn all(self) -> Result<String> {
        let told = self.told.join("; ");
        ensure!(self.missed.is_empty(), "{told}; too much: {}", self.missed.join("; "));
        Ok(told)
    }
}

/// Measures, and gives the figures in one line. Fails where a limit is passed.
pub(super) fn measure(browser: &Browser, program: &Program) -> Result<String> {
    let mut figures = Figures::default();
    // The caches have just been filled, and the slow handler is behind; give it a while.
    sleep(WINDOW);
    watching(program, &mut figures)?;
    searching(program, &mut figures)?;
    painting(browser, program, &mut figures)?;
    figures.all()
}

/// What can be measured in a few seconds while other things run: bounds that are passed only if something is wrong by an order of
/// magnitude.
pub(super) fn measure_briefly(program: &Program) -> Result<String> {
    let mut figures = Figures::default();
    let events = view(program, "/debug/informers", BRIEFLY)?;
    let figure = format!("{events} pushes in {} s", BRIEFLY.as_secs());
    figures.add(figure, (1..=2 * BRIEFLY.as_secs()).contains(&events));
    for (name, query) in SEARCHES {
        let (first, last, size) = search(program, query)?;
        let [first, last] = [first.as_millis(), last.as_millis()];
        let figure = format!("search {name}: first answer {first} ms, whole {last} ms, {size} bytes");
        figures.add(figure, first <= 2_000 && last <= 10_000 && size <= LARGEST_ANSWER);
    }
    figures.all()
}

/// What a viewer costs, and how often it is sent something.
fn watching(program: &Program, figures: &mut Figures) -> Result<()> {
    let (mut without, mut with, mut most) = (0.0, 0.0, 0);
    for _ in 0..ROUNDS {
        without += cpu_of(program, || sleep(WINDOW))?;
        let mut events = 0;
        with += cpu_of(program, || {
            events = view(program, "/debug/informers", WINDOW).unwrap_or_default();
        })?;
        ensure!(events > 0, "no events in {WINDOW:?}");
        most = most.max(events);
    }
    let share = |seconds: f64| seconds / WINDOW.as_secs_f64() / f64::from(ROUNDS) * 100.0;
    let more = share(with - without);
    let figure = format!("{:.2} % of a core unwatched, watching takes {more:.2} % more", share(without));
    figures.add(figure, more < 1.0);
    figures.add(format!("{most} pushes in {} s", WINDOW.as_secs()), most <= 2 * WINDOW.as_secs());
    Ok(())
}

fn searching(program: &Program, figures: &mut Figures) -> Result<()> {
    for (name, query) in SEARCHES {
        let (first, last, size) = search(program, query)?;
        let [first, last] = [first.as_millis(), last.as_millis()];
        let figure = format!("search {name}: first answer {first} ms, whole {last} ms, {size} bytes");
        figures.add(figure, first <= 200);
    }
    Ok(())
}

fn painting(browser: &Browser, program: &Program, figures: &mut Figures) -> Result<()> {
    for line in browser.run(&["--paint".to_owned(), program.address.clone()])?.lines() {
        let [page, paint, rows] = line.split(' ').collect::<Vec<_>>()[..] else {
            bail!("the browser said {line:?}");
        };
        let is_within = paint.parse::<u32>()? <= 1_000 && (1..=200).contains(&rows.parse::<u32>()?);
        figures.add(format!("first paint of {page} {paint} ms, {rows} rows"), is_within);
    }
    Ok(())
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
