use std::future::pending;

use tokio::sync::{Notify, watch};

use super::*;

/// As many as there may be; the first of them in order. The receiver says how many are still there.
fn full(progress: impl Fn(usize, &Progress)) -> (Connections, watch::Receiver<Vec<usize>>) {
    let (there, seen) = watch::channel((0..CONNECTIONS).collect::<Vec<_>>());
    let mut connections = Connections::at_most(CONNECTIONS);
    for number in 0..CONNECTIONS {
        let gone = Gone(number, there.clone());
        connections.serve(|how| {
            progress(number, &how);
            async move {
                let _gone = gone;
                pending::<()>().await;
            }
        });
    }
    (connections, seen)
}

/// Where there never is any, a test fails instead of waiting for ever.
async fn room(connections: &mut Connections) {
    tokio::time::timeout(Duration::from_secs(3_600), connections.room()).await.expect("room");
}

struct Gone(usize, watch::Sender<Vec<usize>>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.1.send_modify(|there| there.retain(|number| *number != self.0));
    }
}

#[tokio::test(start_paused = true)]
async fn the_oldest_that_has_not_asked_makes_room_after_a_moment() {
    // The first has a stream, and the second has asked.
    let (mut connections, there) = full(|number, progress| match number {
        0 => progress.answered(true),
        1 => progress.answered(false),
        _ => {}
    });
    let begun = Instant::now();
    room(&mut connections).await;
    assert_eq!(begun.elapsed(), GRACE, "what has just come may not have been read yet");
    let kept: Vec<_> = (0..CONNECTIONS).filter(|number| *number != 2).collect();
    assert_eq!(*there.borrow(), kept);
    room(&mut connections).await;
    assert_eq!(*there.borrow(), kept, "there is room already");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_read_its_answer_makes_room_and_streams_stay() {
    let (mut connections, there) = full(|number, progress| progress.answered(number != 7));
    let begun = Instant::now();
    room(&mut connections).await;
    assert_eq!((begun.elapsed(), there.borrow().contains(&7)), (READING, false));
    connections.serve(|progress| {
        progress.answered(true);
        pending()
    });
    let forever = tokio::time::timeout(Duration::from_secs(3_600), connections.room()).await;
    assert!(forever.is_err(), "streams end by themselves");
    assert_eq!(there.borrow().len(), CONNECTIONS - 1);
}

#[tokio::test(start_paused = true)]
async fn what_ends_by_itself_makes_room_at_once() {
    let mut connections = Connections::at_most(CONNECTIONS);
    let end = Arc::new(Notify::new());
    for _ in 0..CONNECTIONS {
        let ends = end.clone();
        connections.serve(|_| async move { ends.notified().await });
    }
    let begun = Instant::now();
    end.notify_one();
    room(&mut connections).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
}
