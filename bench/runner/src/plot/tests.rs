use super::*;

#[test]
fn curves_are_drawn_in_their_colours_between_the_axes() {
    let mut plot = Plot::new("CPU", "objects");
    plot.add(Series { label: "ours".to_owned(), points: vec![(1.0, 1.0), (1_000.0, 100.0)] });
    let picture = plot.draw();
    // The first point is at the lower left, the last at the upper right.
    assert_eq!(picture.0[(HEIGHT - BOTTOM) * WIDTH + LEFT], COLOURS[0]);
    assert_eq!(picture.0[TOP * WIDTH + WIDTH - RIGHT], COLOURS[0]);
    assert_eq!(picture.0[(HEIGHT - BOTTOM - 40) * WIDTH + WIDTH - RIGHT - 20], WHITE);
}
