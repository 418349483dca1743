use super::*;

fn axis(values: &[f64]) -> Vec<f64> {
    Axis::new(values.iter().copied(), 8).ticks
}

#[test]
fn an_axis_ends_at_the_round_numbers_around_its_values() {
    assert_eq!(axis(&[0.43, 1.79, 1.2]), [0.2, 0.5, 1.0, 2.0]);
    assert_eq!(axis(&[1.0, 200.0]), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]);
    assert_eq!(axis(&[30.0]), [20.0, 50.0]);
}

#[test]
fn a_long_axis_has_powers_of_ten_only() {
    assert_eq!(axis(&[0.04, 19.7]), [0.01, 0.1, 1.0, 10.0, 100.0]);
    assert_eq!(axis(&[1e3, 1e6]), [1e3, 1e4, 1e5, 1e6]);
}

#[test]
fn an_axis_is_never_without_length() {
    assert_eq!(axis(&[]), [1.0, 2.0, 5.0, 10.0]);
    assert_eq!(axis(&[5.0]), [5.0, 10.0]);
    assert_eq!(axis(&[0.001, 0.001]), [0.001, 0.002]);
}

#[test]
fn numbers_are_written_out() {
    let labels: Vec<String> = [0.0005, 0.02, 5.0, 100.0, 2e3, 5e4, 1e6].map(label).to_vec();
    assert_eq!(labels, ["0.0005", "0.02", "5", "100", "2,000", "50,000", "1,000,000"]);
}
