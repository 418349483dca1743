use std::cell::RefCell;

use super::*;

/// How many run at the same time in each round, and what comes of it.
async fn rounds(count: usize, fails: impl Fn(usize) -> bool) -> (Vec<usize>, Result<(), (usize, usize)>) {
    let (begun, rounds) = (RefCell::new(0), RefCell::new(Vec::new()));
    let (fails, begun, rounds) = (&fails, &begun, &rounds);
    let one = |number| async move {
        *begun.borrow_mut() += 1;
        tokio::task::yield_now().await;
        // The first one to go on ends the round.
        let this = begun.replace(0);
        if this > 0 {
            rounds.borrow_mut().push(this);
        }
        if fails(number) { Err(number) } else { Ok(()) }
    };
    let result = slow_start(count, one).await.map_err(|stopped| (stopped.done, stopped.error));
    (rounds.borrow().clone(), result)
}

#[tokio::test]
async fn batches_double_and_the_first_failure_ends_them() {
    assert_eq!(rounds(0, |_| false).await, (vec![], Ok(())));
    assert_eq!(rounds(1, |_| false).await, (vec![1], Ok(())));
    assert_eq!(rounds(10, |_| false).await, (vec![1, 2, 4, 3], Ok(())));
    assert_eq!(rounds(100, |_| true).await, (vec![1], Err((0, 0))));
    // What runs beside the one that fails is counted.
    assert_eq!(rounds(100, |number| number == 4).await, (vec![1, 2, 4], Err((6, 4))));
}
