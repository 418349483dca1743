use super::{Canvas, width};

#[test]
fn a_picture_is_as_large_as_what_is_in_it() {
    let mut canvas = Canvas::default();
    canvas.rectangle("box", 10.0, 10.0, 100.0, 50.0);
    let svg = canvas.finish("a \"box\"");
    assert!(svg.contains("viewBox=\"0 0 150 100\""), "{svg}");
    assert!(svg.contains("aria-label=\"a &quot;box&quot;\""), "{svg}");
}

#[test]
fn texts_cannot_become_markup() {
    let mut canvas = Canvas::default();
    canvas.text(0.0, 0.0, "<b> & c", "");
    assert!(canvas.finish("").contains(">&lt;b&gt; &amp; c</text>"));
}

#[test]
fn an_arrow_has_its_head_at_its_end() {
    let mut canvas = Canvas::default();
    canvas.line("", &[(0.0, 20.0), (50.0, 20.0)]);
    assert!(canvas.finish("").contains("points=\"50,20 41,15 41,25\""));
    let mut life = Canvas::default();
    life.line("life", &[(0.0, 0.0), (0.0, 50.0)]);
    assert!(!life.finish("").contains("polygon"));
}

#[test]
fn wide_letters_need_more_room() {
    assert!(width("mmm") > width("iii"));
}
