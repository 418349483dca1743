//! Random schemas, objects and patches on both servers, thousands of rounds.
//!
//! A round is an object and what is written to it. The rounds of a plan share two schemas: half of the objects are created
//! under the first and then read and patched under the second, like the others. Every third plan is about built-in kinds,
//! which have no schemas that change. Plans run side by side, each on a kind of its own, because a new definition takes the
//! real server two seconds and a changed one a hundredth of that.
//!
//! A plan that fails is named by its seed, and the round is made smaller as long as it still fails.

mod answers;
mod builtin;
mod custom;
mod plan;
mod shrink;

use std::sync::Mutex;

use anyhow::{Result, ensure};
use futures::StreamExt as _;

use crate::support::Servers;
use custom::Slot;
use plan::Failure;

/// How many plans run at the same time.
const SLOTS: u64 = 6;
/// The rounds of a plan.
const ROUNDS: u64 = 50;
/// How many failures are enough.
const ENOUGH: usize = 5;

/// How many rounds, and from which seed on. The usual rounds are part of every run, `cargo xtask differential` sets others.
fn setting(name: &str, usual: u64) -> u64 {
    let text = std::env::var(format!("KUBE_INFORMER_DIFFERENTIAL_{name}"));
    text.ok().map_or(usual, |text| text.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn random_objects_and_patches_come_out_as_on_the_real_server() -> Result<()> {
    let test = "random_objects_and_patches_come_out_as_on_the_real_server";
    let Some(servers) = Servers::start(test).await? else { return Ok(()) };
    let (rounds, seed) = (setting("ROUNDS", 500), setting("SEED", 1));
    let plans = rounds.div_ceil(ROUNDS);
    let slots: Vec<u64> = (0..SLOTS.min(plans)).collect();
    let (servers_of_slots, failures) = (&servers, &Mutex::new(Vec::<Failure>::new()));
    let work = futures::stream::iter(&slots).map(|number| async move {
        let mut slot = Slot::define(servers_of_slots, *number).await?;
        let mut count = plan::Count::default();
        for plan in (0..plans).filter(|plan| plan % SLOTS == *number) {
            if failures.lock().expect("a lock").len() >= ENOUGH {
                break;
            }
            let found = plan::run(&mut slot, seed + plan, &mut count).await?;
            failures.lock().expect("a lock").extend(found);
        }
        anyhow::Ok(count)
    });
    let counts: Vec<Result<plan::Count>> = work.buffer_unordered(slots.len()).collect().await;
    let mut total = plan::Count::default();
    for count in counts {
        total.add(&count?);
    }
    println!("differential: {total}");
    let failures = std::mem::take(&mut *failures.lock().expect("a lock"));
    let told: Vec<String> = failures.iter().map(ToString::to_string).collect();
    servers.stop().await?;
    ensure!(told.is_empty(), "{} plans differ:\n{}", told.len(), told.join("\n"));
    ensure!(total.skipped * 5 < total.rounds, "too many rounds end early: {total}");
    Ok(())
}
