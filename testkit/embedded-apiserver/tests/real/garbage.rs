//! Garbage collection by the embedded server and by the real kube-controller-manager: what remains, in which state, and in
//! which order things were deleted.

use anyhow::Result;

use crate::support::Servers;
use crate::support::scenario::{Outcome, Scenario};

/// How often the garbage collector is given time until the outcome is the same.
const PATIENCE: usize = 100;

/// The deletions of a scenario have one order, except if its name ends with `*`: then the real server's collector, which has
/// twenty workers, may delete in any.
const SCENARIOS: &[(&str, &str)] = &[
    ("background", "+a; +b <a; +c <b; +d; -a Background"),
    ("nothing-said", "+a; +b <a; -a"),
    ("foreground", "+a; +b <a!; +c <b!; -a Foreground"),
    ("foreground-siblings*", "+a; +b <a!; +c <a!; +d <a; -a Foreground"),
    ("foreground-held", "+a; +b <a! #hold; -a Foreground; .; ~b"),
    ("foreground-kept", "+a; +b <a! #hold; -a Foreground; ."),
    ("foreground-unblocked", "+a; +b <a! #hold; -a Foreground; .; =b <a"),
    ("foreground-not-blocking", "+a; +b <a #hold; -a Foreground; ."),
    ("foreground-of-a-child", "+a; +b <a!; +c <b!; -b Foreground"),
    ("foreground-nested-held", "+a; +b <a!; +c <b! #hold; -a Foreground; ."),
    ("orphan", "+a; +b <a; +c <a!; -a Orphan"),
    ("orphan-of-two", "+a; +b; +c <a <b; -a Orphan"),
    ("two-owners", "+a; +b; +c <a <b!; -a Background"),
    ("two-owners-both-go", "+a; +b; +c <a <b; -a Background; .; -b Background"),
    ("two-owners-foreground", "+a; +b; +c <a! <b; -a Foreground"),
    ("one-solid-one-dangling", "+a; +b <none <a"),
    ("absent", "+a <none"),
    ("absent-uid", "+a; +b <uid:a"),
    ("absent-name", "+a; +b <name:a"),
    ("absent-kind", "+a; +b <kind:a"),
    ("absent-later", "+a; =a <none"),
    ("unserved", "+a <unserved"),
    ("unserved-and-dangling", "+a <unserved <none"),
    ("unserved-and-solid", "+a; +b <unserved <a; -a Background"),
    ("circle-background*", "+a; +b <a!; +c <b!; =a <c!; -b Background"),
    ("circle-foreground*", "+a; +b <a!; +c <b!; =a <c!; -b Foreground"),
    ("pair-foreground*", "+a; +b <a!; =a <b!; -a Foreground"),
    ("itself-background", "+a; =a <a!; -a Background"),
    ("itself-foreground", "+a; =a <a!; -a Foreground"),
    ("itself-orphan", "+a; =a <a!; -a Orphan"),
    ("role-owns-map", "+role:r; +a <role:r; -role:r Background"),
    ("role-owns-map-foreground", "+role:r; +a <role:r!; -role:r Foreground"),
    ("role-owns-map-orphan", "+role:r; +a <role:r!; -role:r Orphan"),
    ("map-owns-role", "+a; +role:r <a; .; -a Background"),
    ("map-owns-role-foreground", "+a; +role:r <a!; .; -a Foreground"),
    ("elsewhere", "+away:a; +b <away:a"),
    ("elsewhere-and-solid", "+away:a; +b; +c <b <away:a"),
    ("second-delete", "+a; +b <a! #hold; -a Foreground; .; -a Background"),
    ("second-delete-orphan", "+a; +b <a! #hold; -a Foreground; .; -a Orphan"),
    ("held-background", "+a #hold; +b <a; -a Background; ."),
    ("held-background-freed", "+a #hold; +b <a; -a Background; .; ~a"),
    ("held-orphan", "+a #hold; +b <a; -a Orphan; ."),
    ("held-foreground", "+a #hold; +b <a!; -a Foreground; ."),
    ("orphan-dependents", "+a; +b <a; -a orphanDependents=true"),
    ("do-not-orphan-dependents", "+a #orphan; +b <a; -a orphanDependents=false"),
    ("own-finalizer", "+a #orphan #hold; +b <a; -a; ."),
    ("own-finalizer-foreground", "+a #foregroundDeletion; +b <a!; -a"),
    ("own-finalizer-overridden", "+a #foregroundDeletion; +b <a! #hold; -a Background; ."),
    ("collected-with-finalizer", "+a; +b <a #orphan; +c <b; -a Background"),
    ("collected-in-the-foreground", "+a; +b <a #foregroundDeletion; +c <b!; -a Background"),
    ("job", "+job:j; +pod:p <job:j; -job:j"),
    ("job-background", "+job:j; +pod:p <job:j; -job:j Background"),
    ("replication-controller", "+rc:c; +pod:p <rc:c!; -rc:c"),
    ("replica-set", "+rs:s; +pod:p <rs:s!; +pod:q <rs:s!; -rs:s"),
    ("replica-set-foreground", "+rs:s; +pod:p <rs:s!; +pod:q <rs:s! #hold; -rs:s Foreground; ."),
    ("widget-owns", "+widget:w; +a <widget:w; +widget:x <widget:w!; -widget:w Background"),
    ("widget-foreground", "+widget:w; +widget:x <widget:w!; +a <widget:x!; -widget:w Foreground"),
    ("widget-orphan", "+widget:w; +a; +widget:x <widget:w! <a; -widget:w Orphan"),
    ("widget-absent", "+widget:x <none; +a; +widget:y <a <none"),
    ("widget-circle*", "+widget:a; +widget:b <widget:a!; =widget:a <widget:b!; -widget:a Foreground"),
];

/// Both outcomes, the real one first, once they are the same or time is up.
async fn run(servers: &Servers, name: &str, steps: &str) -> Result<(Outcome, Outcome)> {
    let namespace = name.trim_end_matches('*');
    let mut embedded = Scenario::run(&servers.embedded, namespace, steps).await?;
    let mut real = Scenario::run(&servers.real, namespace, steps).await?;
    for attempt in 1.. {
        let mut outcomes = (real.outcome().await?, embedded.outcome().await?);
        if name.ends_with('*') {
            outcomes.0.deleted.sort();
            outcomes.1.deleted.sort();
        }
        if outcomes.0 == outcomes.1 || attempt == PATIENCE {
            return Ok(outcomes);
        }
        // What takes several steps may not be over when the collector has dealt with something else.
        real.settle().await?;
        embedded.settle().await?;
    }
    unreachable!("the last attempt returns")
}

/// A random scenario: a few objects with random owners, some of which are deleted.
fn random(rng: &mut fastrand::Rng) -> String {
    let count = rng.usize(2..7);
    let name = |number: usize| char::from(b'a' + u8::try_from(number).unwrap_or_default());
    let owner = |rng: &mut fastrand::Rng, below: usize| {
        let blocks = if rng.bool() { "!" } else { "" };
        match rng.u8(..8) {
            0 => " <none".to_owned(),
            _ => format!(" <{}{blocks}", name(rng.usize(..below))),
        }
    };
    let mut steps = vec!["+a".to_owned()];
    for number in 1..count {
        let owners: String = (0..rng.usize(..3)).map(|_| owner(rng, number)).collect();
        let held = if rng.u8(..5) == 0 { " #hold" } else { "" };
        steps.push(format!("+{}{owners}{held}", name(number)));
    }
    for _ in 0..rng.usize(..2) {
        steps.push(".".to_owned());
        let (number, other) = (rng.usize(..count), owner(rng, count));
        steps.push(format!("={}{other}", name(number)));
    }
    for _ in 0..rng.usize(1..4) {
        steps.push(".".to_owned());
        let policy = ["", "Background", "Foreground", "Orphan"][rng.usize(..4)];
        steps.push(format!("-{} {policy}", name(rng.usize(..count))));
    }
    if rng.bool() {
        steps.push(".".to_owned());
        steps.extend((0..count).map(|number| format!("~{}", name(number))));
    }
    steps.join("; ")
}

/// How often a random scenario is tried. If an object goes together with one of the owners of its dependent, it depends on the
/// workers of the real server whether the dependent loses that owner first.
const RACES: usize = 5;

/// The seeds of the random scenarios: 30 from 1 on, or as `KUBE_INFORMER_SEED` and `KUBE_INFORMER_ROUNDS` say.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect(name));
    let first = number("KUBE_INFORMER_SEED").unwrap_or(1);
    first..first + number("KUBE_INFORMER_ROUNDS").unwrap_or(30)
}

#[tokio::test(flavor = "multi_thread")]
async fn random_garbage_is_collected_as_by_the_real_controller() -> Result<()> {
    let Some(servers) =
        Servers::start_with_controllers("random_garbage_is_collected_as_by_the_real_controller").await?
    else {
        return Ok(());
    };
    let mut different = Vec::new();
    for seed in seeds() {
        let steps = random(&mut fastrand::Rng::with_seed(seed));
        for attempt in 1..=RACES {
            let (real, embedded) = run(&servers, &format!("random-{seed}-{attempt}*"), &steps).await?;
            if real == embedded {
                break;
            } else if attempt == RACES {
                different.push(format!("seed {seed}: {steps}\n  real     {real:?}\n  embedded {embedded:?}"));
            }
        }
    }
    servers.stop().await?;
    assert!(
        different.is_empty(),
        "{} of {} differ:\n{}",
        different.len(),
        seeds().count(),
        different.join("\n")
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_collected_as_by_the_real_controller() -> Result<()> {
    let Some(servers) =
        Servers::start_with_controllers("garbage_is_collected_as_by_the_real_controller").await?
    else {
        return Ok(());
    };
    let mut different = Vec::new();
    for (name, steps) in SCENARIOS {
        let (real, embedded) = run(&servers, name, steps).await?;
        if real != embedded {
            different.push(format!("{name}: {steps}\n  real     {real:?}\n  embedded {embedded:?}"));
        }
    }
    servers.stop().await?;
    assert!(
        different.is_empty(),
        "{} of {} differ:\n{}",
        different.len(),
        SCENARIOS.len(),
        different.join("\n")
    );
    Ok(())
}
