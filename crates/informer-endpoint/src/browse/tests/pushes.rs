//! A viewer is sent little, however much happens and however many streams it has.

use futures::stream::select_all;
use tokio::time::Instant;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// A server where a map changes every ten milliseconds.
async fn busy() -> Endpoint {
    let server = ScriptedSource::of::<ConfigMap>();
    put(&server, "x", "0");
    let informer = maps(&server).await;
    tokio::spawn(async move {
        for number in 1.. {
            tokio::time::sleep(Duration::from_millis(10)).await;
            put(&server, "x", &number.to_string());
        }
    });
    Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer))
}

/// When the streams send something for so long, and which of them it is.
async fn pushes(
    streams: Vec<impl futures::Stream<Item = String> + Unpin>,
    lasting: Duration,
) -> Vec<(Instant, usize)> {
    let numbered =
        streams.into_iter().enumerate().map(|(number, events)| events.map(move |_| (Instant::now(), number)));
    let end = tokio::time::sleep(lasting);
    select_all(numbered).take_until(end).collect().await
}

/// In no second there are more than two.
fn assert_slow(pushes: &[(Instant, usize)]) {
    for three in pushes.windows(3) {
        let took = three[2].0 - three[0].0;
        assert!(took >= SECOND, "three in {took:?}: {three:?}");
    }
}

/// A search again and again, as somebody has it who does not wait for its end. Not without end: a search takes no time.
fn searches(endpoint: &Endpoint, query: &str) -> impl futures::Stream<Item = String> + Unpin + use<> {
    let (endpoint, path) = (endpoint.clone(), format!("/debug/objects/search?informer=0{query}"));
    Box::pin(futures::stream::repeat(()).take(100).flat_map(move |()| events_of(ask(&endpoint, &path, None))))
}

#[tokio::test(start_paused = true)]
async fn a_stream_by_itself_has_at_most_two_in_any_second() {
    let endpoint = busy().await;
    for path in ["object?informer=0&namespace=shop&name=x", "changes?informer=0"] {
        let events = events_of(ask(&endpoint, &format!("/debug/objects/{path}"), None));
        let pushes = pushes(vec![events], SECOND * 20).await;
        assert!((15..=40).contains(&pushes.len()), "{path}: {}", pushes.len());
        assert_slow(&pushes);
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_has_at_most_two_in_any_second_and_each_of_its_streams_goes_on() {
    let endpoint = busy().await;
    let of_page = |path: &str| events_of(ask(&endpoint, &format!("/debug/objects/{path}&page=p"), None));
    let streams: Vec<futures::stream::BoxStream<'_, String>> = vec![
        of_page("changes?informer=0").boxed(),
        of_page("object?informer=0&namespace=shop&name=x").boxed(),
        searches(&endpoint, "&page=p").boxed(),
        searches(&endpoint, "&page=p&field=data.key%3D7").boxed(),
    ];
    let pushes = pushes(streams, SECOND * 30).await;
    assert_slow(&pushes);
    assert!(pushes.len() >= 50, "what may be sent is: {}", pushes.len());
    // What changes by itself gives way to searches for a second each time.
    for (stream, least) in [(0, 5), (1, 5), (2, 10), (3, 10)] {
        let count = pushes.iter().filter(|(_, number)| *number == stream).count();
        assert!(count >= least, "{stream}: {count} of {}", pushes.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_search_is_answered_at_once_whatever_changes() {
    let endpoint = busy().await;
    let of_page = |path: &str| events_of(ask(&endpoint, &format!("/debug/objects/{path}&page=p"), None));
    let changing = [of_page("changes?informer=0"), of_page("object?informer=0&namespace=shop&name=x")];
    let looking = tokio::spawn(pushes(changing.into(), SECOND * 60));
    for number in 0..40 {
        tokio::time::sleep(Duration::from_millis(1_013 + number)).await;
        let asked = Instant::now();
        assert_eq!(of_page("search?informer=0").count().await, 1);
        assert!(asked.elapsed() < Duration::from_millis(200), "search {number}: {:?}", asked.elapsed());
    }
    let pushes = looking.await.unwrap();
    for stream in [0, 1] {
        let count = pushes.iter().filter(|(_, number)| *number == stream).count();
        assert!(count >= 15, "{stream}: {count} of {}", pushes.len());
    }
}

#[tokio::test(start_paused = true)]
async fn while_nothing_changes_the_list_of_changes_only_keeps_its_connection() {
    let informer = maps(&ScriptedSource::of::<ConfigMap>()).await;
    let endpoint = Endpoint::new(Vec::new).objects(ObjectBrowser::new().informer(&informer));
    let feed = events_of(ask(&endpoint, "/debug/objects/changes?informer=0", None));
    let said: Vec<_> = feed.take_until(tokio::time::sleep(SECOND * 40)).collect().await;
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].starts_with("data: ") && said[1..].iter().all(|text| text == ":\n\n"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn pages_do_not_wait_for_one_another() {
    let endpoint = busy().await;
    let begun = Instant::now();
    for page in 0..10 {
        let path = format!("/debug/objects/search?informer=0&page={page}");
        assert_eq!(events_of(ask(&endpoint, &path, None)).count().await, 1);
    }
    assert!(begun.elapsed() < SECOND, "{:?}", begun.elapsed());
}
