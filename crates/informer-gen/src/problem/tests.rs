use super::Place;

#[test]
fn lines_and_columns_count_from_one_and_in_characters() {
    let place = Place::file("kinds.toml");
    assert_eq!(place.to_string(), "kinds.toml");
    let text = "a = 1\nü = 2\n";
    assert_eq!(place.at_offset(text, 0).to_string(), "kinds.toml:1:1");
    assert_eq!(place.at_offset(text, text.find('2').unwrap()).to_string(), "kinds.toml:2:5");
    assert_eq!(place.at_offset(text, text.len()).to_string(), "kinds.toml:3:1");
}
