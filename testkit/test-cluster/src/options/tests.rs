use super::{Options, split_gates};

#[test]
fn gates_are_separated_by_commas() {
    assert_eq!(split_gates("WatchList=false, A=true,"), ["WatchList=false", "A=true"]);
    assert!(split_gates("").is_empty());
}

#[test]
fn the_last_word_on_a_gate_counts() {
    let options = Options::default().feature_gate("A", true).feature_gate("A", false);
    assert_eq!((options.gate("A"), options.gate("B")), (Some(false), None));
}
