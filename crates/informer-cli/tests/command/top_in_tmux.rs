//! `top` on a real terminal, which tmux plays: what is drawn, keys, other sizes, and the terminal after the end.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use test_cluster::{WITHOUT_TMUX, print_skip, tmux_is_there};

use crate::running_program::program;
use crate::support::controllers::controllers;
use crate::support::informer;

/// How long something may take to appear on the screen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal of 80 columns and 24 rows in which `top` runs, in a tmux of its own.
struct Terminal {
    directory: TempDir,
    /// Told of whatever is written to the terminal.
    written: Receiver<()>,
}

impl Terminal {
    /// With these arguments; afterwards the terminal waits to be looked at.
    fn start(arguments: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let pipe = directory.path().join("written");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let terminal = Self { directory, written: told(pipe.clone()) };
        let place = terminal.directory.path().display();
        let script = format!(
            "echo before it; stty -g > {place}/before; sh -c 'echo $$ > {place}/id; exec {} top {arguments}'; \
             echo $? > {place}/code; stty -g > {place}/after; echo it has ended; read line",
            env!("CARGO_BIN_EXE_informer")
        );
        let mut session =
            terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", &script]);
        // What `informer()` says of the environment, for the server of tmux, from which the command inherits.
        for (name, value) in informer(&[]).get_envs() {
            match value {
                Some(value) => session.env(name, value),
                None => session.env_remove(name),
            };
        }
        let started = session.env_remove("TMUX").env("TZ", "UTC").output().expect("tmux runs");
        assert!(started.status.success(), "{started:?}");
        terminal.ask(&["pipe-pane", "-O", &format!("exec cat > {}", pipe.display())]);
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-u").arg("-S").arg(self.file("socket")).args(arguments);
        tmux
    }

    /// What tmux prints.
    fn ask(&self, arguments: &[&str]) -> String {
        let said = self.tmux(arguments).output().expect("tmux runs");
        assert!(said.status.success(), "{arguments:?}: {said:?}");
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).expect("a file").trim().to_owned()
    }

    fn press(&self, keys: &[&str]) {
        self.ask(&[&["send-keys"], keys].concat());
    }

    fn resize(&self, width: &str, height: &str) {
        self.ask(&["resize-window", "-x", width, "-y", height]);
    }

    /// The screen, once it has all of these texts and none of those.
    fn shows(&self, all: &[&str], none: &[&str]) -> String {
        let has = |screen: &str, text: &&str| screen.contains(*text);
        let is_shown = |screen: &str| {
            all.iter().all(|text| has(screen, text)) && !none.iter().any(|text| has(screen, text))
        };
        self.once(is_shown, || format!("all of {all:?} and none of {none:?}"))
    }

    /// The screen, once it is as docs/top.md shows it. While something is drawn, a part of it is the screen before, so no few
    /// texts tell that all of it is there. Longer numbers may break a line at another place, so all of it is compared at once.
    fn shows_as(&self, quoted: &str) -> String {
        let wanted = masked(quoted);
        self.once(
            |screen| masked(screen) == wanted,
            || format!("docs/top.md shows:\n{quoted}\nand the terminal"),
        )
    }

    fn once(&self, is_shown: impl Fn(&str) -> bool, wanted: impl Fn() -> String) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.ask(&["capture-pane", "-p"]);
            if is_shown(&screen) {
                return screen;
            }
            let more = self.written.recv_timeout(until.saturating_duration_since(Instant::now()));
            assert!(more.is_ok(), "{}:\n{screen}", wanted());
        }
    }

    /// Waits for the end; the terminal is as it was before.
    fn is_given_back(&self) {
        self.shows(&["before it", "it has ended"], &["live"]);
        assert_eq!(self.read("code"), "0");
        assert_eq!(self.read("before"), self.read("after"), "lines and echo");
        assert_eq!(self.ask(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim(), "0 1");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]).output().ok();
    }
}

/// Tells of everything that comes through a pipe, until it is closed.
fn told(pipe: PathBuf) -> Receiver<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut written = fs::File::open(pipe).expect("a pipe");
        let mut some = [0; 4096];
        while written.read(&mut some).is_ok_and(|count| count > 0) && sender.send(()).is_ok() {}
    });
    receiver
}

/// Without what differs from run to run: numbers with their units, the curve, and how many blanks there are.
fn masked(screen: &str) -> String {
    let is_curve = |word: &str| word.chars().all(|c| ('▁'..='█').contains(&c));
    let is_unit = |word: &str| ["B", "KiB", "MiB"].contains(&word);
    let words = screen.split_whitespace().filter(|word| !is_curve(word) && !is_unit(word));
    let mask = |word: &str| {
        if word.contains(|c: char| c.is_ascii_digit()) { "n".to_owned() } else { word.to_owned() }
    };
    words.map(mask).collect::<Vec<_>>().join(" ")
}

/// The screens that docs/top.md shows.
fn screens() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/top.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = page.split("```text\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("its end").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn top_shows_a_running_program_on_a_terminal() {
    if !tmux_is_there() {
        return print_skip("top_in_tmux::top_shows_a_running_program_on_a_terminal", WITHOUT_TMUX);
    }
    let watch = ["watch", "pods,deployments,nodes", "--embedded", "--only-changes"];
    let (running, address) = program(informer(&watch), 3).await;
    let port = address.rsplit(':').next().expect("a port").to_owned();
    let terminal = Terminal::start(&format!("--endpoint {address}"));
    let quoted = screens();
    assert_eq!(quoted.len(), 4, "the list, one informer, and both with queues");
    let list = terminal.shows_as(&quoted[0]);
    assert!(list.lines().count() <= 24 && list.lines().all(|line| line.chars().count() <= 80), "{list}");

    terminal.press(&["Enter"]);
    terminal.shows_as(&quoted[1]);
    terminal.press(&["Escape"]);
    terminal.shows(&["▸deployments.apps", "INFORMER▴"], &["reflector"]);
    terminal.press(&["j", "s", "s", "s"]);
    terminal.shows(&["▾OBJECTS", "sort: objects▾"], &["INFORMER▴"]);
    terminal.press(&["/", "n", "o", "d"]);
    terminal.shows(&["/nod", "▸nodes"], &["pods", "deployments"]);
    terminal.press(&["Enter"]);
    terminal.shows(&["filter \"nod\": 1 of 3"], &[]);
    terminal.press(&["Escape"]);
    terminal.shows(&["deployments.apps", "pods"], &["filter \"nod\""]);
    terminal.press(&["?"]);
    terminal.shows(&["Keys", "Ctrl-C"], &["INFORMER"]);
    terminal.press(&["Escape"]);
    terminal.shows(&["INFORMER"], &["Ctrl-C"]);
    terminal.press(&["p"]);
    terminal.shows(&["‖ paused"], &[]);
    terminal.press(&["p"]);

    terminal.resize("40", "10");
    terminal.shows(&["INFORMER", "PHASE", "q quit"], &["OBJECTS", "too small"]);
    terminal.resize("30", "8");
    terminal.shows(&["too small: 30×8, needs 40×10"], &["INFORMER"]);
    terminal.resize("160", "50");
    terminal.shows(&["NAMESPACE", "RELISTS", "WAITING", "● live"], &["too small"]);

    drop(running);
    terminal.shows(&["▲ not reachable since ", "trying again", "pods"], &["● live"]);
    let mut again = informer(&watch);
    again.args(["--listen", &format!("127.0.0.1:{port}")]);
    let _running = crate::support::Running::start(again);
    terminal.shows(&["● live", "● 3 of 3 synced"], &["not reachable"]);
    terminal.press(&["q"]);
    terminal.is_given_back();
}

#[tokio::test(flavor = "multi_thread")]
async fn top_shows_the_queues_of_a_running_program() {
    if !tmux_is_there() {
        return print_skip("top_in_tmux::top_shows_the_queues_of_a_running_program", WITHOUT_TMUX);
    }
    let listening = controllers().await;
    let terminal = Terminal::start(&format!("--endpoint http://{}", listening.address()));
    let quoted = screens();
    terminal.resize("80", "16");
    terminal.shows(&["● live", "QUEUE", "▸pods"], &["– events/s"]);
    terminal.press(&["j", "j"]);
    terminal.shows_as(&quoted[2]);
    terminal.press(&["Enter"]);
    terminal.shows_as(&quoted[3]);
    terminal.press(&["Escape"]);
    terminal.press(&["/", "e", "n", "d"]);
    terminal.shows(&["▸endpoints", "no informer matches"], &["replicaset "]);
    terminal.press(&["Escape"]);
    terminal.shows(&["▸endpoints", "pods", "replicaset"], &["no informer matches"]);

    terminal.resize("40", "10");
    terminal.shows(&["▸endpoints", "↑ informers: 2"], &["INFORMER", "too small"]);
    terminal.press(&["g"]);
    terminal.shows(&["▸pods", "↓ queues: 3"], &["QUEUE"]);
    terminal.press(&["q"]);
    terminal.is_given_back();
}

#[tokio::test(flavor = "multi_thread")]
async fn top_gives_the_terminal_back_whoever_ends_it() {
    if !tmux_is_there() {
        return print_skip("top_in_tmux::top_gives_the_terminal_back_whoever_ends_it", WITHOUT_TMUX);
    }
    for signal in [None, Some("TERM"), Some("INT")] {
        let terminal = Terminal::start("pods deployments --embedded --color never");
        terminal.shows(&["● live", "● 2 of 2 synced"], &[]);
        let screen = terminal.ask(&["capture-pane", "-p", "-e"]);
        assert!(
            !screen.contains("\u{1b}[38;") && screen.contains(";7m"),
            "no colours, but marks: {screen:?}"
        );
        match signal {
            None => terminal.press(&["C-c"]),
            Some(signal) => {
                test_cluster::send_signal(signal, &terminal.read("id")).expect("it is told");
            }
        }
        terminal.is_given_back();
    }
}
