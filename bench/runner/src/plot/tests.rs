use super::*;

fn plot(curves: &[(&str, &[(f64, f64)])]) -> String {
    let mut plot = Plot::new("CPU until synced", "number of objects", "seconds of CPU");
    for (label, points) in curves {
        plot.add(Series { label: (*label).to_owned(), points: points.to_vec() });
    }
    plot.draw().unwrap()
}

/// How often the start of an element is there.
fn count(svg: &str, start: &str) -> usize {
    svg.matches(start).count()
}

/// What a reader reads.
fn texts(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text").skip(1);
    texts.map(|text| text.split(['<', '>']).nth(1).unwrap_or_default().trim()).collect()
}

#[test]
fn titles_labels_and_numbers_are_text_in_a_font_that_every_reader_has() {
    let svg = plot(&[("ours", &[(1e3, 0.5), (1e6, 2.0)]), ("a < b & c", &[(1e3, 1.0)])]);
    let texts = texts(&svg);
    for text in ["CPU until synced", "number of objects", "seconds of CPU", "ours", "a &lt; b &amp; c"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    for text in ["1,000", "10,000", "100,000", "1,000,000", "0.5", "1", "2"] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    assert_eq!(count(&svg, "<text"), count(&svg, "font-family=\"sans-serif\""));
}

#[test]
fn every_curve_has_points_of_another_shape_and_one_in_the_legend() {
    let two: &[(f64, f64)] = &[(1.0, 1.0), (10.0, 2.0)];
    let one = plot(&[("a", two)]);
    let all = plot(&[("a", two), ("b", two), ("c", two), ("d", two)]);
    assert_eq!((count(&one, "<circle"), count(&all, "<circle")), (3, 3));
    assert_eq!((count(&one, "<polygon"), count(&all, "<polygon")), (0, 3));
    // The page is a rectangle too.
    assert_eq!((count(&one, "<rect"), count(&all, "<rect")), (1, 4));
}

#[test]
fn a_legend_that_is_too_long_for_a_row_has_several() {
    let curves = |labels: &[&str]| {
        let mut plot = Plot::new("CPU", "objects", "seconds");
        labels.iter().for_each(|label| plot.add(Series { label: (*label).to_owned(), points: Vec::new() }));
        (plot.legend().iter().map(|(_, y)| *y).collect::<Vec<_>>(), plot.top())
    };
    let (first, second) = (LEGEND, LEGEND + LEGEND_ROW);
    let three = ["ours, packed", "client-go, protobuf", "kube-rs"];
    assert_eq!(curves(&three), (vec![first; 3], second));
    let four = [&three[..], &["controller-runtime"]].concat();
    assert_eq!(curves(&four), (vec![first, first, first, second], second + LEGEND_ROW));
    // What is longer than a row has one of its own.
    assert_eq!(curves(&["a".repeat(100).as_str()]), (vec![first], second));
    assert_eq!(curves(&[]), (vec![], second));
}

/// The places of the curve's points.
fn circles(svg: &str) -> Vec<(i32, i32)> {
    let number = |text: &str| text.split('"').nth(1).unwrap().parse().unwrap();
    let circles = svg.split("<circle ").skip(1);
    let all: Vec<_> = circles.map(|circle| circle.split_once(' ').unwrap()).collect();
    // Without that of the legend.
    all[1..].iter().map(|(x, y)| (number(x), number(y))).collect()
}

#[test]
fn a_step_of_the_same_factor_has_the_same_length() {
    let svg = plot(&[("ours", &[(1.0, 0.1), (10.0, 1.0), (1_000.0, 10.0)])]);
    let [first, second, third] = circles(&svg)[..] else { panic!("{svg}") };
    assert!((third.0 - second.0 - 2 * (second.0 - first.0)).abs() <= 2, "{svg}");
    assert!((third.1 - second.1 - (second.1 - first.1)).abs() <= 2, "{svg}");
    // From the lower left to the upper right, and the line through the points.
    let (right, bottom) = (SIZE.0 - RIGHT, SIZE.1 - MARGIN - BOTTOM);
    assert!(first.0 > (MARGIN + LEFT) as i32 && first.1 < bottom as i32 && first.1 > bottom as i32 - 20);
    assert!(third.0 < right as i32 && third.0 > right as i32 - 20 && third.1 > LEGEND + LEGEND_ROW);
    let line = format!("{},{} {},{} {},{} ", first.0, first.1, second.0, second.1, third.0, third.1);
    assert!(svg.contains(&line), "{line}: {svg}");
}

#[test]
fn what_has_no_place_on_a_logarithmic_axis_is_a_gap() {
    let points = [(1.0, 1.0), (10.0, 0.0), (20.0, f64::NAN), (100.0, 10.0), (0.0, 5.0)];
    let svg = plot(&[("ours", &points)]);
    // The two points that have a place, and that of the legend.
    assert_eq!(count(&svg, "<circle"), 3);
    assert!(!svg.contains("points=\"\""), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn curves_without_points_are_named_and_axes_are_drawn() {
    let svg = plot(&[("ours", &[]), ("kube-rs", &[(1.0, 0.0)])]);
    assert!(texts(&svg).contains(&"kube-rs") && texts(&svg).contains(&"10"));
    assert!(texts(&plot(&[])).contains(&"number of objects"));
}
