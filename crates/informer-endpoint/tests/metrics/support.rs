//! A strict parser of the text format of Prometheus: anything unexpected is an error.

use std::collections::{BTreeMap, BTreeSet};

/// One metric with all of its samples.
#[derive(Debug, Default)]
pub(crate) struct Family {
    pub(crate) help: String,
    pub(crate) kind: String,
    /// Name with suffix, labels in order, value.
    pub(crate) samples: Vec<(String, BTreeMap<String, String>, f64)>,
}

/// Every metric by its name. Each must have HELP and TYPE before its samples, and all its samples must follow each other,
/// without duplicates.
pub(crate) fn parse(text: &str) -> Result<BTreeMap<String, Family>, String> {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut current: Option<String> = None;
    let mut seen = BTreeSet::new();
    if !text.ends_with('\n') {
        return Err("the last line does not end".to_owned());
    }
    for line in text.lines().filter(|line| !line.is_empty()) {
        let wrong = |what: &str| format!("{what}: {line}");
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').ok_or_else(|| wrong("no help"))?;
            let family = Family { help: help.to_owned(), ..Family::default() };
            if families.insert(name.to_owned(), family).is_some() {
                return Err(wrong("a second time"));
            }
            current = Some(name.to_owned());
            continue;
        }
        let name = current.as_deref().ok_or_else(|| wrong("no HELP before it"))?;
        let family = families.get_mut(name).ok_or_else(|| wrong("no HELP before it"))?;
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (of, kind) = rest.split_once(' ').ok_or_else(|| wrong("no type"))?;
            if of != name || !family.kind.is_empty() || !family.samples.is_empty() {
                return Err(wrong("the TYPE is not right after its HELP"));
            }
            if !["counter", "gauge", "histogram", "summary"].contains(&kind) {
                return Err(wrong("no such type"));
            }
            family.kind = kind.to_owned();
            continue;
        }
        let (sample, labels, value) = sample(line).ok_or_else(|| wrong("no sample"))?;
        let suffix = sample.strip_prefix(name).ok_or_else(|| wrong("not of the metric above it"))?;
        let suffixes: &[&str] = match family.kind.as_str() {
            "histogram" => &["_bucket", "_sum", "_count"],
            "summary" => &["", "_sum", "_count"],
            "counter" | "gauge" => &[""],
            _ => return Err(wrong("no TYPE before it")),
        };
        if !suffixes.contains(&suffix) {
            return Err(wrong("not a sample of this type"));
        }
        if !seen.insert((sample.clone(), labels.clone())) {
            return Err(wrong("twice"));
        }
        family.samples.push((sample, labels, value));
    }
    families
        .iter()
        .filter(|(_, family)| family.kind == "histogram")
        .try_for_each(|(name, it)| cumulative(name, it))?;
    Ok(families)
}

/// `name{label="value",…} number` and nothing after it.
fn sample(line: &str) -> Option<(String, BTreeMap<String, String>, f64)> {
    let end = line.find(['{', ' '])?;
    let (name, mut rest) = line.split_at(end);
    let mut labels = BTreeMap::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, after) = rest.split_once("=\"")?;
            let (value, after) = quoted(after)?;
            if !is_name(label) || labels.insert(label.to_owned(), value).is_some() {
                return None;
            }
            match after.strip_prefix(',') {
                Some(more) => rest = more,
                None => {
                    rest = after.strip_prefix('}')?;
                    break;
                }
            }
        }
    }
    let value = match rest.strip_prefix(' ')? {
        "+Inf" => f64::INFINITY,
        number => number.parse().ok()?,
    };
    is_name(name).then(|| (name.to_owned(), labels, value))
}

/// The text up to the closing quote, and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                same @ ('\\' | '"') => same,
                _ => return None,
            }),
            other => value.push(other),
        }
    }
    None
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}

/// Checks a histogram: bounds and counts of buckets increase, and the last bucket has all samples.
fn cumulative(name: &str, family: &Family) -> Result<(), String> {
    let mut buckets: BTreeMap<BTreeMap<String, String>, Vec<(f64, f64)>> = BTreeMap::new();
    let of =
        |suffix: &'static str| family.samples.iter().filter(move |(sample, _, _)| sample.ends_with(suffix));
    for (_, labels, count) in of("_bucket") {
        let mut labels = labels.clone();
        let bound = labels.remove("le").ok_or_else(|| format!("a bucket of {name} without a bound"))?;
        let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().map_err(|_| bound)? };
        buckets.entry(labels).or_default().push((bound, *count));
    }
    for (_, labels, count) in of("_count") {
        let buckets = buckets.get(labels).ok_or_else(|| format!("{name} without buckets"))?;
        let rising = buckets.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        if !rising || buckets.last() != Some(&(f64::INFINITY, *count)) {
            return Err(format!("the buckets of {name} are not cumulative: {buckets:?}, {count}"));
        }
    }
    Ok(())
}
