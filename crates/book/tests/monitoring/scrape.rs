//! What a program reports.

use std::collections::{BTreeMap, BTreeSet};

/// Each metric, with its labels and their values.
#[derive(Debug)]
pub(crate) struct Scrape {
    metrics: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Scrape {
    /// Reads Prometheus text. None of the values here has a quote in it.
    pub(crate) fn parse(text: &str) -> Self {
        let mut metrics: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let end = line.find(['{', ' ']).unwrap();
            let labels = metrics.entry(line[..end].to_owned()).or_default();
            let Some((inner, _)) = line[end..].strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
                continue;
            };
            for label in inner.split("\",") {
                let (name, value) = label.split_once("=\"").unwrap();
                labels.entry(name.to_owned()).or_default().insert(value.trim_end_matches('"').to_owned());
            }
        }
        Self { metrics }
    }

    /// The labels of a metric and their values.
    pub(crate) fn labels(&self, metric: &str) -> Option<&BTreeMap<String, BTreeSet<String>>> {
        self.metrics.get(metric)
    }
}

#[test]
fn labels_and_values_are_read() {
    let scrape = Scrape::parse("# TYPE a counter\na{x=\"1\",y=\"\"} 3\na{x=\"2\",y=\"z\"} 4\nb 5\n");
    assert_eq!(scrape.labels("a").unwrap()["x"].len(), 2);
    assert!(scrape.labels("b").unwrap().is_empty() && scrape.labels("c").is_none());
}
