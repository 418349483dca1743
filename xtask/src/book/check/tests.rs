use super::dead_links;

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
