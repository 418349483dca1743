//! The command `informer-gen`: see `informer-gen --help`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use informer_gen::{InputError, Model, Style, custom_kinds, difference, read};

fn main() -> ExitCode {
    Command::parse().run()
}

const EXAMPLES: &str = "\
Examples:
  informer-gen kinds.toml --out src/informers.rs
      Kinds from a description file
  informer-gen src/kinds.rs --out src/informers.rs
      Kinds from structs with #[derive(CustomResource)]
  informer-gen kinds.toml --out src/informers.rs --check
      For CI: exits with 1 and shows the difference if src/informers.rs is not up to date

A description file:
  [[kind]]
  group = \"example.com\"
  version = \"v1\"
  kind = \"Widget\"
  type = \"crate::Widget\"       # the path of the Rust type
  scope = \"Namespaced\"         # or \"Cluster\"
  plural = \"widgets\"           # may be left out if it is regular

  [kind.indexes]               # typed indexes: a name and the path of a field
  node = \"spec.nodeName\"
  size = { path = \"spec.size\", type = \"u32\" }

  [[source]]                   # more kinds, from structs with #[derive(CustomResource)]
  file = \"src/kinds.rs\"        # relative to the description
  module = \"crate::kinds\"      # may be left out if the file is below src

  [indexes.Gadget]             # indexes of kinds of a source
  owner = \"spec.owner\"

Exit status:
  0  done, or with --check up to date
  1  with --check, not up to date
  2  wrong arguments, or something is wrong with an input; each problem is named with file, line and column";

/// Generates accessors on kube-informer's SharedInformerFactory for kinds of your own
#[derive(Debug, Parser)]
#[command(name = "informer-gen", version, after_help = EXAMPLES)]
struct Command {
    /// Description files (.toml), or Rust sources with #[derive(CustomResource)] (.rs); name each source, `mod` is not followed
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The file to write; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write nothing; say whether FILE is up to date
    #[arg(long, requires = "out")]
    check: bool,

    /// The module of the kinds in Rust sources, such as crate::kinds, where it is not told from their place below src
    #[arg(long, value_name = "PATH")]
    module: Option<String>,

    /// The max_width of your rustfmt.toml
    #[arg(long, value_name = "COLUMNS", default_value_t = Style::default().max_width)]
    max_width: usize,

    /// The fn_call_width of your rustfmt.toml: by default 60 and more with a max_width above 100; max_width with use_small_heuristics = "Max"
    #[arg(long, value_name = "COLUMNS")]
    call_width: Option<usize>,
}

impl Command {
    /// Does it, telling the user on standard output and standard error.
    fn run(&self) -> ExitCode {
        let text = match self.generate() {
            Ok(text) => text,
            Err(problems) => return failed(problems),
        };
        let Some(out) = &self.out else {
            print!("{text}");
            return ExitCode::SUCCESS;
        };
        let shown = out.display();
        if self.check {
            let old = match fs::read_to_string(out) {
                Ok(old) => old,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                Err(error) => return failed(format_args!("{shown}: {error}")),
            };
            return match difference(&old, &text) {
                None => ExitCode::SUCCESS,
                Some(difference) => {
                    eprintln!("{shown} is not up to date: generate it again, without --check.\n{difference}");
                    ExitCode::from(1)
                }
            };
        }
        match fs::write(out, text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(format_args!("cannot write {shown}: {error}")),
        }
    }

    /// The text that it would write.
    fn generate(&self) -> Result<String, InputError> {
        let model = Model::of_custom_kinds(read(&self.inputs, self.module.as_deref())?)?;
        // Only their names: where a directory is depends on who asks.
        let name = |input: &PathBuf| input.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut inputs: Vec<String> = self.inputs.iter().filter_map(name).collect();
        inputs.sort();
        let mut style = Style::of_width(self.max_width);
        style.call_width = self.call_width.unwrap_or(style.call_width);
        Ok(custom_kinds(&model, &inputs, style))
    }
}

fn failed(message: impl std::fmt::Display) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(2)
}
