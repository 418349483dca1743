//! What has to be true of the pages.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::chromium::Chromium;
use super::load;
use super::program::Program;

/// Whatever is on a page can be read: every text has a contrast of at least 4.5 to what is behind it.
const CONTRAST: &str = r"(() => {
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = (colour) => colour.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, place) => sum + c * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let least = [99, ''];
  let seen = 0;
  for (const node of document.querySelectorAll('body *')) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || !node.checkVisibility() || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(node.tagName)) continue;
    seen += 1;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(behind(node))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least[0]) least = [contrast, node.tagName + ' ' + node.className + ': ' + node.textContent.slice(0, 40)];
  }
  return { seen, least: least[0], where: least[1] };
})()";

/// What a keyboard has to reach.
const CONTROLS: &str = "[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex=\"0\"]')]\
                        .filter((node) => node.checkVisibility())";

/// How many checks passed.
#[derive(Debug, Default)]
pub(super) struct Passed(u32);

impl Passed {
    /// One more, unless it failed.
    fn count(&mut self, check: Result<()>) -> Result<()> {
        check?;
        self.0 += 1;
        Ok(())
    }
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks", self.0)
    }
}

/// The page of informers.
pub(super) fn informers(browser: &mut Chromium, program: &Program, passed: &mut Passed) -> Result<()> {
    browser.look("light", 1280, 900)?;
    browser.open(&format!("http://{}/debug/informers", program.address))?;
    passed.count(live(browser))?;
    passed.count(three_informers(browser))?;
    passed.count(goes_on(browser))?;
    passed.count(queues(browser))?;
    passed.count(memory(browser))?;
    for (scheme, width) in [("light", 1280), ("dark", 1280), ("dark", 400)] {
        browser.look(scheme, width, 860)?;
        passed.count(readable(browser, scheme))?;
        passed.count(fits(browser, width))?;
    }
    browser.look("light", 1280, 900)?;
    passed.count(reachable(browser))?;
    passed.count(few_rows(browser))?;
    passed.count(load::many_informers(browser))?;
    passed.count(load::too_many_viewers(browser, program))
}

fn live(browser: &mut Chromium) -> Result<()> {
    browser.wait_until("it is live", "document.getElementById('link').textContent.includes('live')")
}

fn three_informers(browser: &mut Chromium) -> Result<()> {
    browser.wait_until("three informers are shown", "document.querySelectorAll('article').length === 3")?;
    let pods = browser.evaluate("document.querySelector('article').textContent")?;
    let pods = pods.as_str().unwrap_or_default();
    for word in ["pods", "watching", "2,000", "slow", "first 1"] {
        ensure!(pods.contains(word), "{word} is not in {pods}");
    }
    Ok(())
}

/// The plot moves.
fn goes_on(browser: &mut Chromium) -> Result<()> {
    let before = browser.evaluate("document.querySelector('.curve').getAttribute('d')")?;
    browser.wait_until(
        "it updates by itself",
        &format!("document.querySelector('.curve').getAttribute('d') !== {before}"),
    )
}

/// A queue has its row, with counts that grow and their rates.
fn queues(browser: &mut Chromium) -> Result<()> {
    let shown = browser.evaluate("document.getElementById('queues').checkVisibility()")?;
    ensure!(shown == true, "the queues are not shown");
    let titles = browser
        .evaluate("[...document.querySelectorAll('#queues thead th')].map((one) => one.textContent)")?;
    let wanted = [
        "queue",
        "due",
        "later",
        "running",
        "longest run",
        "runs",
        "failed",
        "retries",
        "oldest key",
        "due for",
    ];
    ensure!(titles == serde_json::json!(wanted), "the columns of queues are {titles}");
    let row = "[...document.querySelectorAll('#queues tbody tr')].map((row) => [...row.children].map((one) => one.textContent))";
    // Such as `1,234, 40/s`.
    browser.wait_until(
        "a queue has counts and rates",
        &format!("(([web]) => web[0] === 'web' && [5, 6, 7].every((place) => /^[0-9,]+, .*\\d\\/s$/.test(web[place])))({row})"),
    )?;
    browser.wait_until("its oldest key is shown", &format!("({row})[0][8] === 'shop/web-00017'"))?;
    let before = browser.evaluate(&format!("({row})[0][5]"))?;
    browser.wait_until("its runs grow", &format!("({row})[0][5] !== {before}"))
}

/// The kind that takes most memory comes first, and the bars say how much the others take beside it.
fn memory(browser: &mut Chromium) -> Result<()> {
    let rows = browser.evaluate(
        "[...document.querySelectorAll('#memory tbody tr')].map((row) => [row.children[0].textContent, \
         Number(row.querySelector('.bar .part').getAttribute('width')), row.children[2].textContent])",
    )?;
    let rows = rows.as_array().context("no rows of memory")?;
    let names: Vec<_> = rows.iter().filter_map(|row| row[0].as_str()).collect();
    let bars: Vec<_> = rows.iter().filter_map(|row| row[1].as_f64()).collect();
    ensure!(names.len() == 3 && names[0] == "pods", "the kinds by memory are {names:?}");
    ensure!(bars.len() == 3 && bars[0] == 100.0 && bars.is_sorted_by(|a, b| a >= b), "the bars are {bars:?}");
    let packed = rows[0][2].as_str().unwrap_or_default();
    ensure!(packed.ends_with("KiB") || packed.ends_with("MiB"), "the pods take {packed:?}");
    Ok(())
}

/// The browser of objects.
pub(super) fn objects(browser: &mut Chromium, program: &Program, passed: &mut Passed) -> Result<()> {
    passed.count(open_object(browser, program))?;
    passed.count(load::in_the_background(browser))?;
    passed.count(few_rows(browser))?;
    passed.count(reachable(browser))?;
    for (scheme, width) in [("dark", 1280), ("light", 400)] {
        browser.look(scheme, width, 860)?;
        passed.count(readable(browser, scheme))?;
        passed.count(fits(browser, width))?;
    }
    browser.look("light", 1280, 900)?;
    passed.count(hostile(browser))?;
    passed.count(sensitive(browser))
}

/// Searches, and opens an object that changes.
pub(super) fn open_object(browser: &mut Chromium, program: &Program) -> Result<()> {
    browser.open(&format!("http://{}/debug/objects", program.address))?;
    browser.wait_until(
        "objects are found",
        "document.getElementById('found').textContent.includes('2,000 found')",
    )?;
    browser.evaluate(
        "document.getElementById('labels').value = 'app=web'; document.getElementById('field').value = 'spec.nodeName=node-40'; \
         document.getElementById('search').requestSubmit()",
    )?;
    browser.wait_until(
        "some are found by label and field",
        "document.getElementById('found').textContent === '4 found'",
    )?;
    browser.wait_until("something changes", "document.querySelector('#feed button')")?;
    // The first of them changes all the time.
    browser.evaluate("document.querySelector('#results tbody button').click()")?;
    browser.wait_until(
        "its YAML is shown",
        "document.getElementById('yaml').textContent.includes('nodeName: node-40')",
    )?;
    browser.wait_until(
        "what changed is shown",
        "[...document.querySelectorAll('#one-changes strong')].filter((one) => one.textContent === 'status.observed').length > 2",
    )
}

/// Texts that try to be markup are texts.
fn hostile(browser: &mut Chromium) -> Result<()> {
    browser.evaluate(
        "for (const id of ['labels', 'field', 'name']) document.getElementById(id).value = ''; \
         document.getElementById('kind').value = '1'; document.getElementById('kind').dispatchEvent(new Event('change'))",
    )?;
    browser.wait_until(
        "the hostile ones are found",
        "document.getElementById('found').textContent === '5 found'",
    )?;
    let buttons = browser.evaluate("document.querySelectorAll('#results tbody button').length")?;
    ensure!(buttons == 5, "{buttons} of 5");
    for number in 0..5 {
        browser.evaluate(&format!("document.querySelectorAll('#results tbody button')[{number}].click()"))?;
        browser.wait_until(
            "its YAML is shown",
            "document.getElementById('yaml').textContent.includes('(1048576 bytes)')",
        )?;
    }
    let shown = browser.evaluate("document.body.textContent.includes('<img src=x onerror=alert(1)>')")?;
    ensure!(shown == true, "the markup is shown as it is");
    let made = browser.evaluate("[document.scripts.length, document.images.length]")?;
    ensure!(made == serde_json::json!([1, 0]), "scripts and images: {made}");
    ensure!(!happened(browser, "Page.javascriptDialogOpening"), "a script of an object has run");
    Ok(())
}

/// Of Secrets only names and sizes are there.
fn sensitive(browser: &mut Chromium) -> Result<()> {
    browser.evaluate("document.getElementById('kind').value = '2'; document.getElementById('kind').dispatchEvent(new Event('change'))")?;
    browser.wait_until(
        "secrets are found",
        "document.querySelector('#results tbody').textContent.includes('credentials-0')",
    )?;
    browser.evaluate("document.querySelector('#results tbody button').click()")?;
    browser.wait_until(
        "one is shown",
        "document.getElementById('one-note').textContent.includes('names and sizes')",
    )?;
    let text = browser.evaluate("document.body.textContent.includes('aHVudGVy')")?;
    ensure!(text == false, "a value of a Secret is shown");
    Ok(())
}

/// The page notices that the program has gone, and goes on when it is back.
pub(super) fn restart(
    browser: &mut Chromium,
    program: Program,
    start: impl FnOnce(u16) -> Result<Program>,
    passed: &mut Passed,
) -> Result<()> {
    browser.open(&format!("http://{}/debug/informers", program.address))?;
    live(browser)?;
    let port = program.port()?;
    drop(program);
    passed.count(browser.wait_until(
        "it says that the connection is lost",
        "document.getElementById('link').textContent.includes('lost')",
    ))?;
    let _program = start(port)?;
    passed.count(live(browser))?;
    passed.count(goes_on(browser))
}

/// Nothing was asked of anybody else, and the browser had nothing to complain about but the lost connection.
pub(super) fn quiet(browser: &Chromium, passed: &mut Passed) -> Result<()> {
    passed.count(undisturbed(browser))
}

fn undisturbed(browser: &Chromium) -> Result<()> {
    for event in &browser.events {
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                ensure!(url.starts_with("http://127.0.0.1:") || url == "data:,", "it asks for {url}");
            }
            Some("Runtime.exceptionThrown") => {
                bail!("a script failed: {}", event["params"]["exceptionDetails"])
            }
            Some("Log.entryAdded") => {
                let entry = &event["params"]["entry"];
                ensure!(entry["source"] == "network", "the browser says: {entry}");
            }
            _ => {}
        }
    }
    Ok(())
}

fn happened(browser: &Chromium, method: &str) -> bool {
    browser.events.iter().any(|event| event["method"] == method)
}

fn readable(browser: &mut Chromium, scheme: &str) -> Result<()> {
    let found = browser.evaluate(CONTRAST)?;
    let least = found["least"].as_f64().context("no contrast")?;
    ensure!(found["seen"].as_u64() > Some(20), "only {} texts", found["seen"]);
    ensure!(least >= 4.5, "{scheme}: a contrast of {least:.2} at {}", found["where"]);
    Ok(())
}

/// Nothing has to be scrolled sideways, but tables within their boxes.
fn fits(browser: &mut Chromium, width: u32) -> Result<()> {
    let wide = browser.evaluate("document.documentElement.scrollWidth")?;
    ensure!(wide.as_u64() <= Some(width.into()), "{wide} pixels wide in a window of {width}");
    Ok(())
}

fn few_rows(browser: &mut Chromium) -> Result<()> {
    let rows = browser.evaluate("document.querySelectorAll('tbody tr').length")?;
    ensure!(rows.as_u64().is_some_and(|rows| rows > 0 && rows <= 200), "{rows} rows");
    Ok(())
}

/// Every control gets the focus by Tab alone, and shows it.
fn reachable(browser: &mut Chromium) -> Result<()> {
    browser.evaluate("document.activeElement.blur(); window.reached = new Set(); window.unseen = []")?;
    let number = browser.evaluate(&format!("{CONTROLS}.length"))?.as_u64().context("no controls")?;
    ensure!(number > 3, "only {number} controls");
    // What changes meanwhile may come and go, so there are a few more.
    for _ in 0..number + 40 {
        browser.press_tab()?;
        browser.evaluate(
            "(() => { const at = document.activeElement; window.reached.add(at); \
             if (at !== document.body && getComputedStyle(at).outlineStyle === 'none') window.unseen.push(at.outerHTML.slice(0, 80)); })()",
        )?;
    }
    let missed = browser.evaluate(&format!(
        "{CONTROLS}.filter((node) => !window.reached.has(node) && !node.closest('#feed')).map((node) => node.outerHTML.slice(0, 80))"
    ))?;
    ensure!(missed == Value::Array(Vec::new()), "not reached by Tab: {missed}");
    let unseen = browser.evaluate("window.unseen")?;
    ensure!(unseen == Value::Array(Vec::new()), "focus not shown: {unseen}");
    Ok(())
}

#[cfg(test)]
mod tests;
