//! What the libraries log, on stderr: with `-v`, or as `RUST_LOG` says.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::plain::plain_lines;

/// Whether there may be such lines, so that a status line would stand between them.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Begins to log, if that is asked for. `-v` goes before `RUST_LOG`, which may be meant for other programs, in a form that is
/// unknown here: that keeps no command from its work.
pub(crate) fn begin(verbose: u8) {
    let wanted = match verbose {
        0 => std::env::var("RUST_LOG").unwrap_or_default(),
        1 => "kube_informer=debug,informer_recording=debug,informer_endpoint=debug,embedded_apiserver=debug"
            .to_owned(),
        _ => "trace".to_owned(),
    };
    if wanted.trim().is_empty() {
        return;
    }
    let wanted: Targets = match wanted.parse() {
        Ok(wanted) => wanted,
        Err(error) => {
            let said = format!(
                "nothing is logged: RUST_LOG is not such as `debug` or `kube_informer=debug,warn`: {error}"
            );
            anstream::eprintln!("{}", plain_lines(&said));
            return;
        }
    };
    let lines = tracing_subscriber::fmt::layer().with_writer(|| Lines);
    IS_ON.store(true, Ordering::Relaxed);
    tracing_subscriber::registry().with(wanted).with(lines).init();
}

pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// Stderr, on which what servers say cannot control the terminal.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        anstream::eprint!("{}", plain_lines(&String::from_utf8_lossy(line)));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
