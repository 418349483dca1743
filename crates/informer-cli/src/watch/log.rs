//! Writes events in the chosen format.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::tz::TimeZone;
use kube_client::api::DynamicObject;
use kube_informer::SharedInformer;
use kube_informer::kind::KindInfo;
use serde_json::json;

use crate::args::{WatchArgs, WatchForm};
use crate::clock::zone;
use crate::failure::Failure;
use crate::output::{Look, Printer};
use crate::plain::{plain, plain_json};
use crate::screen::Screen;
use crate::watch::events::{Events, First};
use crate::watch::filter::Filter;
use crate::watch::line::{Columns, Parts, Told, coloured, utc};

/// The time to sync is printed only if it is longer than this.
const WORTH_SAYING: Duration = Duration::from_secs(1);

pub(crate) struct Log {
    form: WatchForm,
    /// For forms that show objects alone.
    printer: Option<Printer>,
    /// Whether updates are followed by a unified diff.
    with_diff: bool,
    filter: Filter,
    screen: Screen,
    columns: Columns,
    parts: Parts,
    zone: TimeZone,
}

impl Log {
    pub(crate) fn new(
        args: &WatchArgs,
        informers: &[SharedInformer<DynamicObject>],
        screen: &Screen,
    ) -> Self {
        let filter = Filter::new(args.changes.clone(), args.grep.clone());
        let mut log = Self { with_diff: args.diff, filter, ..Self::of_all(args.output, informers, screen) };
        log.parts.labels = args.show_labels;
        log.parts.label_columns.clone_from(&args.label_columns);
        log
    }

    /// One that leaves nothing out.
    pub(crate) fn of_all(
        form: WatchForm,
        informers: &[SharedInformer<DynamicObject>],
        screen: &Screen,
    ) -> Self {
        let printer = match form {
            WatchForm::Objects(form) => Some(Printer::new(form, Look::default())),
            _ => None,
        };
        Self {
            form,
            printer,
            with_diff: false,
            filter: Filter::default(),
            screen: screen.clone(),
            columns: Columns::of(informers),
            parts: Parts { is_wide: form == WatchForm::Wide, ..Parts::default() },
            zone: zone(),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.form == WatchForm::Json
    }

    /// Writes an event. False if it has no line.
    pub(crate) fn event(&mut self, told: &Told) -> Result<bool, Failure> {
        if !self.filter.passes(told) {
            return Ok(false);
        }
        self.columns.fit(std::slice::from_ref(told));
        self.write(told)?;
        Ok(true)
    }

    /// Writes that a kind has synced, and the objects that existed at the start.
    pub(crate) fn synced(&mut self, of: &Events, first: First, lasted: Duration) -> Result<(), Failure> {
        if self.is_json() {
            return self.remark("synced", of.informer.kind(), "objects", first.count as u64);
        }
        let lasted = match lasted {
            lasted if lasted >= WORTH_SAYING => format!(" after {:.1} s", lasted.as_secs_f64()),
            _ => String::new(),
        };
        self.screen.note(&plain(&format!("{}: {} in the cache{lasted}", of.label, first.count)));
        let mut shown: Vec<_> = first.shown.into_iter().map(Told::initial).collect();
        shown.retain(|told| self.filter.passes(told));
        self.columns.fit(&shown);
        shown.iter().try_for_each(|told| self.write(told))
    }

    /// Writes how many changes were merged into others.
    pub(crate) fn merged(&self, of: &Events, count: u64) -> Result<(), Failure> {
        if self.is_json() {
            return self.remark("merged", of.informer.kind(), "updates", count);
        }
        let updates = if count == 1 { "update" } else { "updates" };
        let merged =
            format!("{}: {count} {updates} merged, they came faster than they could be shown", of.label);
        self.screen.note(&plain(&merged));
        Ok(())
    }

    fn write(&mut self, told: &Told) -> Result<(), Failure> {
        let now = Timestamp::now();
        if let Some(printer) = &mut self.printer {
            let text = printer.each(std::slice::from_ref(told.object()))?;
            return Ok(self.screen.line(text.strip_suffix('\n').unwrap_or(&text))?);
        }
        let diff = if self.with_diff { told.diff()? } else { Vec::new() };
        if self.is_json() {
            return Ok(self.screen.line(&told.json(now, &diff))?);
        }
        self.screen.line(&told.text(now, &self.zone, &self.columns, &self.parts))?;
        diff.iter().try_for_each(|line| Ok(self.screen.line(&coloured(line))?))
    }

    /// Writes a line that is not about an object.
    fn remark(&self, event: &str, kind: &KindInfo, what: &str, count: u64) -> Result<(), Failure> {
        let line = json!({ "time": utc(Timestamp::now()), "event": event, "kind": kind.kind(),
            "apiVersion": kind.api_version(), what: count });
        Ok(self.screen.line(&plain_json(&line.to_string()))?)
    }
}
