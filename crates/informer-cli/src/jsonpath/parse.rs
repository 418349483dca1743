//! From text to templates and paths. What is not understood is refused, with what to write instead.

use serde_json::Value;

use super::{Comparison, Filter, Operand, Path, Piece, Slice, Step, Template};

impl Template {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let (pieces, ended) = parser.pieces()?;
        match ended {
            true => Err("{end} without {range}".to_owned()),
            false => Ok(Self(pieces)),
        }
    }
}

impl Path {
    /// A path as people write it: `.a.b`, `a.b`, `{.a.b}` or `{a.b}`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let bare = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text).trim();
        if bare.is_empty() {
            return Err("the path is empty; expected one such as .metadata.name".to_owned());
        }
        let begins = bare.starts_with(['.', '[', '@', '$']);
        let dotted = if begins { bare.to_owned() } else { format!(".{bare}") };
        let mut parser = Parser { rest: &dotted };
        let path = parser.path(false)?;
        match parser.rest {
            "" => Ok(path),
            rest => Err(format!("{rest:?} does not belong to a path such as .metadata.name")),
        }
    }
}

/// Reads from the beginning of what is left.
struct Parser<'a> {
    rest: &'a str,
}

/// What the braces have in them.
enum Action {
    Piece(Piece),
    Range(Path),
    End,
}

impl<'a> Parser<'a> {
    /// Pieces up to the end of the text or of the range, and whether it was an `{end}`.
    fn pieces(&mut self) -> Result<(Vec<Piece>, bool), String> {
        let mut pieces = Vec::new();
        while let Some(brace) = self.rest.find('{') {
            let text = self.skip(brace);
            if !text.is_empty() {
                pieces.push(Piece::Text(text.to_owned()));
            }
            self.skip(1);
            match self.action()? {
                Action::Piece(piece) => pieces.push(piece),
                // As in kubectl the last range may go on to the end of the template.
                Action::Range(path) => pieces.push(Piece::Range(path, self.pieces()?.0)),
                Action::End => return Ok((pieces, true)),
            }
        }
        if !self.rest.is_empty() {
            pieces.push(Piece::Text(self.skip(self.rest.len()).to_owned()));
        }
        Ok((pieces, false))
    }

    /// The inside of braces, and the closing one.
    fn action(&mut self) -> Result<Action, String> {
        self.blanks();
        let action = match self.peek() {
            Some('"' | '\'') => Action::Piece(Piece::Text(self.quoted()?)),
            Some(c) if c.is_ascii_digit() || c == '-' || c == '+' => {
                Action::Piece(Piece::Text(super::go_text(&self.number()?)))
            }
            Some(c) if c.is_alphanumeric() || c == '_' => match self.word() {
                "range" => Action::Range(self.path(false)?),
                "end" => Action::End,
                literal @ ("true" | "false") => Action::Piece(Piece::Text(literal.to_owned())),
                other => return Err(format!("{{{other}}} is no path; did you mean {{.{other}}}?")),
            },
            _ => Action::Piece(Piece::Path(self.path(false)?)),
        };
        self.blanks();
        match self.rest.strip_prefix('}') {
            Some(rest) => self.rest = rest,
            None if self.rest.is_empty() => return Err("a brace { is not closed".to_owned()),
            None => return Err(format!("braces hold one path or one text, and {} follows", self.excerpt())),
        }
        Ok(action)
    }

    /// Steps up to what is none. A comparison ends a path within a filter.
    fn path(&mut self, in_filter: bool) -> Result<Path, String> {
        self.blanks();
        if let Some(rest) = self.rest.strip_prefix(['@', '$']) {
            self.rest = rest;
        }
        let mut steps = Vec::new();
        loop {
            if let Some(rest) = self.rest.strip_prefix("..") {
                self.rest = rest;
                if steps.last() == Some(&Step::Descend) || self.rest.starts_with('.') {
                    return Err("`..` can stand only once at a place".to_owned());
                }
                steps.push(Step::Descend);
                if self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    steps.push(Step::Field(self.field(in_filter)?));
                }
            } else if let Some(rest) = self.rest.strip_prefix('.') {
                self.rest = rest;
                match self.field(in_filter)? {
                    // `{.}`, and the dot of `.[0]`.
                    nothing if nothing.is_empty() => {}
                    all if all == "*" => steps.push(Step::Wildcard),
                    name => steps.push(Step::Field(name)),
                }
            } else if let Some(rest) = self.rest.strip_prefix("[?(") {
                self.rest = rest;
                steps.push(Step::Filter(self.filter()?));
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                self.rest = rest;
                steps.push(self.bracket()?);
            } else if matches!(self.peek(), Some(' ')) && self.rest.trim_start().starts_with(['.', '[']) {
                self.blanks();
            } else {
                return Ok(Path(steps));
            }
        }
    }

    /// The name of a field; a backslash makes the next character part of it.
    fn field(&mut self, in_filter: bool) -> Result<String, String> {
        let mut name = String::new();
        let mut characters = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((place, c)) = characters.next() {
            match c {
                '\\' => match characters.next() {
                    Some((_, escaped)) => name.push(escaped),
                    None => return Err("a backslash at the end escapes nothing".to_owned()),
                },
                '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' => {
                    end = place;
                    break;
                }
                '=' | '!' | '<' | '>' | ')' | '&' | '|' if in_filter => {
                    end = place;
                    break;
                }
                c if c.is_whitespace() => {
                    end = place;
                    break;
                }
                c => name.push(c),
            }
        }
        self.skip(end);
        Ok(name)
    }

    /// `0]`, `1:3]`, `*]`, `'a','b']`.
    fn bracket(&mut self) -> Result<Step, String> {
        let mut steps = Vec::new();
        loop {
            self.blanks();
            steps.push(match self.peek() {
                Some(quote @ ('"' | '\'')) => self.key(quote)?,
                _ => {
                    let end = self.rest.find([',', ']']).ok_or("a bracket [ is not closed")?;
                    slice(self.skip(end).trim())?
                }
            });
            self.blanks();
            match self.peek() {
                Some(',') => self.skip(1),
                Some(']') => {
                    self.skip(1);
                    break;
                }
                None => return Err("a bracket [ is not closed".to_owned()),
                Some(_) => return Err(format!("expected ] or a comma, and {} follows", self.excerpt())),
            };
        }
        Ok(match steps.len() {
            1 => steps.remove(0),
            _ => Step::Union(steps),
        })
    }

    /// A name in quotes. Dots in it need no backslash, but may have one, as kubectl wants it.
    fn key(&mut self, quote: char) -> Result<Step, String> {
        self.skip(1);
        let end = self.rest.find(quote).ok_or("a quote in a bracket is not closed")?;
        let name = self.skip(end).replace('\\', "");
        self.skip(1);
        Ok(Step::Field(name))
    }

    /// The inside of `[?( … )]` with its end.
    fn filter(&mut self) -> Result<Filter, String> {
        let left = self.operand()?;
        self.blanks();
        let operator = self.skip(self.rest.find(|c| !"=!<>~".contains(c)).unwrap_or(self.rest.len()));
        let comparison = match operator {
            "" => None,
            "==" => Some(Comparison::Equal),
            "!=" => Some(Comparison::NotEqual),
            "<" => Some(Comparison::Less),
            "<=" => Some(Comparison::LessOrEqual),
            ">" => Some(Comparison::Greater),
            ">=" => Some(Comparison::GreaterOrEqual),
            other => return Err(format!("a filter compares with ==, !=, <, <=, > or >=, not with {other}")),
        };
        let compared = match comparison {
            Some(comparison) => Some((comparison, self.operand()?)),
            None => None,
        };
        self.blanks();
        if self.rest.starts_with("&&") || self.rest.starts_with("||") {
            return Err("a filter has one comparison: && and || are not part of kubectl's dialect".to_owned());
        }
        match self.rest.strip_prefix(")]") {
            Some(rest) => self.rest = rest,
            None if self.rest.is_empty() => return Err("a filter [?( is not closed with )]".to_owned()),
            None => return Err(format!("expected )] at the end of a filter, not {}", self.excerpt())),
        }
        Ok(Filter { left, compared })
    }

    fn operand(&mut self) -> Result<Operand, String> {
        self.blanks();
        match self.peek() {
            Some('"' | '\'') => Ok(Operand::Literal(self.quoted()?.into())),
            Some(c) if c.is_ascii_digit() || c == '-' || c == '+' => Ok(Operand::Literal(self.number()?)),
            Some('@' | '$' | '.' | '[') => Ok(Operand::Path(self.path(true)?)),
            Some(c) if c.is_alphanumeric() || c == '_' => match self.field(true)?.as_str() {
                "true" => Ok(Operand::Literal(true.into())),
                "false" => Ok(Operand::Literal(false.into())),
                other => Err(format!(
                    "in a filter a text has quotes and a path begins with @: \"{other}\" or @.{other}"
                )),
            },
            _ => Err("a filter compares a path with a value, as in [?(@.type==\"Ready\")]".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Value, String> {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).unwrap_or(self.rest.len());
        let text = self.skip(end);
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        let whole = unsigned.parse::<i64>().map(Value::from);
        whole
            .or_else(|_| unsigned.parse::<f64>().map(Value::from))
            .map_err(|_| format!("{text} is not a number"))
    }

    /// A text in quotes, with the escapes of Go.
    fn quoted(&mut self) -> Result<String, String> {
        let quote = self.peek().ok_or("a quote is missing")?;
        self.skip(quote.len_utf8());
        let mut text = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((place, c)) = characters.next() {
            match c {
                c if c == quote => {
                    self.skip(place + quote.len_utf8());
                    return Ok(text);
                }
                '\n' => break,
                '\\' => text.push(match characters.next().map(|(_, escaped)| escaped) {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some(same @ ('\\' | '"' | '\'')) => same,
                    Some(other) => {
                        return Err(format!(
                            "\\{other} is no escape; there are \\n, \\t, \\r, \\\\, \\\" and \\'"
                        ));
                    }
                    None => break,
                }),
                c => text.push(c),
            }
        }
        Err(format!("a text is not closed with {quote}"))
    }

    fn word(&mut self) -> &'a str {
        self.skip(
            self.rest.find(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).unwrap_or(self.rest.len()),
        )
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Steps over so many bytes and returns them.
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        skipped
    }

    /// The beginning of what is left, for errors.
    fn excerpt(&self) -> String {
        format!("{:?}", self.rest.chars().take(20).collect::<String>())
    }
}

/// `0`, `-1`, `1:3`, `::2`, `*`.
fn slice(text: &str) -> Result<Step, String> {
    if text == "*" {
        return Ok(Step::Slice(Slice::From(None, None, 1)));
    }
    let wrong = || match text {
        "" => "a bracket [] is empty; [*] means all elements".to_owned(),
        _ => format!(
            "[{text}] is no index; expected a number, a slice such as 1:3, *, a name in quotes, or for an element with \
             that name a filter such as [?(@.name==\"{text}\")]"
        ),
    };
    let number = |text: &str| match text {
        "" => Ok(None),
        _ => text.parse::<i64>().map(Some).map_err(|_| wrong()),
    };
    let parts: Vec<_> = text.split(':').map(str::trim).collect();
    match parts.as_slice() {
        [one] => Ok(Step::Slice(Slice::At(number(one)?.ok_or_else(wrong)?))),
        [start, end] => Ok(Step::Slice(Slice::From(number(start)?, number(end)?, 1))),
        [start, end, step] => match number(step)?.unwrap_or(1) {
            step if step > 0 => {
                let step = usize::try_from(step).map_err(|_| wrong())?;
                Ok(Step::Slice(Slice::From(number(start)?, number(end)?, step)))
            }
            step => Err(format!("the step of a slice is at least 1, not {step}")),
        },
        _ => Err(wrong()),
    }
}
