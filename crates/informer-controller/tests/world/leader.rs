//! The leader is killed right after a write, and another replica takes over.

use std::time::Duration;

use embedded_apiserver::EmbeddedApiserver;
use tokio::time::timeout;

use crate::support::{Link, MOMENT, Program, SECOND, World, number, on_paused_time, pass};

/// Kills the leader after its first, second, … write of each round, whose answer it does not hear. Watches are late.
async fn killed(rounds: u64, late: Duration) {
    let mut world = World::new(EmbeddedApiserver::new());
    world.create_set("red", 0).await;
    let mut next = start(&world, 0, late);
    for round in 0..rounds {
        let (link, leader) = next;
        next = start(&world, round + 1, late);
        // From 3 to 7 and back, and a pod that goes.
        world.scale("red", if round.is_multiple_of(2) { 7 } else { 3 }).await;
        world.delete_pod(usize::try_from(round).unwrap()).await;
        timeout(600 * SECOND, link.held()).await.expect("it leads and writes");
        world.tell(format!("leader {round} is killed"));
        leader.kill().await;
        // Long enough for the next one, which writes what is missing up to where it is killed.
        pass(20 * SECOND + 3 * late).await;
        world.is_safe(&format!("round {round}, late by {late:?}"), late + MOMENT);
    }
    next.1.kill().await;
    // This one is answered.
    let client = Link::new(late, None).client(&world.server);
    let last = Program::start_as_replica(client, "last");
    world.ends_well(&format!("{rounds} rounds, late by {late:?}"), late + MOMENT).await;
    eprintln!("{rounds} leaders killed, watches late by {late:?}: {} pods created", world.oracle.created());
    last.kill().await;
}

fn start(world: &World, round: u64, late: Duration) -> (Link, Program) {
    let link = Link::new(late, Some(1 + round % 5));
    let program = Program::start_as_replica(link.client(&world.server), &format!("replica-{round}"));
    (link, program)
}

#[test]
fn the_leader_is_killed_right_after_a_write() {
    for seconds in [0, 1, 10] {
        on_paused_time(killed(number("KUBE_INFORMER_ROUNDS").unwrap_or(50), seconds * SECOND));
    }
}
