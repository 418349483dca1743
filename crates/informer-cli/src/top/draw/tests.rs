use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use serde_json::{Value, json};

use super::*;
use crate::top::keys::Key;
use crate::top::source::Look;
use crate::top::testing::{having_heard, informer, look, noon, press, queue, said, state, type_in};

/// What a terminal of the state's size shows, without blanks at the ends of lines.
fn shown(state: &State) -> String {
    let Size { width, height } = state.size();
    let backend = TestBackend::new(width.try_into().unwrap(), height.try_into().unwrap());
    let mut terminal = Terminal::new(backend).unwrap();
    terminal.draw(|frame| draw(frame, state, Palette { coloured: true })).unwrap();
    let buffer = terminal.backend().buffer();
    let cells: Vec<_> = buffer.content().iter().map(ratatui_core::buffer::Cell::symbol).collect();
    cells.chunks(width).map(|row| format!("{}\n", row.concat().trim_end())).collect()
}

/// Two looks at a program with trouble and a queue.
fn program() -> [Value; 2] {
    [(100, 50), (101, 62)].map(|(second, events)| {
        let mut namespaced = informer("deployments.apps", "listing", 250, 7);
        namespaced["scopes"][0]["scope"] = "namespace \"shop\"".into();
        namespaced["synced"] = false.into();
        let mut running = queue("replicaset", 4);
        running["runs"] = (1_000 + 3 * second).into();
        let informers = [
            informer("pods", "watching", 12_345, events),
            informer("nodes", "unreachable", 5, 0),
            namespaced,
        ];
        said(second, &informers, &[running])
    })
}

#[test]
fn the_screen_of_80_by_24() {
    let wanted = "\
http://localhost:9090, up 101s                                            ● live
▲ 1 in trouble · 2 of 3 synced · 12.6k objects · 14 MiB · heard 1s ago · ▲ 6 pa…
12 events/s                                                         █  top 12

 INFORMER▴         PHASE                OBJECTS  HEARD   EV/S    MEMORY  BACKLOG
▸deployments.apps  ◐ listing 3m12s          250     1s      0   295 KiB       17
 nodes             ▲ unreachable 3m12s        5     1s      0   7.9 KiB       17
 pods              ● watching 3m12s       12.3k     1s     12    14 MiB       17









";
    let text = shown(&having_heard(80, 24, &program()));
    assert!(text.starts_with(wanted), "{text}");
    let below = "
 QUEUE                 DUE  OLDEST  RUNS/S  FAIL/S  OLDEST KEY            FAILED
 replicaset              4    40ms     3.0       0  shop/web-00017            12
q quit  ? help  Enter open  / filter  s sort: informer▴  p pause
";
    assert!(text.ends_with(below), "{text}");
}

#[test]
fn the_screen_of_120_by_40() {
    let text = shown(&having_heard(120, 40, &program()));
    let wanted = "
 INFORMER▴         NAMESPACE      PHASE                OBJECTS  HEARD   EV/S  RELISTS  WAITING    MEMORY  BACKLOG
▸deployments.apps  shop           ◐ listing 3m12s          250     1s      0        1        3   295 KiB       17
 nodes             all            ▲ unreachable 3m12s        5     1s      0        1        3   7.9 KiB       17
 pods              all            ● watching 3m12s       12.3k     1s     12        1        3    14 MiB       17
";
    assert!(text.contains(wanted), "{text}");
    let wanted = "
 QUEUE               DUE  OLDEST  RUNS/S  FAIL/S  OLDEST KEY            FAILED    RUNS  RETRIES  RUNNING  LONGEST  LATER
 replicaset            4    40ms     3.0       0  shop/web-00017            12    1303       15        1     2.5s      3
";
    assert!(text.contains(wanted), "{text}");
    assert_eq!(text.lines().count(), 40);
}

#[test]
fn the_screen_of_40_by_12() {
    let wanted = "\
http://localhost:9090, up 101s    ● live
▲ 1 in trouble · 2 of 3 synced · 12.6k …
12 events/s                 █  top 12

 INFORMER▴         PHASE
▸deployments.apps  ◐ listing 3m12s
 nodes             ▲ unreachable 3m12s
 pods              ● watching 3m12s

 QUEUE               DUE  OLDEST  RUNS/S
 replicaset            4    40ms     3.0
q quit  ? help  Enter open  / filter  s…
";
    assert_eq!(shown(&having_heard(40, 12, &program())), wanted);
}

#[test]
fn any_size_is_drawn_in_every_view() {
    for keys in ["", "/no", "?", "sss", "jS"] {
        for opened in [false, true] {
            for (width, height) in
                [(1, 1), (39, 24), (80, 9), (40, 10), (41, 15), (60, 16), (81, 17), (200, 60)]
            {
                let mut state = having_heard(width, height, &program());
                type_in(&mut state, keys);
                if opened {
                    press(&mut state, Key::Enter);
                }
                let text = shown(&state);
                assert_eq!(text.lines().count(), height);
                let too_small = width < 40 || height < 10;
                assert!(too_small || text.lines().count() == height && text.contains("localhost"), "{text}");
            }
        }
    }
    assert!(shown(&having_heard(39, 12, &program())).starts_with("too small: 39×12, needs 40×10\n"));
}

#[test]
fn what_is_empty_says_why() {
    let mut waiting = state(80, 24);
    assert!(shown(&waiting).contains("\nwaiting for http://localhost:9090\n"));
    waiting.hear(Look {
        at: noon(),
        second: 0.0,
        seen: Err("cannot read http://localhost:9090/debug/informers: refused".to_owned()),
    });
    let text = shown(&waiting);
    assert!(text.contains("▲ not reachable since 12:00:00, trying again\n"), "{text}");
    assert!(text.contains("\ncannot read http://localhost:9090/debug/informers: refused\n"), "{text}");
    waiting.hear(look(&said(1, &[], &[])));
    assert!(shown(&waiting).contains("\nthe program has no informers\n"));
    let mut filtered = having_heard(80, 24, &program());
    type_in(&mut filtered, "/xyz");
    let text = shown(&filtered);
    assert!(text.contains("\nno informer matches \"xyz\"; Esc shows all\n"), "{text}");
    assert!(
        text.ends_with("/xyz                                               Enter keeps it, Esc clears it\n"),
        "{text}"
    );
    press(&mut filtered, Key::Enter);
    assert!(shown(&filtered).contains("\nfilter \"xyz\": 0 of 4  Esc all"));
}

#[test]
fn many_informers_and_many_queues_are_scrolled() {
    let informers: Vec<_> =
        (0..50).map(|number| informer(&format!("kind-{number:02}"), "watching", 1, 1)).collect();
    let queues: Vec<_> = (0..9).map(|number| queue(&format!("queue-{number}"), number)).collect();
    let mut state = having_heard(80, 24, &[said(1, &informers, &queues)]);
    for _ in 0..6 {
        press(&mut state, Key::PageDown);
    }
    let text = shown(&state);
    assert!(text.contains("\n QUEUE 1–6 of 9 ") && text.contains("\n▸queue-8 "), "{text}");
    assert!(text.contains("\n kind-49 ") && !text.contains("kind-39 "), "{text}");
    press(&mut state, Key::End);
    let text = shown(&state);
    assert!(text.contains("\n QUEUE 4–9 of 9 ") && text.contains("\n▸queue-0 "), "{text}");
    assert!(!text.contains("queue-6 ") && text.matches('▸').count() == 1, "{text}");
}

#[test]
fn a_low_screen_says_where_the_other_table_is() {
    let mut state = having_heard(40, 10, &program());
    let text = shown(&state);
    assert!(!text.contains("replicaset") && text.contains("\n↓ queues: 1  q quit"), "{text}");
    press(&mut state, Key::End);
    let text = shown(&state);
    assert!(text.contains("\n▸replicaset ") && !text.contains("INFORMER"), "{text}");
    assert!(text.contains("\n↑ informers: 3  q quit"), "{text}");
    press(&mut state, Key::Enter);
    assert!(shown(&state).contains("\nreplicaset  queue\n"));
}

#[test]
fn hostile_names_stay_in_their_cells() {
    let names = [
        "\u{1b}[2J\u{1b}[H",
        "\u{202e}gnp",
        "two\nlines",
        "日本語日本語日本語",
        "🏳️‍🌈",
        "",
        "e\u{301}\u{301}\u{301}",
    ];
    let informers: Vec<_> = names.iter().map(|name| informer(name, name, 1, 1)).collect();
    let queues: Vec<_> = names.iter().map(|name| queue(name, 1)).collect();
    let text = shown(&having_heard(80, 40, &[said(1, &informers, &queues)]));
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{text}");
    assert_eq!(text.lines().count(), 40);
    let rows: Vec<_> = text.lines().skip(5).take(names.len()).collect();
    assert!(rows.iter().all(|row| row.ends_with("1     1s      –   3.2 KiB       17")), "{rows:#?}");
}

#[test]
fn an_older_program_has_dashes() {
    let text = shown(&having_heard(80, 24, &[json!({ "informers": [{ "name": "old" }] })]));
    assert!(
        text.contains("\n▸old               ◐ –                        –      –      –         –        –\n"),
        "{text}"
    );
}

#[test]
fn one_text_has_all_rows() {
    let informers: Vec<_> =
        (0..50).map(|number| informer(&format!("kind-{number:02}"), "watching", 1, 1)).collect();
    let state = having_heard(120, usize::MAX, &[said(1, &informers, &[queue("web", 1)])]);
    let text = once(&state, 120);
    assert_eq!(text.lines().count(), 3 + 1 + 50 + 3, "{text}");
    assert!(
        text.contains("\nkind-00 ")
            && text.contains("\nkind-49 ")
            && text.contains("\nweb ")
            && !text.contains(" \n"),
        "{text}"
    );
}

#[test]
fn what_is_too_much_to_be_read_is_said() {
    let text = shown(&having_heard(80, 24, &[json!({ "informers": vec![json!({}); 100_000] })]));
    assert!(text.contains("0 of 4000 synced · ▲ 96.0k rows too many"), "{text}");
}

#[test]
fn wide_characters_are_no_trouble_for_a_narrow_terminal() {
    let mut wide = informer("pods", "watching", 1, 1);
    wide["lastFailure"] = "\u{17d8}".repeat(100).into();
    let mut state = having_heard(80, 24, &[said(1, &[wide], &[])]);
    press(&mut state, Key::Enter);
    for width in 0..42 {
        state.resize(Size { width, height: 24 });
        assert_eq!(length(&state) == 0, width < 40, "nothing of it is shown, so nothing is wrapped");
    }
}
