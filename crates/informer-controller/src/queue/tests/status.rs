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
    assert_eq!((status.oldest, status.longest_running), (Some(("low", second * 2)), Some(second * 3)));
    working.done();
    also.done();
    assert_eq!(queue.status().longest_running, None);
}
