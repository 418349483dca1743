//! Inside a crate, data flows one way: a module uses only modules below it. Which those are stands in [`crates`].

use crate::tidy::Problem;
use crate::tidy::crates::{self, ALL_BELOW, Level, Member};
use crate::tidy::rust_paths;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let mut problems = Vec::new();
    crates::each(tree, |member| problems.extend(check_crate(member)));
    problems
}

fn check_crate(member: &Member<'_>) -> Vec<Problem> {
    let (levels, rules) = (member.rules.levels, member.rules.name);
    let imports = member.root().map(|root| rust_paths::imports(root.code_before_tests())).unwrap_or_default();
    let line_of = |module: &str| levels.iter().position(|(names, _)| names.contains(&module));
    let mut problems = gone(member);
    for (path, file) in &member.sources {
        let Some(place) = place(path) else { continue };
        let Some(line) = line_of(place.module) else {
            let text = format!("module `{}` has no level: give it one in the rules of {rules}", place.module);
            problems.push(Problem::new(&file.path, 0, text));
            continue;
        };
        for (number, name) in rust_paths::root_names(file.code_before_tests(), place.depth) {
            // `crate::Object` is a use of the module that the root takes it from; of another crate, it is nothing.
            let used = imports.get(&name).filter(|_| line_of(&name).is_none()).unwrap_or(&name);
            let problem = if line_of(used).is_none() && !imports.contains_key(&name) {
                format!("`crate::{name}` is neither a module with a level nor taken in by name at the root")
            } else if line_of(used).is_some_and(|below| !may_use(levels, line, used, below)) {
                format!("`{}` must not use `{used}`: see the levels of {rules}", place.module)
            } else {
                continue;
            };
            problems.push(Problem::new(&file.path, number, problem));
        }
    }
    problems
}

/// Whether a module of `line` may use this one, of the line `below`.
fn may_use(levels: &[Level], line: usize, used: &str, below: usize) -> bool {
    let (_, allowed) = levels[line];
    below == line || allowed.contains(&used) || (allowed == ALL_BELOW && below < line)
}

/// Levels of modules that are not there, perhaps because they have moved to another crate.
fn gone(member: &Member<'_>) -> Vec<Problem> {
    let is_there = |module: &str| {
        member.sources.iter().filter_map(|(path, _)| place(path)).any(|place| place.module == module)
    };
    let names = member.rules.levels.iter().flat_map(|(names, _)| names.iter());
    let problem = |name| {
        let text = format!("{} has a level for `{name}`, which is not there", member.rules.name);
        Problem::new(file!(), 0, text)
    };
    names.filter(|name| !is_there(name)).map(problem).collect()
}

struct Place<'a> {
    module: &'a str,
    /// How many modules below the root.
    depth: usize,
}

/// Where in the module tree a file is; none for the root, whose work is to know everything.
fn place(path: &str) -> Option<Place<'_>> {
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let module = path.split('/').next()?;
    (!["lib", "main"].contains(&path)).then(|| Place { module, depth: path.split('/').count() })
}

#[cfg(test)]
mod tests;
