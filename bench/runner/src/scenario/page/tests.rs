use super::*;
use crate::scenarios::metric;

fn columns(subtitle: &'static str, titles: &[&'static str]) -> Columns {
    Columns { subtitle, metrics: titles.iter().map(|title| metric(title, 1, 1.0, |_| None)).collect() }
}

fn row(label: &str, transport: Transport, values: &[f64]) -> Row {
    let spread = |value: &f64| Spread::of(vec![*value]).filter(|spread| spread.median >= 0.0);
    Row {
        label: label.to_owned(),
        ours: label.starts_with("ours"),
        baseline: label.starts_with("client-go"),
        transport,
        values: values.iter().map(spread).collect(),
    }
}

fn render(tables: &[Columns], rows: &[Row]) -> String {
    Page { title: "Pods", tables, rows, runs: 1, load: 1.0 }.render()
}

#[test]
fn every_table_has_the_columns_of_its_own() {
    let tables = [columns("", &["a"]), columns("More", &["b", "c"])];
    let rows = ["ours", "client-go"].map(|label| row(label, Transport::default(), &[1.0, 2.0, -1.0]));
    let text = render(&tables, &rows);
    assert!(text.starts_with("### Pods\n\n|           |   a |\n"), "{text}");
    assert!(text.contains("\n#### More\n\n|           |   b |   c |\n"), "{text}");
    assert!(text.contains("| ours      | 2.0 |   – |\n"), "{text}");
    assert!(text.contains("| ours / client-go | 1.000 |   – |\n"), "{text}");
}

#[test]
fn ours_is_compared_with_baselines_of_its_connection_and_with_its_own_past() {
    let http2 = Transport { server: "--tls http2", http2: true, list: false };
    let rows = [
        row("ours", Transport::default(), &[1.0]),
        row("before: ours", Transport::default(), &[4.0]),
        row("client-go", Transport::default(), &[2.0]),
        row("ours: TLS", http2, &[3.0]),
        row("before: ours: TLS", http2, &[6.0]),
        row("client-go: TLS", http2, &[30.0]),
        row("kube-rs", http2, &[1.0]),
    ];
    let text = render(&[columns("", &["µs"])], &rows);
    let ratios: Vec<&str> = text.lines().filter(|line| line.contains(" / ")).collect();
    let expected = [
        "| ours / before: ours           | 0.250 |",
        "| ours / client-go              | 0.500 |",
        "| ours: TLS / before: ours: TLS | 0.500 |",
        "| ours: TLS / client-go: TLS    | 0.100 |",
    ];
    assert_eq!(ratios, expected, "{text}");
}
