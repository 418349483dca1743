use super::*;

fn draw(values: [f64; 3]) -> String {
    let panel = |title: &str| Panel {
        title: title.to_owned(),
        unit: "µs",
        bars: values
            .into_iter()
            .enumerate()
            .map(|(colour, value)| Bar { label: format!("client {colour}"), colour, value })
            .collect(),
    };
    Bars { panels: [panel("CPU"), panel("Memory")] }.draw().unwrap()
}

/// The widths of the bars of the first panel.
fn widths(svg: &str) -> Vec<i32> {
    let attribute = |element: &str| -> i32 {
        element.split("width=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().parse().unwrap()
    };
    // The first rectangle is the page.
    svg.split("<rect").skip(2).take(3).map(attribute).collect()
}

#[test]
fn bars_are_as_long_as_their_values_and_say_them() {
    let svg = draw([25.0, 50.0, 1_200.4]);
    let [first, second, third] = widths(&svg)[..] else { panic!("{svg}") };
    assert!((second - 2 * first).abs() <= 1 && (third - 24 * second).abs() <= 24, "{first} {second} {third}");
    for text in ["CPU, µs", "Memory, µs", "client 0", "25.0", "50.0", "1,200"] {
        assert!(svg.contains(&format!("\n{text}\n")), "{text}: {svg}");
    }
}

#[test]
fn the_longest_bar_and_its_number_fit_and_the_shortest_is_seen() {
    let widths = widths(&draw([0.001, 1.0, 99_999.0]));
    assert!(widths[0] >= 1, "{widths:?}");
    assert_eq!(widths[2], SIZE.0 / 2 - 2 * MARGIN - LABELS - NUMBERS);
    assert!(FIRST + 5 * STEP <= SIZE.1);
}
