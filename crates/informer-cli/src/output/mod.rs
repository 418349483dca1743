//! Objects in the form that was asked for with `-o`.

mod aligned;
mod form;
mod table;

use informer_wire::document::yaml;
use k8s_openapi::jiff::Timestamp;
use kube_client::api::DynamicObject;
use kube_informer::Object;
use serde_json::{Value, json};

pub(crate) use self::form::{Form, kubectl_form, of_kubectl};
pub(crate) use self::table::Look;

use self::table::Table;
use crate::content::shown;
use crate::failure::Failure;
use crate::plain::{plain_json, plain_lines};

/// Writes objects. Headers are written once, and columns stay as wide as they were.
pub(crate) struct Printer {
    form: Form,
    look: Look,
    tables: Vec<Table>,
    has_begun: bool,
}

impl Printer {
    pub(crate) fn new(form: Form, look: Look) -> Self {
        Self { form, look, tables: Vec::new(), has_begun: false }
    }

    pub(crate) fn is_table(&self) -> bool {
        matches!(self.form, Form::Table | Form::Wide)
    }

    /// All objects as one document: the object itself if it was named on the command line, a List otherwise.
    pub(crate) fn all(&mut self, objects: &[Object<DynamicObject>], is_one: bool) -> Result<String, Failure> {
        let contents: Vec<_> = objects.iter().map(shown).collect();
        if self.is_document() {
            self.document(&document(contents, is_one))
        } else {
            Ok(self.rows(objects, &contents))
        }
    }

    /// Objects of which more follow, each as a document of its own.
    pub(crate) fn each(&mut self, objects: &[Object<DynamicObject>]) -> Result<String, Failure> {
        let contents: Vec<_> = objects.iter().map(shown).collect();
        if !self.is_document() {
            return Ok(self.rows(objects, &contents));
        }
        let mut text = String::new();
        for content in &contents {
            if self.form == Form::Yaml && self.has_begun {
                text.push_str("---\n");
            }
            self.has_begun = true;
            text.push_str(&self.document(content)?);
        }
        Ok(text)
    }

    fn is_document(&self) -> bool {
        matches!(self.form, Form::Json | Form::Yaml)
    }

    fn document(&self, document: &Value) -> Result<String, Failure> {
        if self.form == Form::Yaml {
            return yaml(document).map_err(Failure::local);
        }
        Ok(plain_json(&format!("{document:#}\n")).into_owned())
    }

    fn rows(&mut self, objects: &[Object<DynamicObject>], contents: &[Value]) -> String {
        if self.form == Form::Name {
            let names: String = objects.iter().map(|object| name(object) + "\n").collect();
            return plain_lines(&names).into_owned();
        }
        self.tables(objects, contents)
    }

    /// A table for each run of objects of one kind, with an empty line between two.
    fn tables(&mut self, objects: &[Object<DynamicObject>], contents: &[Value]) -> String {
        let now = Timestamp::now();
        let mut text = String::new();
        let mut place = 0;
        for run in objects.chunk_by(|a, b| a.kind() == b.kind()) {
            let kind = run[0].kind();
            let known = self.tables.iter().position(|table| table.kind() == kind);
            let known = known.unwrap_or_else(|| {
                if !self.tables.is_empty() && self.look.headers {
                    text.push('\n');
                }
                self.tables.push(Table::new(kind, &self.look, self.form == Form::Wide));
                self.tables.len() - 1
            });
            text.push_str(&self.tables[known].print(&contents[place..place + run.len()], now));
            place += run.len();
        }
        text
    }
}

/// Such as `pod/web-0` or `deployment.apps/web`.
pub(crate) fn name(object: &Object<DynamicObject>) -> String {
    let kind = object.kind().kind().to_lowercase();
    match object.kind().group() {
        "" => format!("{kind}/{}", object.name()),
        group => format!("{kind}.{group}/{}", object.name()),
    }
}

fn document(mut items: Vec<Value>, is_one: bool) -> Value {
    match items.len() {
        1 if is_one => items.remove(0),
        _ => {
            json!({ "apiVersion": "v1", "kind": "List", "metadata": { "resourceVersion": "" }, "items": items })
        }
    }
}
