//! Writes regular expressions of Go for the regex crate. It reads them as Go's `regexp/syntax` does and fails with Go's
//! messages; what it writes means the same in both.

use regex::Regex;

/// Go's limit of repetitions, also of those inside of each other.
const MOST: usize = 1000;

/// The classes with names, as in `[[:alpha:]]`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Where the parser is: what it has written, and what is left.
struct Translator<'p> {
    whole: &'p str,
    rest: &'p str,
    written: String,
    /// The groups around the current one.
    outer: Vec<Group>,
    group: Group,
    /// The text from the repetition that has just been read, if one has.
    last_repeat: Option<&'p str>,
}

/// A group that is being read.
#[derive(Default)]
struct Group {
    /// How often its parts repeat each other at most.
    heaviest: usize,
    /// How often the parts of the last expression repeat each other. `None` where a repetition has nothing to repeat.
    last: Option<usize>,
}

fn error<T>(code: &str, expression: &str) -> Result<T, String> {
    Err(format!("error parsing regexp: {code}: `{expression}`"))
}

/// The part of `text` before `rest`, which is its end.
fn before<'p>(text: &'p str, rest: &str) -> &'p str {
    &text[..text.len() - rest.len()]
}

pub(super) fn from_go(pattern: &str) -> Result<String, String> {
    let mut translator = Translator {
        whole: pattern,
        rest: pattern,
        written: String::with_capacity(pattern.len()),
        outer: Vec::new(),
        group: Group::default(),
        last_repeat: None,
    };
    while let Some(c) = translator.rest.chars().next() {
        let start = translator.rest;
        let is_repeat = translator.next(c)?;
        translator.last_repeat = is_repeat.then_some(start);
    }
    if translator.outer.is_empty() { Ok(translator.written) } else { error("missing closing )", pattern) }
}

impl<'p> Translator<'p> {
    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    /// Adds an expression that can be repeated.
    fn push(&mut self, written: &str) {
        self.written.push_str(written);
        self.group.heaviest = self.group.heaviest.max(1);
        self.group.last = Some(1);
    }

    fn literal(&mut self, c: char) {
        self.push(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }

    /// Reads what begins with that character. Returns whether it is a repetition.
    fn next(&mut self, c: char) -> Result<bool, String> {
        match c {
            '(' if self.rest.starts_with("(?") => self.flags()?,
            '(' => {
                self.skip(1);
                self.open("(");
            }
            ')' => {
                let Some(outer) = self.outer.pop() else { return error("unexpected )", self.whole) };
                self.skip(1);
                self.written.push(')');
                let inner = std::mem::replace(&mut self.group, outer);
                let weight = inner.heaviest.max(1);
                self.group.heaviest = self.group.heaviest.max(weight);
                self.group.last = Some(weight);
            }
            '|' => {
                self.skip(1);
                self.written.push('|');
                self.group.last = None;
            }
            '^' | '$' => {
                self.skip(1);
                self.push(if c == '^' { "(?:^)" } else { "(?:$)" });
            }
            '.' => {
                self.skip(1);
                self.push(".");
            }
            '[' => self.class()?,
            '*' | '+' | '?' => {
                self.repeat(&c.to_string(), &self.rest[1..], 1)?;
                return Ok(true);
            }
            '{' => match repetition(self.rest) {
                Some(found) => {
                    let Some((least, most)) = found.range() else {
                        return error("invalid repeat count", before(self.rest, found.rest));
                    };
                    let times = most.unwrap_or(least);
                    let text = match most {
                        Some(most) => format!("{{{least},{most}}}"),
                        None => format!("{{{least},}}"),
                    };
                    self.repeat(&text, found.rest, times)?;
                    return Ok(true);
                }
                None => {
                    self.skip(1);
                    self.literal('{');
                }
            },
            '\\' => self.escaped()?,
            _ => {
                self.skip(c.len_utf8());
                self.literal(c);
            }
        }
        Ok(false)
    }

    fn open(&mut self, written: &str) {
        self.written.push_str(written);
        self.outer.push(std::mem::take(&mut self.group));
    }

    /// Repeats the last expression `times`.
    fn repeat(&mut self, operator: &str, after: &'p str, times: usize) -> Result<(), String> {
        let is_lazy = after.starts_with('?');
        let after = after.strip_prefix('?').unwrap_or(after);
        if let Some(last) = self.last_repeat {
            return error("invalid nested repetition operator", before(last, after));
        }
        let shown = before(self.rest, after);
        let Some(inner) = self.group.last else {
            return error("missing argument to repetition operator", shown);
        };
        let weight = if times == 0 { 1 } else { inner * times };
        if weight > MOST && times > 1 {
            return error("invalid repeat count", shown);
        }
        self.written.push_str(operator);
        self.written.push_str(if is_lazy { "?" } else { "" });
        self.group.heaviest = self.group.heaviest.max(weight);
        self.group.last = Some(weight);
        self.rest = after;
        Ok(())
    }

    /// `(?`: a group with a name or with flags, or flags for the rest of the group.
    fn flags(&mut self) -> Result<(), String> {
        let start = self.rest;
        let name_at = if start.starts_with("(?P<") && start.len() > 4 {
            4
        } else if start.starts_with("(?<") && start.len() > 3 {
            3
        } else {
            0
        };
        if name_at > 0 {
            let Some(end) = start.find('>') else { return error("invalid named capture", start) };
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = start.get(name_at..end).unwrap_or_default();
            if name.is_empty() || !name.chars().all(is_word) {
                return error("invalid named capture", &start[..=end]);
            }
            self.skip(end + 1);
            // Its name has no meaning here.
            self.open("(");
            return Ok(());
        }
        let mut on = String::new();
        let mut off = String::new();
        let mut is_off = false;
        let mut is_empty = true;
        self.skip(2);
        while let Some(c) = self.rest.chars().next() {
            self.skip(c.len_utf8());
            match c {
                'i' | 'm' | 's' | 'U' => {
                    is_empty = false;
                    on.retain(|other| other != c);
                    off.retain(|other| other != c);
                    if is_off { &mut off } else { &mut on }.push(c);
                }
                '-' if !is_off => (is_off, is_empty) = (true, true),
                ':' | ')' if !is_off || !is_empty => {
                    let dash = if off.is_empty() { "" } else { "-" };
                    match c {
                        ':' => self.open(&format!("(?{on}{dash}{off}:")),
                        _ if on.is_empty() && off.is_empty() => {}
                        _ => self.written.push_str(&format!("(?{on}{dash}{off})")),
                    }
                    return Ok(());
                }
                _ => break,
            }
        }
        error("invalid or unsupported Perl syntax", before(start, self.rest))
    }

    /// A backslash outside of a class.
    fn escaped(&mut self) -> Result<(), String> {
        let assertion = match self.rest.as_bytes().get(1) {
            Some(b'A') => r"(?:\A)",
            Some(b'b') => r"(?-u:\b)",
            Some(b'B') => r"(?-u:\B)",
            Some(b'z') => r"(?:\z)",
            Some(b'C') => return error("invalid escape sequence", &self.rest[..2]),
            Some(b'Q') => {
                let quoted = &self.rest[2..];
                let (text, rest) = quoted.split_once(r"\E").unwrap_or((quoted, ""));
                text.chars().for_each(|c| self.literal(c));
                self.rest = rest;
                return Ok(());
            }
            _ => "",
        };
        if !assertion.is_empty() {
            self.skip(2);
            self.push(assertion);
        } else if let Some(named) = self.named()? {
            self.push(&format!("[{named}]"));
        } else {
            let c = self.character()?;
            self.literal(c);
        }
        Ok(())
    }

    /// A class with a name, such as `\d` and `\p{Greek}`, as it is written in brackets.
    fn named(&mut self) -> Result<Option<String>, String> {
        let start = self.rest;
        let mut after = self.rest.chars();
        after.next();
        let class = match after.next() {
            Some('d') => "0-9",
            Some('D') => "^0-9",
            Some('w') => "0-9A-Za-z_",
            Some('W') => "^0-9A-Za-z_",
            Some('s') => r"\t\n\f\r ",
            Some('S') => r"^\t\n\f\r ",
            Some(c @ ('p' | 'P')) => return self.unicode(start, c == 'P').map(Some),
            _ => return Ok(None),
        };
        self.skip(2);
        Ok(Some(format!("[{class}]")))
    }

    fn unicode(&mut self, start: &'p str, is_not: bool) -> Result<String, String> {
        let after = &start[2..];
        let (name, end) = match after.chars().next() {
            None => return error("invalid character class range", start),
            Some('{') => match start.find('}') {
                Some(end) => (&start[3..end], end + 1),
                None => return error("invalid character class range", start),
            },
            Some(c) => (&after[..c.len_utf8()], 2 + c.len_utf8()),
        };
        let (name, is_not) = match name.strip_prefix('^') {
            Some(name) => (name, !is_not),
            None => (name, is_not),
        };
        let p = if is_not { 'P' } else { 'p' };
        // Go knows categories and scripts, but no other properties.
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "_- ".contains(c));
        let known = ["gc", "sc"].into_iter().map(|kind| format!("\\{p}{{{kind}={name}}}"));
        let found = known.into_iter().find(|class| is_name && Regex::new(class).is_ok());
        self.skip(end);
        found.map_or_else(|| error("invalid character class range", &start[..end]), Ok)
    }

    /// A backslash and what it makes a character of.
    fn character(&mut self) -> Result<char, String> {
        let start = self.rest;
        self.skip(1);
        let Some(c) = self.rest.chars().next() else {
            return error("trailing backslash at end of expression", "");
        };
        self.skip(c.len_utf8());
        let digits = |text: &str, radix: u32, most: usize| {
            text.chars().take(most).take_while(|c| c.is_digit(radix)).count()
        };
        let code = match c {
            '1'..='7' if digits(self.rest, 8, 1) == 0 => None,
            '0'..='7' => {
                let more = digits(self.rest, 8, 2);
                let code = u32::from_str_radix(&start[1..2 + more], 8).ok();
                self.skip(more);
                code
            }
            'x' if self.rest.starts_with('{') => {
                self.skip(1);
                self.braced()
            }
            'x' => {
                let read: usize = self.rest.chars().take(2).map(char::len_utf8).sum();
                let code = if digits(self.rest, 16, 2) == 2 { &self.rest[..2] } else { "" };
                let code = u32::from_str_radix(code, 16).ok();
                self.skip(read);
                code
            }
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        let shown = before(start, self.rest);
        code.and_then(char::from_u32).map_or_else(|| error("invalid escape sequence", shown), Ok)
    }

    /// The rest of `\x{1F600}`. It stops where Go does, which shows what it has read.
    fn braced(&mut self) -> Option<u32> {
        let mut code = None;
        while let Some(c) = self.rest.chars().next() {
            self.skip(c.len_utf8());
            if c == '}' {
                return code;
            }
            let larger = code.unwrap_or(0) * 16 + c.to_digit(16)?;
            code = Some(larger).filter(|code| *code <= u32::from(char::MAX));
            code?;
        }
        None
    }

    fn class(&mut self) -> Result<(), String> {
        let start = self.rest;
        let mut written = String::from("[");
        self.skip(1);
        if self.rest.starts_with('^') {
            self.skip(1);
            written.push('^');
        }
        let mut is_first = true;
        while is_first || !self.rest.starts_with(']') {
            is_first = false;
            if let Some(end) = self.rest.strip_prefix("[:").and_then(|rest| rest.find(":]")) {
                let name = &self.rest[..end + 4];
                let plain = name[2..end + 2].trim_start_matches('^');
                if name.starts_with("[:^^") || !CLASSES.contains(&plain) {
                    return error("invalid character class range", name);
                }
                written.push_str(name);
                self.skip(end + 4);
                continue;
            }
            if self.rest.starts_with('\\')
                && let Some(named) = self.named()?
            {
                written.push_str(&named);
                continue;
            }
            let range = self.rest;
            let from = self.class_character(start)?;
            let mut to = from;
            if self.rest.starts_with('-') && self.rest.len() > 1 && !self.rest.starts_with("-]") {
                self.skip(1);
                to = self.class_character(start)?;
                if to < from {
                    return error("invalid character class range", before(range, self.rest));
                }
            }
            written.push_str(&format!("\\x{{{:x}}}-\\x{{{:x}}}", u32::from(from), u32::from(to)));
        }
        self.skip(1);
        written.push(']');
        self.push(&written);
        Ok(())
    }

    fn class_character(&mut self, start: &str) -> Result<char, String> {
        match self.rest.chars().next() {
            None => error("missing closing ]", start),
            Some('\\') => self.character(),
            Some(c) => {
                self.skip(c.len_utf8());
                Ok(c)
            }
        }
    }
}

/// `{2}`, `{2,}` or `{2,3}`.
struct Repetition<'p> {
    least: &'p str,
    /// `None` if it is the same; empty if there is none.
    most: Option<&'p str>,
    rest: &'p str,
}

/// A repetition at the start of a text. Other braces are characters.
fn repetition(text: &str) -> Option<Repetition<'_>> {
    let number = |text: &'_ str| {
        let count = text.bytes().take_while(u8::is_ascii_digit).count();
        (count == 1 || count > 1 && !text.starts_with('0')).then_some(count)
    };
    let inner = text.strip_prefix('{')?;
    let (least, rest) = inner.split_at(number(inner)?);
    if let Some(rest) = rest.strip_prefix('}') {
        return Some(Repetition { least, most: None, rest });
    }
    let inner = rest.strip_prefix(',')?;
    let (most, rest) = inner.split_at(if inner.starts_with('}') { 0 } else { number(inner)? });
    Some(Repetition { least, most: Some(most), rest: rest.strip_prefix('}')? })
}

impl Repetition<'_> {
    /// `None` if the numbers are too large or in the wrong order.
    fn range(&self) -> Option<(usize, Option<usize>)> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number <= MOST);
        let least = number(self.least)?;
        let most = match self.most {
            None => Some(least),
            Some("") => None,
            Some(most) => Some(number(most)?),
        };
        most.is_none_or(|most| least <= most).then_some((least, most))
    }
}
