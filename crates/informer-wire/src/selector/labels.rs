//! Label selectors: `app=web,tier in (front,back),!legacy`. Grammar and error messages are those of the real
//! server.

use crate::names::{label_key_problems, label_value_problems};

/// A condition on one label: that it is there or not, or that it has one of some values or none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

impl Requirement {
    /// The label has one of these values.
    pub fn one_of(key: String, values: impl IntoIterator<Item = String>) -> Self {
        Self { key, operator: Operator::In(sorted(values)) }
    }

    /// The label has none of these values, or is not there.
    pub fn none_of(key: String, values: impl IntoIterator<Item = String>) -> Self {
        Self { key, operator: Operator::NotIn(sorted(values)) }
    }

    /// The label is there.
    pub fn exists(key: String) -> Self {
        Self { key, operator: Operator::Exists }
    }

    /// The label is not there.
    pub fn absent(key: String) -> Self {
        Self { key, operator: Operator::Absent }
    }

    /// The key of the label.
    #[inline]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether a label with this value fulfils the condition; `None` if the object does not have it.
    #[inline]
    pub fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        // `values` is sorted.
        let among = |values: &[String]| {
            value.is_some_and(|value| values.binary_search_by(|other| other.as_str().cmp(value)).is_ok())
        };
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => among(values),
            Operator::NotIn(values) => !among(values),
            Operator::Greater(than) => number().is_some_and(|number| number > *than),
            Operator::Less(than) => number().is_some_and(|number| number < *than),
        }
    }
}

fn sorted(values: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut values: Vec<String> = values.into_iter().collect();
    values.sort();
    values.dedup();
    values
}

/// Parses a selector; the error has the message of the real server.
pub(super) fn parse(selector: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(selector), at: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            Token::End => return Ok(requirements),
            Token::Word(_) | Token::Symbol("!") => {}
            found @ Token::Symbol(_) => {
                return Err(format!("found '{}', expected: !, identifier, or 'end of string'", found.text()));
            }
        }
        let requirement = parser.requirement();
        requirements.push(requirement.map_err(|why| format!("unable to parse requirement: {why}"))?);
        match parser.next() {
            Token::End => return Ok(requirements),
            Token::Symbol(",") => match parser.peek() {
                Token::Word(_) | Token::Symbol("!") => {}
                found => return Err(format!("found '{}', expected: identifier after ','", found.text())),
            },
            found => return Err(format!("found '{}', expected: ',' or 'end of string'", found.text())),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A key, a value, or `in` and `notin`, which are keywords only where an operator is expected.
    Word(&'a str),
    Symbol(&'static str),
    End,
}

impl Token<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Word(text) => text,
            Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

const SYMBOLS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

fn tokens(selector: &str) -> Vec<Token<'_>> {
    let is_symbol = |c: char| "=!(),><".contains(c);
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let mut tokens = Vec::new();
    let mut rest = selector.trim_start_matches(is_space);
    while !rest.is_empty() {
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            tokens.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
        } else {
            let end = rest.find(|c| is_symbol(c) || is_space(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..end]));
            rest = &rest[end..];
        }
        rest = rest.trim_start_matches(is_space);
    }
    tokens
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let absent = self.peek() == Token::Symbol("!");
        if absent {
            self.next();
        }
        let key = match self.next() {
            Token::Word(key) => key.to_owned(),
            found => return Err(format!("found '{}', expected: identifier", found.text())),
        };
        if let Some(problem) = label_key_problems(&key).first() {
            return Err(format!("<nil>: Invalid value: {key:?}: {problem}"));
        }
        let operator = match self.peek() {
            _ if absent => Operator::Absent,
            Token::End | Token::Symbol(",") => Operator::Exists,
            _ => self.operator(&key)?,
        };
        Ok(Requirement { key, operator })
    }

    fn operator(&mut self, key: &str) -> Result<Operator, String> {
        let operator = self.next();
        let operator = operator.text();
        let values = match operator {
            "in" | "notin" => self.values()?,
            "=" | "==" | "!=" | ">" | "<" => vec![self.value()?],
            found => return Err(format!("found '{found}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        if let ">" | "<" = operator {
            let number = values[0].parse().map_err(|_| {
                let value = &values[0];
                format!("values[0]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer")
            })?;
            return Ok(if operator == ">" { Operator::Greater(number) } else { Operator::Less(number) });
        }
        for (at, value) in values.iter().enumerate() {
            if let Some(problem) = label_value_problems(value).first() {
                return Err(format!("values[{at}][{key}]: Invalid value: {value:?}: {problem}"));
            }
        }
        Ok(if let "notin" | "!=" = operator { Operator::NotIn(values) } else { Operator::In(values) })
    }

    /// The value after an operator; empty if there is none.
    fn value(&mut self) -> Result<String, String> {
        if let Token::End | Token::Symbol(",") = self.peek() {
            return Ok(String::new());
        }
        match self.next() {
            Token::Word(value) => Ok(value.to_owned()),
            found => Err(format!("found '{}', expected: identifier", found.text())),
        }
    }

    /// The values in parentheses, sorted. An empty place between two commas is an empty value.
    fn values(&mut self) -> Result<Vec<String>, String> {
        match self.next() {
            Token::Symbol("(") => {}
            found => return Err(format!("found '{}' expected: '('", found.text())),
        }
        match self.peek() {
            Token::Word(_) | Token::Symbol("," | ")") => {}
            found => return Err(format!("found '{}', expected: ',', ')' or identifier", found.text())),
        }
        let mut values = Vec::new();
        loop {
            match self.peek() {
                Token::Word(value) => {
                    values.push(value.to_owned());
                    self.next();
                }
                Token::Symbol("," | ")") => values.push(String::new()),
                found => return Err(format!("found '{}', expected: ',', or identifier", found.text())),
            }
            match self.next() {
                Token::Symbol(",") => {}
                Token::Symbol(")") => break,
                found => return Err(format!("found '{}', expected: ',' or ')'", found.text())),
            }
        }
        Ok(sorted(values))
    }
}
