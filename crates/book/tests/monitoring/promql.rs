//! What an expression of PromQL asks for: metrics, and labels in matchers, in groupings and in texts. Not a parser of all of it, but of
//! what `docs/monitoring` uses; what it does not know becomes a metric that nobody reports.

use std::collections::BTreeSet;

use crate::scrape::Scrape;

/// Words that are neither metrics nor functions.
const OPERATORS: [&str; 4] = ["and", "or", "unless", "bool"];

/// Words after which labels are listed.
const GROUPINGS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];

/// What Prometheus adds to what a program reports.
const ADDED: [&str; 2] = ["job", "instance"];

#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    metrics: Vec<(String, Vec<Matcher>)>,
    grouped_by: BTreeSet<String>,
    /// The labels of what comes out, if the outermost part of the expression says so.
    results_in: Option<BTreeSet<String>>,
    shown: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct Matcher {
    label: String,
    values: Vec<String>,
}

impl Query {
    pub(crate) fn new(expression: &str) -> Self {
        let mut query = Self::default();
        let mut rest = expression.trim_start();
        while let Some(first) = rest.chars().next() {
            if first == '[' {
                rest = rest.split_once(']').map_or("", |(_, rest)| rest);
            } else if first == '_' || first.is_ascii_alphabetic() {
                let end = rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = query.word(word, after.trim_start());
            } else if first.is_ascii_digit() {
                rest = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.');
            } else {
                rest = &rest[first.len_utf8()..];
            }
        }
        let outer = expression.trim_start().strip_prefix("sum by (").and_then(|rest| rest.split_once(')'));
        query.results_in = outer.map(|(labels, _)| names(labels));
        query
    }

    /// Takes in a word, and returns what is left after it and what belongs to it.
    fn word<'a>(&mut self, word: &str, after: &'a str) -> &'a str {
        if OPERATORS.contains(&word) {
            return after;
        }
        if GROUPINGS.contains(&word) {
            let (labels, rest) = after.trim_start_matches('(').split_once(')').unwrap_or((after, ""));
            self.grouped_by.extend(names(labels));
            return rest;
        }
        // A function, or a sum with its grouping before what is summed up.
        if ["(", "by ", "without "].iter().any(|next| after.starts_with(next)) {
            return after;
        }
        let inner = after.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (matchers, rest) = inner.unwrap_or(("", after));
        let matchers = matchers.split("\",").filter(|matcher| !matcher.is_empty()).map(matcher).collect();
        self.metrics.push((word.to_owned(), matchers));
        rest
    }

    /// Adds the labels that a text names: `{{name}}` in a legend, `$labels.name` in a template.
    pub(crate) fn shows(mut self, text: &str) -> Self {
        let ends = |rest: &str| {
            rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next().map(str::to_owned)
        };
        let is_template = text.contains("$labels.");
        let before = if is_template { "$labels." } else { "{{" };
        self.shown.extend(text.split(before).skip(1).filter_map(ends).filter(|name| !name.is_empty()));
        self
    }

    /// What nobody reports.
    pub(crate) fn problems(&self, scrape: &Scrape) -> Vec<String> {
        let mut problems = Vec::new();
        for (metric, matchers) in &self.metrics {
            let Some(labels) = scrape.labels(metric) else {
                problems.push(format!("no metric {metric}"));
                continue;
            };
            let is_missing =
                |label: &&String| !ADDED.contains(&label.as_str()) && !labels.contains_key(*label);
            let of_matchers = matchers.iter().map(|matcher| &matcher.label);
            for label in self.grouped_by.iter().chain(&self.shown).chain(of_matchers).filter(is_missing) {
                problems.push(format!("{metric} has no label {label}"));
            }
            for Matcher { label, values } in matchers {
                let reported = labels.get(label);
                for value in values.iter().filter(|value| !value.starts_with('$')) {
                    if !reported.is_some_and(|reported| reported.contains(value)) {
                        problems.push(format!("{metric} is never reported with {label}=\"{value}\""));
                    }
                }
            }
        }
        if let Some(left) = &self.results_in {
            let lost = self.shown.iter().filter(|label| !left.contains(*label));
            problems.extend(lost.map(|label| format!("the label {label} is not left after the sum")));
        }
        problems
    }
}

/// `name=~"a|b"`, its last quote cut off or not.
fn matcher(text: &str) -> Matcher {
    let (label, values) = text.split_once('=').or_else(|| text.split_once('!')).unwrap_or((text, ""));
    let values = values.trim_matches(['~', '"', '=']).split('|').map(str::to_owned).collect();
    Matcher { label: label.trim().trim_end_matches('!').to_owned(), values }
}

fn names(list: &str) -> BTreeSet<String> {
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn scraped() -> Scrape {
    Scrape::parse("a_total{name=\"x\",cause=\"list\"} 1\nb{name=\"x\"} 1\n")
}

#[test]
fn what_is_reported_is_fine() {
    let query = Query::new(
        "sum by (job, name) (rate(a_total{job=~\"$job\", cause=~\"list\"}[5m])) > 0.5 and on (name) b == 1",
    );
    assert_eq!(query.metrics.len(), 2);
    assert_eq!(query.shows("{{name}} of {{job}}").problems(&scraped()), Vec::<String>::new());
}

#[test]
fn what_is_not_reported_is_told() {
    let told = |expression: &str, text: &str| Query::new(expression).shows(text).problems(&scraped());
    assert_eq!(told("rate(c_total[5m])", ""), ["no metric c_total"]);
    assert_eq!(told("b{cause=\"list\"}", "")[0], "b has no label cause");
    assert_eq!(
        told("a_total{cause!~\"list|watch\"}", ""),
        ["a_total is never reported with cause=\"watch\""]
    );
    assert_eq!(told("sum by (reason) (a_total)", ""), ["a_total has no label reason"]);
    assert_eq!(told("b", "{{handler}}"), ["b has no label handler"]);
    assert_eq!(told("sum by (name) (a_total)", "{{cause}}"), ["the label cause is not left after the sum"]);
    assert_eq!(told("b", "It is {{ $labels.handler }}"), ["b has no label handler"]);
}
