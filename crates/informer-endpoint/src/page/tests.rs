//! The pages as text: what they refer to, whether they are whole, and whether they can be read.

use super::*;

const FRAMES: [&str; 2] = [include_str!("informers.html"), include_str!("objects.html")];
const SCRIPTS: [&str; 2] = [include_str!("informers.js"), include_str!("objects.js")];

fn pages() -> [&'static Page; 2] {
    [&INFORMERS, &OBJECTS]
}

/// The tags of a page, scripts and styles left out, as name and the rest.
fn tags(html: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag ends");
        let (name, rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        tags.push((name.to_lowercase(), rest.to_owned()));
    }
    tags
}

#[test]
fn a_page_is_whole() {
    for frame in FRAMES {
        let mut open = Vec::new();
        for (name, _) in tags(frame) {
            match name.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().as_deref(), Some(name), "in {open:?}"),
                None if ["!doctype", "meta", "link", "input"].contains(&&*name) => {}
                None => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        assert!(frame.starts_with("<!doctype html>") && frame.contains("<html lang=\"en\">"));
    }
}

#[test]
fn a_page_asks_nobody_else() {
    for page in pages() {
        let html = page.html.replace("http://www.w3.org/2000/svg", "");
        for word in ["http://", "https://", "\"//", "@import", "url(", "<iframe", "<object", "<img", " src="]
        {
            assert!(!html.contains(word), "{word}");
        }
        let links: Vec<_> = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for link in links {
            assert!(link == "data:," || link.starts_with('#') || link.starts_with("/debug/"), "{link}");
        }
    }
}

#[test]
fn the_policy_allows_the_script_and_style_of_the_page_alone() {
    for page in pages() {
        let policy = page.policy.to_str().unwrap();
        for (tag, directive) in [("script", "script-src"), ("style", "style-src")] {
            let (_, rest) = page.html.split_once(&format!("<{tag}>")).expect(tag);
            let (inline, rest) = rest.split_once(&format!("</{tag}>")).expect(tag);
            assert!(!rest.contains(&format!("<{tag}")), "one {tag}");
            assert!(policy.contains(&format!("{directive} '{}';", hash(inline))), "{policy}");
        }
        assert!(
            policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        let frame = page.html.split("<style>").next().unwrap();
        assert!(!frame.contains(" style=") && !frame.contains(" on"), "nothing that the policy forbids");
    }
}

#[test]
fn the_hash_is_the_one_that_browsers_compute() {
    // The empty text's SHA-256 is well known.
    assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

/// Markup is made of data in none of the ways that there are.
#[test]
fn data_enters_a_page_as_text_only() {
    for script in [COMMON].into_iter().chain(SCRIPTS) {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "Function(",
            "srcdoc",
            ".href =",
            "DOMParser",
            "createContextualFragment",
        ] {
            assert!(!script.contains(word), "{word}");
        }
    }
}

#[test]
fn every_part_that_a_script_names_is_on_its_page() {
    for (frame, script) in FRAMES.into_iter().zip(SCRIPTS) {
        let names: Vec<_> =
            script.split("byId('").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
        assert!(!names.is_empty());
        for name in names {
            assert!(frame.contains(&format!("id=\"{name}\"")), "{name}");
        }
        for named in frame.split("aria-labelledby=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(frame.contains(&format!("id=\"{named}\"")), "{named}");
        }
    }
}

/// A number alone may be that of another informer after a restart.
#[test]
fn whatever_the_page_of_objects_asks_for_says_which_informer_it_means() {
    let script = SCRIPTS[1];
    let asking: Vec<_> = script.lines().filter(|line| line.contains("informer: byId(")).collect();
    assert!(asking.len() == 1 && asking[0].contains("of: kind.name"), "{asking:?}");
    assert_eq!(script.matches("meant()").count(), 4, "search, object and changes, and where it is made");
    // It hears of it, and asks for the kinds again, whatever it was that it asked for.
    assert!(COMMON.contains("answer.status === 409") && script.matches("status === 409").count() == 2);
}

#[test]
fn rates_are_not_between_two_programs() {
    assert!(SCRIPTS[0].contains("all.instance !== last.instance"));
}

#[test]
fn a_token_that_no_request_can_have_is_not_tried() {
    let (_, unlock) = SCRIPTS[1].split_once("byId('unlock')").unwrap();
    let checked = unlock.find("canBeSent(").unwrap();
    assert!(checked < unlock.find("token = said").unwrap());
}

/// The colours of a palette by name.
fn palette(css: &str) -> Vec<(String, [f64; 3])> {
    let channel = |text: &str| f64::from(u8::from_str_radix(text, 16).unwrap()) / 255.0;
    let colour = |line: &str| {
        let (name, value) = line.trim().strip_prefix("--")?.split_once(": #")?;
        Some((name.to_owned(), [0, 2, 4].map(|place| channel(&value[place..place + 2]))))
    };
    css.lines().filter_map(colour).collect()
}

/// WCAG 2: the relative luminance.
fn luminance(colour: [f64; 3]) -> f64 {
    let linear = |channel: f64| {
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = colour.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_can_be_read_in_both_palettes() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 0.001);
    let (light, dark) = STYLE.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let names =
        |palette: &[(String, [f64; 3])]| palette.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let (light, dark) = (palette(light), palette(dark));
    assert_eq!(names(&light), names(&dark));
    for palette in [light, dark] {
        let colour = |wanted: &str| palette.iter().find(|(name, _)| name == wanted).expect(wanted).1;
        for text in ["ink", "soft", "accent", "good", "busy", "bad"] {
            for behind in ["paper", "card"] {
                let found = contrast(colour(text), colour(behind));
                assert!(found >= 4.5, "{text} on {behind}: {found:.2}");
            }
        }
    }
}

#[test]
fn no_colour_is_outside_of_the_palettes() {
    let rest = STYLE.lines().filter(|line| !line.trim().starts_with("--"));
    for line in rest {
        assert!(!line.contains('#') && !line.contains("rgb"), "{line}");
    }
}
