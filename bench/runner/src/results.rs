//! What is kept of a run.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use crate::build;
use crate::cli::Settings;
use crate::{machine, processes};

/// Everything that was measured, raw and as tables.
pub(crate) struct Results {
    directory: PathBuf,
    name: String,
    raw: Vec<Value>,
    tables: String,
    runs: usize,
}

impl Results {
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let directory = build::root().join("results");
        fs::create_dir_all(&directory)?;
        let name = format!("{}{}", machine::now(), if settings.quick { "-quick" } else { "" });
        let results = Self { directory, name, raw: Vec::new(), tables: String::new(), runs: settings.runs };
        let pinned =
            if processes::pinned() { "server and client on a core of their own" } else { "NOT pinned" };
        eprintln!("{}; {pinned}; load {:.1}", machine::describe(), machine::load());
        Ok(results)
    }

    /// All reports so far.
    pub(crate) fn raw(&self) -> &[Value] {
        &self.raw
    }

    pub(crate) fn directory(&self) -> &PathBuf {
        &self.directory
    }

    /// Keeps the report of one run of one client.
    pub(crate) fn keep(
        &mut self,
        scenario: &str,
        participant: &str,
        run: usize,
        load: f64,
        report: &Value,
    ) -> Result<()> {
        self.raw.push(json!({
            "scenario": scenario, "participant": participant, "run": run, "load": load, "report": report,
        }));
        // After every run: what has been measured is not lost if the next one fails.
        let all = json!({ "machine": machine::describe(), "runs": self.raw });
        fs::write(self.directory.join(format!("{}.json", self.name)), serde_json::to_string(&all)?)?;
        Ok(())
    }

    /// Shows a table and keeps it.
    pub(crate) fn table(&mut self, text: &str) -> Result<()> {
        println!("\n{text}");
        self.tables.push_str(text);
        self.tables.push('\n');
        fs::write(self.directory.join(format!("{}.md", self.name)), &self.tables)?;
        Ok(())
    }

    /// The last words, and why what is written in Go took no part if it did not.
    pub(crate) fn finish(&self, without: Option<&String>) -> Result<()> {
        let path = self.directory.join(&self.name);
        println!("\n{} runs of clients, every one saw all objects and events.", self.raw.len());
        println!("Each client ran {} times; load is now {:.1}.", self.runs, machine::load());
        if let Some(why) = without {
            println!("client-go and controller-runtime took no part: {why}");
        }
        println!("Raw figures: {}.json, tables: {0}.md", path.display());
        Ok(())
    }
}
