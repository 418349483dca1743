//! `cargo xtask page`: the pages of informer-endpoint in a real browser, which playwright drives: `tools/page` says what is checked.

mod browser;
mod figures;
mod program;

use anyhow::Result;

use self::browser::Browser;
use self::program::{Program, Size};
use crate::cargo::workspace_root;
use crate::report::{Outcome, Report};

/// Where the pictures of the documentation are.
const PICTURES: &str = "docs/images";

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
            in_browser(|browser| {
                let program = Program::start(&program::build(true)?, LARGE)?;
                figures::measure(browser, &program)
            })
        });
        return;
    }
    report.step("figures of the pages, in short", || {
        let program = Program::start(&program::build(false)?, SMALL)?;
        figures::measure_briefly(&program).map(Outcome::Passed)
    });
    report.step("pages in a browser", || {
        in_browser(|browser| {
            let mut arguments = vec!["--program".to_owned(), program::build(false)?.display().to_string()];
            if asked.pictures {
                arguments
                    .extend(["--pictures".to_owned(), workspace_root().join(PICTURES).display().to_string()]);
            }
            Ok(browser.run(&arguments)?.trim().to_owned())
        })
    });
}

fn in_browser(body: impl FnOnce(&Browser) -> Result<String>) -> Result<Outcome> {
    match Browser::find()? {
        Ok(browser) => body(&browser).map(Outcome::Passed),
        Err(why) => Ok(Outcome::Skipped(why)),
    }
}
