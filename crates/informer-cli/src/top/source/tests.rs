use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::top::testing::{document, informer, said};

const SECOND: Duration = Duration::from_secs(1);

/// What the looks say, `Ok` for a document, and the second at which each came.
async fn seen(looks: &mut mpsc::Receiver<Look>, count: usize) -> Vec<(f64, Result<(), String>)> {
    let mut all = Vec::new();
    for _ in 0..count {
        let look = looks.recv().await.expect("a look");
        all.push((look.second.round(), look.seen.map(drop)));
    }
    all
}

#[tokio::test(start_paused = true)]
async fn a_program_that_was_away_is_looked_at_again() {
    let asked = AtomicUsize::new(0);
    let mut looks = follow(SECOND, move || {
        let number = asked.fetch_add(1, Ordering::SeqCst);
        async move {
            match number {
                1 | 2 => Err("connection refused".to_owned()),
                // It is there, and does not answer.
                3 => std::future::pending().await,
                _ => Ok(document(&said(1, &[informer("pods", "watching", 1, 1)], &[]))),
            }
        }
    });
    let (refused, late) = (Err("connection refused".to_owned()), Err("no answer for 5 s".to_owned()));
    let wanted = [(0.0, Ok(())), (1.0, refused.clone()), (2.0, refused), (8.0, late), (8.0, Ok(()))];
    assert_eq!(seen(&mut looks, 5).await, wanted);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_when_nobody_looks() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let mut looks = follow(SECOND, move || {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Err(String::new()) }
    });
    seen(&mut looks, 3).await;
    drop(looks);
    tokio::time::sleep(60 * SECOND).await;
    assert!(asked.load(Ordering::SeqCst) <= 5, "{asked:?}");
}
