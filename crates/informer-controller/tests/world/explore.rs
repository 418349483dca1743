//! Everything goes wrong, at every point: the same story again and again, with another fault each time.

use std::time::Duration;

use embedded_apiserver::{EmbeddedApiserver, ServerFault, Verb};

use crate::support::{Link, MOMENT, Program, SECOND, World, on_paused_time, pass};

/// How many pods are created in the story, if all goes well.
const CREATED: usize = 6;

/// What is done to the program.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    /// It is killed as soon as its write of this number is stored, and does not hear the answer; then it is started again.
    killed_after: Option<u64>,
    /// The answer to its write of this number is lost.
    lost_answer: Option<u64>,
    /// Its write of this number is refused.
    refused: Option<u64>,
    /// Its watch of pods falls silent after so many events, and if it is started again that one too.
    silent_after: Option<u64>,
    /// Its watch of pods breaks after so many events, and the history is gone: it never sees the states until it has listed again.
    hidden_after: Option<u64>,
    /// It does not get the event of this number, and cannot know.
    without: Option<u64>,
    /// It gets the event of this number twice.
    twice: Option<u64>,
    /// How late its watches are.
    late: Duration,
}

/// What was seen where nothing went wrong.
#[derive(Clone, Copy, Debug)]
struct Seen {
    writes: u64,
    created: usize,
}

impl Plan {
    /// Tells the story of one set under this plan.
    async fn tell(self) -> Seen {
        let mut world = World::new(EmbeddedApiserver::new());
        self.inject(&world.server);
        world.create_set("red", 3).await;
        let link = Link::new(self.late, self.killed_after);
        let mut program = Program::start(link.client(&world.server));
        let mut is_killed = false;
        for chapter in 0..4 {
            match chapter {
                0 => {}
                1 => world.delete_pod(1).await,
                2 => world.scale("red", 5).await,
                _ => world.scale("red", 2).await,
            }
            let pause = pass(SECOND + 3 * self.late);
            tokio::select! {
                biased;
                () = link.held(), if !is_killed => {
                    world.tell("the program is killed");
                    program.kill().await;
                    program = Program::start(Link::new(self.late, None).client(&world.server));
                    is_killed = true;
                }
                () = pause => {}
            }
        }
        let (what, late) = (format!("{self:?}"), self.late + MOMENT);
        assert_eq!(is_killed, self.killed_after.is_some(), "{what}");
        if self.without.is_some() {
            // Nobody can know what is missing, but there is never one too many.
            pass(120 * SECOND).await;
            world.is_safe(&what, late);
        } else {
            world.ends_well(&what, late).await;
        }
        program.kill().await;
        Seen { writes: link.writes(), created: world.oracle.created() }
    }

    fn inject(self, server: &EmbeddedApiserver) {
        let watches = |fault: ServerFault| {
            let fault = fault.on(Verb::Watch).resource("pods");
            server.inject(fault.when(|request| request.parameter("sendInitialEvents").is_none()).first(2));
        };
        let writes = |fault: ServerFault, number: u64| {
            let fault = fault.on(Verb::Create).on(Verb::Patch).on(Verb::Delete);
            let is_work =
                |request: &embedded_apiserver::RecordedRequest| !request.resource.starts_with("events");
            server.inject(fault.when(is_work).nth(number));
        };
        self.lost_answer.into_iter().for_each(|number| writes(ServerFault::cut_after_bytes(1), number));
        self.refused.into_iter().for_each(|number| writes(ServerFault::status(500), number));
        self.silent_after.into_iter().for_each(|events| watches(ServerFault::stall_after(events)));
        self.hidden_after.into_iter().for_each(|events| watches(ServerFault::expired_event_after(events)));
        self.without.into_iter().for_each(|event| watches(ServerFault::lose_event(event)));
        self.twice.into_iter().for_each(|event| watches(ServerFault::duplicate_event(event)));
    }
}

fn nothing_wrong() -> Seen {
    on_paused_time(Plan::default().tell())
}

#[test]
fn a_crash_after_each_write_with_a_cache_as_of_each_version() {
    let Seen { writes, created } = nothing_wrong();
    assert_eq!(created, CREATED);
    let all = std::env::var("INFORMER_EXPLORE").is_ok_and(|which| which == "all");
    let silent: Vec<Option<u64>> =
        if all { std::iter::once(None).chain((0..20).map(Some)).collect() } else { vec![None, Some(4)] };
    for number in 1..=writes {
        for silent_after in silent.clone() {
            on_paused_time(Plan { killed_after: Some(number), silent_after, ..Plan::default() }.tell());
            if all {
                on_paused_time(Plan { lost_answer: Some(number), silent_after, ..Plan::default() }.tell());
            }
        }
        on_paused_time(Plan { lost_answer: Some(number), ..Plan::default() }.tell());
        on_paused_time(Plan { refused: Some(number), ..Plan::default() }.tell());
    }
    eprintln!("{writes} writes");
}

#[test]
fn a_cache_as_of_each_version_and_hidden_events() {
    for event in 0..15 {
        on_paused_time(Plan { silent_after: Some(event), ..Plan::default() }.tell());
        on_paused_time(Plan { hidden_after: Some(event), ..Plan::default() }.tell());
        on_paused_time(Plan { without: Some(event + 1), ..Plan::default() }.tell());
        on_paused_time(Plan { twice: Some(event + 1), ..Plan::default() }.tell());
    }
}

/// The watch is late by 0, 1 and 10 s, and every creation counted.
#[test]
fn not_one_creation_too_many_however_late_the_watch_is() {
    for seconds in [0, 1, 10] {
        let seen = on_paused_time(Plan { late: seconds * SECOND, ..Plan::default() }.tell());
        assert_eq!(seen.created, CREATED, "late by {seconds} s");
    }
}
