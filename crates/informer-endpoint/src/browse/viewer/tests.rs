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
        viewer(&pages, Some("p")).turn().await;
        assert_eq!(begun.elapsed(), SECOND * (number / 2));
    }
    tokio::time::sleep(SECOND).await;
    viewer(&pages, Some("other")).turn().await;
    assert_eq!(pages.0.lock().len(), 1, "who has no stream any more is forgotten");
    viewer(&pages, Some(&"p".repeat(NAME + 1)));
    assert_eq!(pages.0.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_goes_while_it_waits_has_sent_nothing() {
    let pages = Pages::default();
    let one = viewer(&pages, Some("p"));
    one.turn().await;
    one.turn().await;
    let begun = Instant::now();
    for _ in 0..10 {
        let waits = viewer(&pages, Some("p"));
        let waited = tokio::time::timeout(Duration::from_millis(50), waits.turn()).await;
        assert!(waited.is_err());
    }
    one.turn().await;
    assert_eq!(begun.elapsed(), SECOND);
}
