use super::*;

#[test]
fn keys_have_meanings() {
    let plain = |code| Key::of(KeyEvent::new(code, KeyModifiers::NONE));
    assert_eq!(plain(KeyCode::Up), Some(Key::Up));
    assert_eq!(plain(KeyCode::Char('q')), Some(Key::Letter('q')));
    assert_eq!(plain(KeyCode::F(1)), None);
    let shifted = KeyEvent::new(KeyCode::Char('S'), KeyModifiers::SHIFT);
    assert_eq!(Key::of(shifted), Some(Key::Letter('S')));
    let control = |letter| Key::of(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
    assert_eq!((control('c'), control('u'), control('q')), (Some(Key::Interrupt), Some(Key::Erase), None));
}

#[test]
fn a_key_that_is_let_go_is_not_pressed_again() {
    let released = KeyEvent::new_with_kind(KeyCode::Char('q'), KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(Key::of(released), None);
    let with_alt = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT);
    assert_eq!(Key::of(with_alt), None, "this is another key");
}
