//! The status line of `watch` on a terminal.

use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant};

use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::status::Phase;

use crate::screen::Screen;

/// The rate of events is measured over this time.
const OVER: Duration = Duration::from_secs(10);

pub(crate) struct StatusLine {
    informers: Vec<SharedInformer<DynamicObject>>,
    screen: Screen,
    begun: bool,
    /// The times of recent events.
    events: VecDeque<Instant>,
}

impl StatusLine {
    pub(crate) fn new(informers: &[SharedInformer<DynamicObject>], screen: &Screen) -> Self {
        Self { informers: informers.to_vec(), screen: screen.clone(), begun: false, events: VecDeque::new() }
    }

    /// Counts an event that was shown.
    pub(crate) fn count(&mut self) {
        self.events.push_back(Instant::now());
        self.forget();
    }

    /// Starts to show the line, once all caches have synced.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
        self.events.clear();
        self.draw();
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    pub(crate) fn draw(&mut self) {
        if !self.begun || !self.screen.is_terminal() {
            return;
        }
        self.forget();
        let statuses: Vec<_> = self.informers.iter().map(SharedInformer::status).collect();
        let objects: usize = statuses.iter().map(|status| status.objects).sum();
        let silent =
            statuses.iter().flat_map(|status| &status.scopes).filter_map(|scope| scope.last_byte).min();
        let mut parts = vec![format!("{objects} objects")];
        #[allow(clippy::cast_precision_loss)]
        parts.push(format!("{:.1} events/s", self.events.len() as f64 / OVER.as_secs_f64()));
        let troubled: Vec<_> = statuses.iter().filter(|status| status.phase != Phase::Watching).collect();
        if troubled.is_empty() {
            parts.push("watching".to_owned());
        } else {
            parts.extend(troubled.iter().map(|status| format!("{} {}", status.kind, status.phase)));
        }
        if let Some(silent) = silent {
            parts.push(format!("last heard {} s ago", silent.elapsed().as_secs()));
        }
        if let Some(memory) = memory() {
            parts.push(format!("{} MB", memory >> 20));
        }
        self.screen.status(&parts.join(" · "));
    }

    fn forget(&mut self) {
        while self.events.front().is_some_and(|at| at.elapsed() > OVER) {
            self.events.pop_front();
        }
    }
}

/// The memory of this process in bytes, if the system reports it.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
