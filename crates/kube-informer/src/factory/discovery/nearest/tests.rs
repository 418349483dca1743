use super::distance;

#[test]
fn letters_added_left_out_and_exchanged() {
    let distances =
        [("", ""), ("pods", "pods"), ("pods", "pod"), ("podz", "pods"), ("", "ab"), ("kitten", "sitting")]
            .map(|(one, other)| (distance(one, other), distance(other, one)));
    assert_eq!(distances, [0, 0, 1, 1, 2, 3].map(|both| (both, both)));
}
