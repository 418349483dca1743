//! Objects of one kind as a table.

use informer_wire::Path;
use k8s_openapi::jiff::Timestamp;
use kube_informer::kind::KindInfo;
use serde_json::Value;

use super::aligned::Aligned;
use crate::content::text;
use crate::get::columns::{Column, NAME, columns, labels};

/// What a table has besides the columns of its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) headers: bool,
    /// A column for the namespace of kinds that have one.
    pub(crate) namespaces: bool,
    /// The kind before the name, because there are several.
    pub(crate) kinds: bool,
    /// Fields with a column each, after those of the kind.
    pub(crate) field_columns: Vec<Path>,
    /// Labels with a column each.
    pub(crate) label_columns: Vec<String>,
    /// A column for all labels.
    pub(crate) labels: bool,
}

pub(crate) struct Table {
    kind: KindInfo,
    look: Look,
    columns: Vec<&'static Column>,
    aligned: Aligned,
    has_head: bool,
}

impl Table {
    pub(crate) fn new(kind: &KindInfo, look: &Look, is_wide: bool) -> Self {
        let mut look = look.clone();
        look.namespaces &= kind.is_namespaced() != Some(false);
        let columns = columns(kind).iter().filter(|column| is_wide || !column.is_wide).collect();
        Self { kind: kind.clone(), look, columns, aligned: Aligned::default(), has_head: false }
    }

    pub(crate) fn kind(&self) -> &KindInfo {
        &self.kind
    }

    /// The lines of these objects, after the header if it has not been written.
    pub(crate) fn print(&mut self, objects: &[Value], now: Timestamp) -> String {
        let mut rows = Vec::with_capacity(objects.len() + 1);
        if self.look.headers && !std::mem::replace(&mut self.has_head, true) {
            rows.push(self.head());
        }
        rows.extend(objects.iter().map(|object| self.row(object, now)));
        self.aligned.lines(&rows)
    }

    fn head(&self) -> Vec<String> {
        let mut titles = Vec::new();
        titles.extend(self.look.namespaces.then(|| "NAMESPACE".to_owned()));
        titles.extend(self.columns.iter().map(|column| column.title.to_owned()));
        titles.extend(self.look.field_columns.iter().map(ToString::to_string));
        // Of `example.com/role` the title is `ROLE`.
        let last = |label: &String| label.rsplit('/').next().unwrap_or_default().to_uppercase();
        titles.extend(self.look.label_columns.iter().map(last));
        titles.extend(self.look.labels.then(|| "LABELS".to_owned()));
        titles
    }

    fn row(&self, object: &Value, now: Timestamp) -> Vec<String> {
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut cells = Vec::new();
        cells.extend(self.look.namespaces.then(|| string(&object["metadata"]["namespace"])));
        cells.extend(self.columns.iter().map(|column| {
            let cell = (column.cell)(object, now);
            match column.title {
                NAME if self.look.kinds => format!("{}/{cell}", self.prefix()),
                _ => cell,
            }
        }));
        cells.extend(self.look.field_columns.iter().map(|path| field(path, object)));
        let labelled = |label: &String| string(&object["metadata"]["labels"][label]);
        cells.extend(self.look.label_columns.iter().map(labelled));
        cells.extend(self.look.labels.then(|| labels(object, "/metadata/labels")));
        cells
    }

    fn prefix(&self) -> String {
        let kind = self.kind.kind().to_lowercase();
        if self.kind.group().is_empty() { kind } else { format!("{kind}.{}", self.kind.group()) }
    }
}

/// The values that a path leads to, with commas between.
fn field(path: &Path, object: &Value) -> String {
    let found = path.find(object);
    let told: Vec<_> = found.into_iter().filter(|value| !value.is_null()).map(text).collect();
    if told.is_empty() { "<none>".to_owned() } else { told.join(",") }
}

#[cfg(test)]
mod tests;
