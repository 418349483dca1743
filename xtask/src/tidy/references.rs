//! A code such as `P-043`, `D15` or `B-006`, in a name of a test, a comment or a page, has an entry that explains it.
//!
//! | code | in the name of a test | entry |
//! |---|---|---|
//! | `P-043`, a fact of the protocol | `p_043_…` | an anchor in `docs/protocol.md` |
//! | `D15`, a decision | `d15_…` | an anchor in `docs/decisions.md` |
//! | `W-36`, a weakness of client-go | `w_36_…` | an anchor in `docs/client-go-behaviours.md` |
//! | `B-006`, a behaviour of client-go | `b_006_…` | a row there, which the rule of the ledger looks after |
//!
//! An anchor is `<a id="p-043"></a>P-043`. A test that a page names by its code has to exist; one in the row of a fact has to
//! carry the number of that fact.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tidy::Problem;
use crate::tidy::ledger::{cells, functions};
use crate::tidy::ledger_numbers;
use crate::tidy::tree::{SourceFile, Tree};

const PROTOCOL: &str = "docs/protocol.md";

/// The letter of a code, how many digits it has, and the page with its entries.
struct Family {
    letter: char,
    /// `P-043` and `p_043`; otherwise `D15` and `d15`.
    is_dashed: bool,
    digits: std::ops::RangeInclusive<usize>,
    page: &'static str,
}

const FAMILIES: [Family; 4] = [
    Family { letter: 'P', is_dashed: true, digits: 3..=3, page: PROTOCOL },
    Family { letter: 'D', is_dashed: false, digits: 1..=2, page: "docs/decisions.md" },
    Family { letter: 'W', is_dashed: true, digits: 2..=2, page: "docs/client-go-behaviours.md" },
    Family { letter: 'B', is_dashed: true, digits: 3..=3, page: "docs/client-go-behaviours.md" },
];

/// Examples of the rules and of their tests lead nowhere.
const RULES: &str = "xtask/src/tidy/";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let functions = functions(tree);
    let (entries, mut problems) = entries(tree);
    let tests: BTreeSet<&str> =
        functions.iter().filter_map(|(name, is_test)| is_test.then_some(*name)).collect();
    for file in tree.files().iter().filter(|file| is_looked_at(file)) {
        for (line, text) in file.lines() {
            let mut used = codes_in_text(text);
            if file.is_rust() {
                used.extend(
                    function_name(text)
                        .filter(|name| tests.contains(name))
                        .map(codes_in_name)
                        .unwrap_or_default(),
                );
            }
            let missing = used.into_iter().filter(|code| !entries.contains_key(code) && !is_in_ledger(code));
            problems.extend(missing.map(|code| {
                let page = page_of(&code).unwrap_or(PROTOCOL);
                Problem::new(&file.path, line, format!("{code} has no entry in {page}"))
            }));
            if file.is_markdown() {
                problems.extend(check_named_tests(file, line, text, &functions));
            }
        }
    }
    problems.extend(check_protocol(tree));
    problems
}

fn is_looked_at(file: &SourceFile) -> bool {
    (file.is_rust() || file.is_markdown()) && !file.path.starts_with(RULES)
}

/// The codes that have an anchor in the page of their family, and what is wrong with anchors.
fn entries(tree: &Tree) -> (BTreeMap<String, usize>, Vec<Problem>) {
    let (mut entries, mut problems) = (BTreeMap::new(), Vec::new());
    let pages: BTreeSet<&str> = FAMILIES.iter().map(|family| family.page).collect();
    for page in pages {
        let Some(file) = tree.file(page) else {
            problems.push(Problem::new(page, 0, "the page that explains codes is missing"));
            continue;
        };
        for (line, code) in file.lines().filter_map(|(line, text)| Some((line, anchor(text)?))) {
            if page_of(&code) != Some(page) {
                problems.push(Problem::new(page, line, format!("{code} is not explained in this page")));
            } else if let Some(first) = entries.insert(code.clone(), line) {
                problems.push(Problem::new(page, line, format!("{code} has an entry already, line {first}")));
            }
        }
    }
    (entries, problems)
}

/// The code of a line with `<a id="p-043"></a>P-043`.
fn anchor(text: &str) -> Option<String> {
    let (id, rest) = text.split_once("<a id=\"")?.1.split_once("\"></a>")?;
    codes_in_text(rest)
        .into_iter()
        .next()
        .filter(|code| rest.starts_with(code.as_str()) && code.to_lowercase() == id)
}

/// The facts of the protocol name tests, and each test carries the number of its fact.
fn check_protocol(tree: &Tree) -> Vec<Problem> {
    let rows = tree.file(PROTOCOL).into_iter().flat_map(SourceFile::lines);
    rows.filter_map(|(line, text)| {
        let (code, cells) = (anchor(text)?, cells(text)?);
        let tests: Vec<&str> = between_backticks(cells.last()?).collect();
        match tests.iter().find(|test| !codes_in_name(test).contains(&code)) {
            _ if tests.is_empty() => Some(Problem::new(PROTOCOL, line, format!("{code} names no test"))),
            Some(test) => Some(Problem::new(PROTOCOL, line, format!("`{test}` does not carry {code}"))),
            None => None,
        }
    })
    .collect()
}

fn check_named_tests(
    file: &SourceFile,
    line: usize,
    text: &str,
    functions: &HashMap<&str, bool>,
) -> Vec<Problem> {
    between_backticks(text)
        .map(|name| name.rsplit("::").next().unwrap_or(name))
        .filter(|name| is_name_of_test(name) && !functions.get(name).is_some_and(|is_test| *is_test))
        .map(|name| Problem::new(&file.path, line, format!("there is no test `{name}`")))
        .collect()
}

/// Whether it can only be meant for a test: a code and more, in the form of a name.
fn is_name_of_test(name: &str) -> bool {
    let is_name = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    is_name
        && !codes_in_name(name).is_empty()
        && name.split('_').any(|word| word.len() > 1 && !has_digit(word))
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

fn between_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The name after `fn`.
fn function_name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("fn ")?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

fn page_of(code: &str) -> Option<&'static str> {
    FAMILIES.iter().find(|family| code.starts_with(family.letter)).map(|family| family.page)
}

/// Behaviours have rows of several numbers in place of anchors.
fn is_in_ledger(code: &str) -> bool {
    let ranges = ledger_numbers::parse(code).unwrap_or_default();
    ledger_numbers::required().into_iter().any(|number| ranges.iter().any(|range| range.contains(number)))
}

/// `P-043`, `D15` and so on, as whole words.
fn codes_in_text(text: &str) -> Vec<String> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(|c: char| !is_of_word(c))
        .filter_map(|word| {
            let family = FAMILIES.iter().find(|family| word.starts_with(family.letter))?;
            let rest = &word[1..];
            let digits = if family.is_dashed { rest.strip_prefix('-')? } else { rest };
            family.code(digits)
        })
        .collect()
}

/// The codes that the name of a test carries: `b_050_p_044_d15_a_cut_stream_resumes` has three.
fn codes_in_name(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.rsplit("::").next().unwrap_or(name).split('_').collect();
    let mut codes = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let Some(family) =
            FAMILIES.iter().find(|family| word.starts_with(family.letter.to_ascii_lowercase()))
        else {
            continue;
        };
        let digits = match (family.is_dashed, word.len()) {
            (true, 1) => words.get(index + 1).copied(),
            (true, _) => None,
            (false, _) => Some(&word[1..]),
        };
        codes.extend(digits.and_then(|digits| family.code(digits)));
    }
    codes
}

impl Family {
    /// The code with these digits, after which a behaviour may have a letter.
    fn code(&self, digits: &str) -> Option<String> {
        let number = match self.letter {
            'B' => digits.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(digits),
            _ => digits,
        };
        let fits = self.digits.contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| format!("{}{}{digits}", self.letter, if self.is_dashed { "-" } else { "" }))
    }
}

#[cfg(test)]
mod tests;
