//! From text to paths. An error says what was expected, and where.

use serde_json::Value;

use super::{Comparison, Condition, Path, Step};
use crate::json::string_end;

/// Characters that a name may have without quotes.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '$')
}

/// The whole text is a path.
pub(super) fn path(text: &str) -> Result<Path, String> {
    let text = text.trim();
    let (path, rest) = prefix(text)?;
    let at = text.len() - rest.len();
    match rest.chars().next() {
        None => Ok(path),
        Some(c @ ('{' | '}')) => {
            Err(format!("{c:?} at {at}: braces stand around one whole path; templates are what kubectl has"))
        }
        Some(c) => Err(format!("{c:?} at {at} must be written in [\"…\"]")),
    }
}

/// The text begins with a path; what follows it.
pub(super) fn prefix(text: &str) -> Result<(Path, &str), String> {
    let mut parser = Parser { all: text, rest: text, depth: 0 };
    let is_in_braces = parser.takes("{");
    if is_in_braces {
        parser.rest = parser.rest.trim_start();
    }
    let path = parser.path()?;
    if is_in_braces {
        parser.rest = parser.rest.trim_start();
    }
    match parser.rest.chars().next() {
        None | Some('}' | '=') if path.0.is_empty() => {
            Err("there is no name, as in metadata.name".to_owned())
        }
        Some(c) if path.0.is_empty() => Err(format!("{c:?} at {} must be written in [\"…\"]", parser.at())),
        _ if !is_in_braces || parser.takes("}") => Ok((path, parser.rest)),
        Some(c) => Err(format!("{c:?} at {} must be written in [\"…\"]", parser.at())),
        None => Err("a brace { is not closed".to_owned()),
    }
}

/// How deep conditions may stand within conditions. The text may come from a stranger, and each takes room on the stack.
const DEEPEST: usize = 8;

/// Reads from the beginning of what is left.
struct Parser<'a> {
    all: &'a str,
    rest: &'a str,
    /// The number of conditions around this place.
    depth: usize,
}

impl<'a> Parser<'a> {
    /// The place of what is left, for people.
    fn at(&self) -> usize {
        self.all.len() - self.rest.len()
    }

    /// Steps over a text if it comes next.
    fn takes(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Steps up to a character that begins none.
    fn path(&mut self) -> Result<Path, String> {
        // `$` may also begin a name, but not one that a dot or bracket follows.
        let follows = self.rest.as_bytes().get(1);
        let is_root = match self.rest.as_bytes().first() {
            Some(b'@') => true,
            Some(b'$') => matches!(follows, None | Some(b'.' | b'[')),
            _ => false,
        };
        if is_root {
            self.rest = &self.rest[1..];
        }
        let mut steps = Vec::new();
        loop {
            if self.takes(".") {
                // `.[0]`, as templates have it.
                if !(steps.is_empty() && self.rest.starts_with('[')) {
                    steps.push(self.member()?);
                }
            } else if self.takes("[") {
                steps.push(self.in_brackets()?);
            } else if steps.is_empty() && self.rest.starts_with(|c| is_plain(c) || c == '\\' || c == '*') {
                steps.push(self.member()?);
            } else if !steps.is_empty() && self.rest.starts_with(is_plain) {
                return Err(format!("after `]` comes a dot or another `[`, not {:?}", self.rest));
            } else {
                return Ok(Path(steps));
            }
        }
    }

    /// The name of a member, in which a backslash makes the next character a part of it.
    fn member(&mut self) -> Result<Step, String> {
        if self.rest.starts_with('*') {
            let at = self.at();
            return Err(format!(
                "the * at {at}: [*] means every element of a list, and members of an object are named one by one"
            ));
        }
        let mut name = String::new();
        let mut characters = self.rest.chars();
        while let Some(c) = characters.clone().next() {
            if c == '\\' {
                characters.next();
                name.extend(characters.next());
            } else if is_plain(c) {
                name.push(c);
                characters.next();
            } else {
                break;
            }
        }
        if name.is_empty() {
            let at = self.at();
            if self.rest.starts_with('.') {
                return Err(format!(
                    "there is no name at {at}; a path has all its names, `..` cannot stand for some"
                ));
            }
            return Err(format!("there is no name at {at}"));
        }
        self.rest = characters.as_str();
        Ok(Step::Name(name))
    }

    /// The inside of brackets, and the closing one.
    fn in_brackets(&mut self) -> Result<Step, String> {
        let problem = format!("the bracket at {} must hold *, a number, a name in quotes or ?(…)", self.at());
        let step = if self.takes("*") {
            Step::Each
        } else if self.takes("?(") {
            let condition = self.condition()?;
            if !self.takes(")") {
                let known = "a condition has one comparison, with == or !=, and ends with )]";
                return Err(format!("{known}; at {} stands something else", self.at()));
            }
            Step::Where(condition)
        } else if self.rest.starts_with(['"', '\'']) {
            Step::Name(self.quoted().ok_or_else(|| problem.clone())?)
        } else {
            let end = self.rest.find(']').ok_or_else(|| problem.clone())?;
            let number = self.rest[..end].parse().map_err(|_| problem.clone())?;
            self.rest = &self.rest[end..];
            Step::At(number)
        };
        if self.takes("]") { Ok(step) } else { Err(problem) }
    }

    /// A name in quotes, with the escapes of JSON in double ones. In single ones a backslash makes the next character a part of
    /// the name: kubectl wants it before dots.
    fn quoted(&mut self) -> Option<String> {
        if let Some(inside) = self.rest.strip_prefix('\'') {
            let mut name = String::new();
            let mut characters = inside.chars();
            loop {
                match characters.next()? {
                    '\'' => break,
                    '\\' => name.push(characters.next()?),
                    c => name.push(c),
                }
            }
            self.rest = characters.as_str();
            return Some(name);
        }
        let end = string_end(self.rest.as_bytes(), 0)?;
        let (quoted, rest) = self.rest.split_at_checked(end)?;
        let name = serde_json::from_str(quoted).ok()?;
        self.rest = rest;
        Some(name)
    }

    /// `@.a=="b"`, `@.a!=1`, `@.a`.
    fn condition(&mut self) -> Result<Condition, String> {
        self.rest = self.rest.trim_start();
        if !self.rest.starts_with('@') {
            return Err(format!("a condition begins with @, as in [?(@.type==\"Ready\")]; at {}", self.at()));
        }
        if self.depth == DEEPEST {
            return Err(format!("too many conditions stand within one another at {}", self.at()));
        }
        self.depth += 1;
        let path = self.path()?;
        self.depth -= 1;
        self.rest = self.rest.trim_start();
        let comparison = if self.takes("==") {
            Comparison::Equal
        } else if self.takes("!=") {
            Comparison::NotEqual
        } else {
            return Ok(Condition { path, compared: None });
        };
        self.rest = self.rest.trim_start();
        let value = self.literal()?;
        self.rest = self.rest.trim_start();
        Ok(Condition { path, compared: Some((comparison, value)) })
    }

    fn literal(&mut self) -> Result<Value, String> {
        let problem = format!("a text in quotes, a number, true, false or null must stand at {}", self.at());
        if self.rest.starts_with(['"', '\'']) {
            return self.quoted().map(Value::from).ok_or(problem);
        }
        let end = self.rest.find([')', ' ']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let value: Value = serde_json::from_str(word).map_err(|_| problem.clone())?;
        if value.is_array() || value.is_object() {
            return Err(problem);
        }
        self.rest = rest;
        Ok(value)
    }
}
