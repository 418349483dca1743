use tokio::sync::Semaphore;

use super::*;

fn viewer(pages: &Pages, page: Option<&str>) -> Viewer {
    let seat = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a place");
    pages.viewer(page, seat)
}

#[tokio::test(start_paused = true)]
async fn what_was_just_sent_counts_for_the_next_stream_of_the_page() {
    let pages = Pages::default();
    let begun = Instant::now();
    for number in 0..6 {
        viewer(&pages, Some("p")).turn(Turn::Answer).await;
        assert_eq!(begun.elapsed(), SECOND * (number / 2));
    }
    tokio::time::sleep(SECOND).await;
    viewer(&pages, Some("other")).turn(Turn::Answer).await;
    assert_eq!(pages.sent.lock().len(), 1, "who has no stream any more is forgotten");
    viewer(&pages, Some(&"p".repeat(NAME + 1)));
    assert_eq!(pages.sent.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_goes_while_it_waits_has_sent_nothing() {
    let pages = Pages::default();
    let one = viewer(&pages, Some("p"));
    one.turn(Turn::Answer).await;
    one.turn(Turn::Answer).await;
    let begun = Instant::now();
    for _ in 0..10 {
        let waits = viewer(&pages, Some("p"));
        let waited = tokio::time::timeout(Duration::from_millis(50), waits.turn(Turn::Answer)).await;
        assert!(waited.is_err());
    }
    one.turn(Turn::Answer).await;
    assert_eq!(begun.elapsed(), SECOND);
}

/// A connection whose other end reads nothing is not polled, whatever it waits for.
#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_reads_stops_no_other() {
    let pages = Pages::default();
    let (one, stuck, also_stuck) =
        (viewer(&pages, Some("p")), viewer(&pages, Some("p")), viewer(&pages, Some("p")));
    one.turn(Turn::Answer).await;
    one.turn(Turn::Answer).await;
    let begun = Instant::now();
    let mut stuck = [Box::pin(stuck.turn(Turn::Answer)), Box::pin(also_stuck.turn(Turn::Answer))];
    for waits in &mut stuck {
        assert!(futures::poll!(waits.as_mut()).is_pending());
    }
    for number in 0..6 {
        one.turn(Turn::Answer).await;
        assert_eq!(begun.elapsed(), SECOND * (1 + number / 2));
    }
    for waits in stuck {
        waits.await;
    }
    assert_eq!(begun.elapsed(), SECOND * 4, "they go on when they are read again");
}

#[tokio::test(start_paused = true)]
async fn streams_that_always_have_something_leave_the_others_their_turn() {
    let pages = Pages::default();
    let begun = Instant::now();
    let count = |_| {
        let viewer = viewer(&pages, Some("p"));
        tokio::spawn(async move {
            let mut count = 0;
            while begun.elapsed() < 30 * SECOND {
                viewer.turn(Turn::Answer).await;
                count += 1;
            }
            count
        })
    };
    let counts = futures::future::try_join_all([0; 5].map(count)).await.expect("all end");
    assert!(counts.iter().all(|count| (10..=14).contains(count)), "{counts:?}");
}

/// What changes by itself has one turn a second, whichever stream it is of, and an answer does not wait.
#[tokio::test(start_paused = true)]
async fn an_answer_does_not_wait_for_news() {
    let pages = Pages::default();
    let begun = Instant::now();
    let news = |_| {
        let viewer = viewer(&pages, Some("p"));
        tokio::spawn(async move {
            let mut count = 0;
            while begun.elapsed() < 60 * SECOND {
                viewer.turn(Turn::News).await;
                count += 1;
            }
            count
        })
    };
    let counts = futures::future::try_join_all([0; 2].map(news));
    let searching = async {
        for number in 0..40 {
            tokio::time::sleep(Duration::from_millis(1_013 + number)).await;
            let asked = Instant::now();
            viewer(&pages, Some("p")).turn(Turn::Answer).await;
            assert_eq!(asked.elapsed(), Duration::ZERO, "search {number}");
        }
    };
    let (counts, ()) = futures::join!(counts, searching);
    let counts = counts.expect("all end");
    assert!(counts.iter().all(|count| *count >= 20), "both have their turns: {counts:?}");
    assert!(counts.iter().sum::<i32>() <= 62, "one a second: {counts:?}");
}
