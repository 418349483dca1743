use super::*;
use crate::scenarios::{baseline, participant};

fn scenario(participants: Vec<Participant>) -> Scenario {
    Scenario {
        name: "kinds",
        part: "",
        title: String::new(),
        server: Vec::new(),
        participants,
        tables: Vec::new(),
        floor: false,
    }
}

#[test]
fn what_was_before_runs_right_after_what_is_now_with_the_same_options() {
    let http2 = Transport { server: "--tls http2", http2: true, list: false };
    let ours =
        Participant { transport: http2, ..participant("ours", Program::Ours, "--work=get --events=5") };
    let scenario = scenario(vec![baseline("client-go", Program::ClientGo, ""), ours]);
    let labels = |before| -> Vec<String> {
        scenario.participants(before).into_iter().map(|participant| participant.label).collect()
    };
    assert_eq!(labels(false), ["client-go", "ours"]);
    assert_eq!(labels(true), ["client-go", "ours", "before: ours"]);
    let former = &scenario.participants(true)[2];
    assert_eq!(former.program, Program::Before);
    assert_eq!((&former.arguments, former.transport), (&scenario.participants[1].arguments, http2));
}

#[test]
fn raw_figures_tell_the_parts_of_a_scenario_apart() {
    let mut scenario = scenario(Vec::new());
    assert_eq!(scenario.raw_name(), "kinds");
    scenario.part = "leases";
    assert_eq!(scenario.raw_name(), "kinds, leases");
}
