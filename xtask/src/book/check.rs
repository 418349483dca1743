//! Every link within the book leads to a page or a file of it, and its fragment to a place on that page. A page asks nobody
//! else for anything: readers may be offline, and where they read is nobody's business.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::links::resolve;

/// The links of `pages` (name and HTML) that lead nowhere. `is_file` says whether the book has a file that is no page.
pub(crate) fn dead_links(pages: &[(String, String)], is_file: &dyn Fn(&str) -> bool) -> Vec<String> {
    let places: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|(name, html)| (name.as_str(), values(html, " id=\"").collect())).collect();
    let mut dead = Vec::new();
    for (name, html) in pages {
        let targets: BTreeSet<String> =
            [" href=\"", " src=\""].iter().flat_map(|attribute| values(html, attribute)).collect();
        for target in targets.iter().filter(|target| is_inner(target)) {
            let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
            let path = path.split('?').next().unwrap_or_default();
            let path = if path.is_empty() { Some(name.clone()) } else { resolve(name, path) };
            let is_alive = path.is_some_and(|path| match places.get(path.as_str()) {
                Some(ids) => fragment.is_empty() || ids.contains(fragment),
                None => is_file(&path),
            });
            if !is_alive {
                dead.push(format!("{name}: link to `{target}`, which is not there"));
            }
        }
    }
    dead
}

/// What the pages load from other sites, and blocks of code that would be sent to one.
pub(crate) fn fetches(pages: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, html) in pages {
        if html.contains("class=\"playground") {
            found.push(format!(
                "{name}: a block that play.rust-lang.org would run; see `playground` in book.toml"
            ));
        }
        for tag in html.split('<').filter_map(|rest| rest.split('>').next()) {
            let is_loaded = tag.starts_with("link ") && !ONLY_NAMED.iter().any(|rel| tag.contains(rel));
            let attributes: &[&str] = if is_loaded {
                &[" href=\"", " src=\""]
            } else {
                &[" src=\"", " srcset=\"", " poster=\"", " data=\""]
            };
            let targets = attributes.iter().flat_map(|attribute| values(tag, attribute));
            for target in targets.filter(|target| target.contains("://") || target.starts_with("//")) {
                found.push(format!("{name}: loads `{target}` from another site"));
            }
        }
    }
    found
}

/// Kinds of `link` that no browser loads.
const ONLY_NAMED: [&str; 2] = ["rel=\"canonical\"", "rel=\"license\""];

/// The values of an attribute, with its space before and its quote after, as mdBook writes it.
fn values<'a>(html: &'a str, attribute: &'a str) -> impl Iterator<Item = String> + 'a {
    html.split(attribute).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.replace("&amp;", "&")))
}

/// Whether it leads to a place in the book.
fn is_inner(target: &str) -> bool {
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:") || target.starts_with("data:");
    // The root of the site, which only the page for what is not found asks for.
    !is_elsewhere && !target.is_empty() && target != "#" && !target.starts_with('/')
}

#[cfg(test)]
mod tests;
