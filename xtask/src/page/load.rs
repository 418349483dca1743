//! The pages with much to show, with too many viewers, and in the background.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::chromium::Chromium;
use super::program::Program;

/// A program with a hundred informers, as the page would be told: two of one name, three handlers each, and many queues.
const MANY: &str = "(() => {
  stop.abort();
  const copies = (number, of) => Array.from({ length: number }, (_, place) => of(place));
  const [one, queue] = [last.informers[0], last.queues[0]];
  const handlers = () => copies(3, (number) => ({ ...one.handlers[0], name: number < 2 ? 'same' : 'other' }));
  const named = (place) => (place < 2 ? 'twin' : 'informer-' + place);
  window.many = {
    ...last,
    informers: copies(100, (place) => ({ ...structuredClone(one), name: named(place), handlers: handlers() })),
    queues: copies(90, (place) => ({ ...queue, name: 'queue-' + place })),
  };
  measure(many);
  show(many);
  const number = (selector) => document.querySelectorAll(selector).length;
  const visible = (node) => node.checkVisibility();
  const first = document.querySelector('article');
  return {
    rows: number('tbody tr') <= ROWS,
    informers: number('article'),
    choices: number('#which option'),
    titles: [...document.querySelectorAll('article h3')].slice(0, 3).map((title) => title.textContent),
    without: [...document.querySelectorAll('article')].filter((card) => !card.querySelector('.wide tbody tr')).length,
    none: [...document.querySelectorAll('article p')].filter(visible).filter((text) => text.textContent === 'none').length,
    handlers: [...first.querySelectorAll('.wide tbody th, .wide p')].filter(visible).map((text) => text.textContent),
    queues: number('#queues tbody tr') >= 20 && document.querySelector('#queues p').textContent.startsWith('and '),
    memory: number('#memory tbody tr') >= 20 && document.querySelector('#memory p').textContent.startsWith('and '),
  };
})()";

/// All but one of them have gone, and the queues.
const FEW: &str = "(() => {
  const few = { ...many, uptimeSeconds: many.uptimeSeconds + 1, informers: many.informers.slice(0, 1), queues: [] };
  measure(few);
  show(few);
  const number = (selector) => document.querySelectorAll(selector).length;
  return [number('article'), number('#which option'), points.size, seen.size];
})()";

/// Rows are shared out, what is left out is told, and of what goes nothing stays.
pub(super) fn many_informers(browser: &mut Chromium) -> Result<()> {
    browser.wait_until("the page was told something", "last && last.queues.length === 1")?;
    let shown = browser.evaluate(MANY)?;
    let wanted = json!({
        "rows": true, "informers": 100, "choices": 101, "titles": ["twin", "twin (2)", "informer-2"],
        "without": 0, "none": 0, "handlers": ["same", "same (2)", "and 1 more, which the JSON of this address has"],
        "queues": true, "memory": true,
    });
    ensure!(shown == wanted, "of a hundred informers it shows {shown}, and not {wanted}");
    let kept = browser.evaluate(FEW)?;
    // All together and the one; of what is counted all, the one, and its three handlers.
    ensure!(kept == json!([1, 2, 2, 5]), "of those that went it keeps {kept}");
    Ok(())
}

/// Who is one viewer too many reads why.
pub(super) fn too_many_viewers(browser: &mut Chromium, program: &Program) -> Result<()> {
    let mut viewers = Vec::new();
    take_places(program, &mut viewers)?;
    // The page that was open before may only now have given its place back.
    sleep(Duration::from_millis(1_500));
    take_places(program, &mut viewers)?;
    browser.open(&format!("http://{}/debug/informers", program.address))?;
    browser.wait_until(
        "it says that others view already",
        "document.getElementById('link').textContent.includes('viewing already')",
    )?;
    drop(viewers);
    browser.wait_until("it goes on", "document.getElementById('link').textContent.includes('live')")
}

/// Views until there is no place.
fn take_places(program: &Program, viewers: &mut Vec<BufReader<TcpStream>>) -> Result<()> {
    for _ in 0..100 {
        let mut stream = TcpStream::connect(&program.address)?;
        let host = &program.address;
        write!(stream, "GET /debug/informers HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n\r\n")?;
        let mut viewer = BufReader::new(stream);
        let mut line = String::new();
        viewer.read_line(&mut line)?;
        if line.contains(" 503 ") {
            return Ok(());
        }
        viewers.push(viewer);
    }
    Err(anyhow::anyhow!("a hundred may view"))
}

/// While nobody sees the page the program does nothing for it, and then it goes on with the object that was open.
pub(super) fn in_the_background(browser: &mut Chromium) -> Result<()> {
    // How many streams there are for viewers of objects, which have no names of their own but a number, again and again.
    browser.evaluate(
        "window.watching = setInterval(async () => { const said = await fetch('/debug/informers', { headers: { Accept: 'application/json' } }); \
         const handlers = (await said.json()).informers.flatMap((one) => one.handlers); \
         window.handlers = handlers.filter((one) => /-[0-9]+$/.test(one.name)).length; }, 100)",
    )?;
    browser.wait_until("the object and the changes are followed", "window.handlers === 2")?;
    hide(browser, true)?;
    browser.wait_until("nothing is done in the background", "window.handlers === 0")?;
    hide(browser, false)?;
    browser.wait_until("it is followed again", "window.handlers === 2")?;
    browser.wait_until(
        "it says that earlier changes are not known",
        "document.getElementById('feed-note').textContent.includes('connected again')",
    )?;
    browser
        .evaluate("clearInterval(window.watching)")
        .map(drop)
        .context("the handlers are not asked for any more")
}

fn hide(browser: &mut Chromium, is_hidden: bool) -> Result<()> {
    let hide = format!(
        "Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }}); \
         document.dispatchEvent(new Event('visibilitychange'))"
    );
    browser.evaluate(&hide).map(drop)
}
