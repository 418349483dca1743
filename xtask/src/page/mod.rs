//! `cargo xtask page`: the pages of informer-endpoint in a real browser.

mod checks;
mod chromium;
mod figures;
mod load;
mod program;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use self::chromium::Chromium;
use self::program::{Program, Size};
use crate::cargo::workspace_root;
use crate::report::{Outcome, Report};

/// Where the pictures of the documentation are.
const PICTURES: &str = "docs/images";

/// A picture of the documentation is not larger than this.
const LARGEST: usize = 200_000;

const SMALL: Size = Size { objects: 2_000, updates: 40 };
const LARGE: Size = Size { objects: 100_000, updates: 1_000 };

/// What is to be done besides checking, or in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Takes the pictures of the documentation anew.
    pub(crate) pictures: bool,
    /// Only measures a program with 100,000 objects.
    pub(crate) figures: bool,
}

pub(crate) fn step(report: &mut Report, asked: Asked) {
    // Nothing else may run while it is measured, and the pages are the same.
    if asked.figures {
        report.step("figures of the pages", || {
            let Some(browser) = chromium::find() else { return Ok(no_browser()) };
            let profile = tempfile::tempdir()?;
            let program = Program::start(&program::build(true)?, LARGE, 0)?;
            figures::measure(|| Chromium::start(&browser, profile.path()), &program).map(Outcome::Passed)
        });
        return;
    }
    report.step("figures of the pages, in short", || {
        let program = Program::start(&program::build(false)?, SMALL, 0)?;
        figures::measure_briefly(&program).map(Outcome::Passed)
    });
    report.step("pages in a browser", || {
        let Some(browser) = chromium::find() else { return Ok(no_browser()) };
        let profile = tempfile::tempdir()?;
        let mut browser = Chromium::start(&browser, profile.path())?;
        let example = program::build(false)?;
        let program = Program::start(&example, SMALL, 0)?;
        let mut passed = checks::Passed::default();
        checks::informers(&mut browser, &program, &mut passed)?;
        checks::objects(&mut browser, &program, &mut passed)?;
        if asked.pictures {
            pictures(&mut browser, &program)?;
        }
        checks::restart(&mut browser, program, |port| Program::start(&example, SMALL, port), &mut passed)?;
        checks::quiet(&browser, &mut passed)?;
        Ok(Outcome::Passed(passed.to_string()))
    });
}

fn no_browser() -> Outcome {
    Outcome::Skipped("there is no Chromium on the PATH".into())
}

/// Takes the pictures: light, dark and narrow.
fn pictures(browser: &mut Chromium, program: &Program) -> Result<()> {
    let folder = workspace_root().join(PICTURES);
    fs::create_dir_all(&folder)?;
    let informers = format!("http://{}/debug/informers", program.address);
    browser.look("light", 1280, 900)?;
    browser.open(&informers)?;
    // The plot should have something to show.
    browser.wait_until("the plot is filled", "points.get(ALL) && points.get(ALL).length >= 25")?;
    take(browser, &folder, "page-light.png")?;
    browser.look("dark", 1280, 900)?;
    take(browser, &folder, "page-dark.png")?;
    browser.look("light", 400, 860)?;
    take(browser, &folder, "page-narrow.png")?;
    browser.look("light", 1280, 900)?;
    checks::open_object(browser, program)?;
    take(browser, &folder, "page-objects.png")
}

fn take(browser: &mut Chromium, folder: &Path, name: &str) -> Result<()> {
    let picture = STANDARD.decode(browser.picture()?).context("a picture is not base64")?;
    ensure!(picture.len() <= LARGEST, "{name} has {} bytes, and {LARGEST} are allowed", picture.len());
    let file = folder.join(name);
    fs::write(&file, picture).with_context(|| format!("cannot write {}", file.display()))
}
