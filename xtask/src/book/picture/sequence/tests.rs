use super::draw;

const ACTORS: [&str; 2] = ["actor a Ann", "actor b Bob"];

fn with(lines: &[&str]) -> anyhow::Result<String> {
    draw(&[&ACTORS, lines].concat())
}

#[test]
fn each_line_is_drawn() {
    let svg = with(&["a -> b: hello", "b --> a: yes", "note a,b: both | agree", "wait later"]).unwrap();
    assert_eq!(svg.matches("<polygon").count(), 2, "two arrows");
    assert_eq!(svg.matches("class=\"line back\"").count(), 1, "one of them is an answer");
    for text in ["hello", "yes", "both", "agree", "later", "Ann", "Bob"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} in {svg}");
    }
}

#[test]
fn a_long_message_moves_the_actors_apart() {
    let width = |svg: &str| {
        let (_, rest) = svg.split_once("viewBox=\"0 0 ").unwrap();
        rest.split_once(' ').unwrap().0.parse::<u32>().unwrap()
    };
    let (short, long) =
        (with(&["a -> b: x"]).unwrap(), with(&["a -> b: a message of several words"]).unwrap());
    assert!(width(&long) > width(&short) + 100);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let told = |line: &str| with(&[line]).unwrap_err().to_string();
    assert!(told("a -> c: x").contains("there is no actor `c`"));
    assert!(told("a -> a: x").contains("nobody talks to himself"));
    assert!(told("a b").contains("says nothing"));
    assert!(draw(&["wait for nobody"]).is_err());
}
