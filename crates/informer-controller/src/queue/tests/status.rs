//! What a queue says of itself.

use std::time::Duration;

use super::shell::{next, queue};

#[tokio::test(start_paused = true)]
async fn it_tells_how_much_there_is_what_has_waited_longest_and_who_works_longest() {
    let second = Duration::from_secs(1);
    let queue = queue();
    let status = queue.status();
    assert_eq!((status.due, status.later, status.working), (0, 0, 0));
    assert_eq!((status.oldest, status.longest_running), (None, None));
    queue.add("first");
    let working = next(&queue).await;
    tokio::time::advance(second).await;
    let also = {
        queue.add("second");
        next(&queue).await
    };
    queue.add("low");
    tokio::time::advance(second).await;
    // A higher priority comes earlier, and has not waited longer.
    queue.add_with_priority("high", 7);
    queue.add_after("later", second * 60);
    tokio::time::advance(second).await;
    let status = queue.status();
    assert_eq!((status.due, status.later, status.working), (2, 1, 2));
    assert_eq!(
        (status.oldest, status.longest_running),
        (Some(("low".to_owned(), second * 2)), Some(second * 3))
    );
    working.done();
    also.done();
    assert_eq!(queue.status().longest_running, None);
}

#[tokio::test(start_paused = true)]
async fn it_counts_runs_those_that_failed_and_what_is_to_come_again() {
    let second = Duration::from_secs(1);
    let queue = queue();
    let counted = || {
        let status = queue.status();
        (status.runs, status.failures, status.retries)
    };
    queue.add("a");
    let work = next(&queue).await;
    assert_eq!(counted(), (0, 0, 0), "a run counts when it is over");
    work.put_back();
    assert_eq!(counted(), (0, 0, 0), "it was none");
    next(&queue).await.done();
    assert_eq!(counted(), (1, 0, 0));
    queue.add("a");
    next(&queue).await.done_for(second);
    assert_eq!(counted(), (2, 0, 1));
    next(&queue).await.failed();
    assert_eq!(counted(), (3, 1, 2));
    drop(next(&queue).await);
    assert_eq!(counted(), (4, 2, 3), "dropped without a word");
    next(&queue).await.give_up();
    assert_eq!(counted(), (5, 3, 3), "it is not tried again");
    assert_eq!((queue.status().due, queue.status().later), (0, 0));
    queue.add_after("b", second);
    assert_eq!(counted(), (5, 3, 4), "as client-go counts it");
    queue.postpone("b", second * 2);
    next(&queue).await.done();
    assert_eq!(counted(), (6, 3, 4));
    queue.shut_down();
    assert_eq!(counted(), (6, 3, 4), "counts stay");
}
