use super::{dead_links, fetches};

fn dead(pages: &[(&str, &str)]) -> Vec<String> {
    let pages: Vec<_> = pages.iter().map(|(name, html)| ((*name).to_owned(), (*html).to_owned())).collect();
    dead_links(&pages, &|path| path == "pictures/relist.svg")
}

#[test]
fn pages_places_and_files_are_found() {
    let here = r##"<h2 id="one"><a href="#one">One</a></h2><a href="there.html#two">x</a> <img src="pictures/relist.svg">"##;
    assert!(dead(&[("here.html", here), ("there.html", r#"<a id="two"></a>"#)]).is_empty());
}

#[test]
fn a_link_is_followed_from_the_folder_of_its_page() {
    let inner =
        r#"<a href="../here.html#one">x</a> <a href="other.html">y</a> <img src="../pictures/relist.svg">"#;
    let pages = [("here.html", r#"<h2 id="one">"#), ("in/inner.html", inner), ("in/other.html", "")];
    assert!(dead(&pages).is_empty());
    let outside = r#"<a href="../../here.html">x</a> <a href="here.html">y</a>"#;
    assert_eq!(dead(&[("here.html", ""), ("in/inner.html", outside)]).len(), 2);
}

#[test]
fn a_missing_page_place_or_file_is_told() {
    let here = r##"<a href="gone.html">a</a> <a href="there.html#three">b</a> <img src="gone.svg"> <a href="#four">c</a>"##;
    let dead = dead(&[("here.html", here), ("there.html", r#"<a id="two"></a>"#)]);
    let expected = ["#four", "gone.html", "gone.svg", "there.html#three"];
    assert_eq!(dead, expected.map(|target| format!("here.html: link to `{target}`, which is not there")));
}

#[test]
fn what_is_not_in_the_book_is_not_looked_at() {
    assert!(
        dead(&[("here.html", r##"<a href="https://example.com/x">x</a> <a href="#">y</a>"##)]).is_empty()
    );
}

fn fetched(html: &str) -> Vec<String> {
    fetches(&[("here.html".to_owned(), html.to_owned())])
}

#[test]
fn what_a_page_loads_from_elsewhere_is_told() {
    for html in [
        r#"<img src="https://example.com/badge.svg">"#,
        r#"<script async src="//example.com/x.js"></script>"#,
        r#"<link rel="stylesheet" href="https://example.com/fonts.css">"#,
    ] {
        let fetched = fetched(html);
        assert!(fetched.len() == 1 && fetched[0].contains("example.com"), "{html}: {fetched:?}");
    }
}

#[test]
fn a_block_that_would_be_sent_away_is_told() {
    let fetched = fetched(r#"<pre class="playground"><code class="language-rust">fn main() {}</code></pre>"#);
    assert!(fetched.len() == 1 && fetched[0].contains("play.rust-lang.org"), "{fetched:?}");
}

#[test]
fn links_that_readers_follow_and_files_of_the_book_are_no_fetches() {
    let html = concat!(
        r#"<a href="https://example.com/">x</a> <link rel="canonical" href="https://example.com/">"#,
        r#"<link rel="stylesheet" href="css/x.css"> <img src="pictures/relist.svg">"#,
        r#"<code>&lt;img src="https://example.com/"&gt;</code>"#,
    );
    assert!(fetched(html).is_empty());
}
