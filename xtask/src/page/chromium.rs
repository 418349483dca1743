//! Chromium without a window, told what to do over a pipe: messages of the DevTools protocol, each ended by a zero byte.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// How long a single call may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The names that the browser has on different systems.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// Where it is, if it is installed.
pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places: Vec<_> = std::env::split_paths(&path).collect();
    NAMES.iter().flat_map(|name| places.iter().map(move |place| place.join(name))).find(|file| file.is_file())
}

/// A browser with one page, ended when this is dropped.
pub(super) struct Chromium {
    process: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What happened, in order, and was not an answer.
    pub(super) events: Vec<Value>,
}

impl Chromium {
    /// Starts it with an empty profile in this folder.
    pub(super) fn start(program: &Path, profile: &Path) -> Result<Self> {
        // The browser reads from file 3 and writes to file 4, which the shell makes of our two pipes.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh"])
            .arg(program)
            .args(FLAGS)
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let commands = process.stdin.take().context("no pipe to the browser")?;
        let mut output = BufReader::new(process.stdout.take().context("no pipe from the browser")?);
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { return };
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self { process, commands, answers, session: None, last: 0, events: Vec::new() };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach)?;
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log", "DOM"] {
            browser.call(&format!("{domain}.enable"), &json!({}))?;
        }
        Ok(browser)
    }

    /// One command of the protocol, and its answer.
    pub(super) fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).context("the browser has ended")?;
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let mut answer =
                self.answers.recv_timeout(left).with_context(|| format!("no answer to {method}"))?;
            if answer["id"] != self.last {
                self.events.push(answer);
                continue;
            }
            ensure!(answer["error"].is_null(), "{method}: {}", answer["error"]["message"]);
            return Ok(answer["result"].take());
        }
    }

    /// What an expression of JavaScript is, awaited if it is a promise.
    pub(super) fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &asked)?;
        if !answer["exceptionDetails"].is_null() {
            bail!("{expression}: {}", answer["exceptionDetails"]["exception"]["description"]);
        }
        Ok(answer["result"]["value"].take())
    }

    /// Waits until a condition of JavaScript holds.
    pub(super) fn wait_until(&mut self, what: &str, condition: &str) -> Result<()> {
        let wait = format!(
            "new Promise((held) => {{ const end = Date.now() + 30000; const look = () => {{ if ({condition}) held(true); \
             else if (Date.now() > end) held(false); else setTimeout(look, 50); }}; look(); }})"
        );
        ensure!(self.evaluate(&wait)? == true, "not within 30 s: {what}");
        Ok(())
    }

    pub(super) fn open(&mut self, url: &str) -> Result<()> {
        let answer = self.call("Page.navigate", &json!({ "url": url }))?;
        ensure!(answer["errorText"].is_null(), "cannot open {url}: {}", answer["errorText"]);
        self.wait_until(
            "the page has loaded",
            "document.readyState === 'complete' && location.href !== 'about:blank'",
        )
    }

    pub(super) fn press_tab(&mut self) -> Result<()> {
        for kind in ["keyDown", "keyUp"] {
            let key = json!({ "type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 });
            self.call("Input.dispatchKeyEvent", &key)?;
        }
        Ok(())
    }

    /// How the page is shown.
    pub(super) fn look(&mut self, scheme: &str, width: u32, height: u32) -> Result<()> {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "features": features }))?;
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", &size)?;
        Ok(())
    }

    /// A picture of what is shown, as PNG in base64.
    pub(super) fn picture(&mut self) -> Result<String> {
        let mut picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }))?;
        match picture["data"].take() {
            Value::String(data) => Ok(data),
            _ => bail!("no picture"),
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        self.call("Browser.close", &json!({})).ok();
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
