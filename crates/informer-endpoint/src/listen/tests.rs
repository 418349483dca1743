use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::connections::CONNECTIONS;

async fn connect(listening: &Listening) -> TcpStream {
    TcpStream::connect(listening.address()).await.unwrap()
}

async fn probe(listening: &Listening) -> String {
    let mut connection = connect(listening).await;
    connection.write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_probe_is_answered_however_many_connect_and_say_nothing() {
    let local = "127.0.0.1:0".parse().unwrap();
    let patience = Duration::from_secs(3_600);
    let listening = Endpoint::new(Vec::new).listen_patiently(local, patience).await.unwrap();
    let mut idle = Vec::new();
    for _ in 0..2 * CONNECTIONS {
        idle.push(connect(&listening).await);
    }
    // Half a request is none.
    idle[CONNECTIONS].write_all(b"GET /livez HTTP/1.1\r\n").await.unwrap();
    // Less than the time after which any connection is let go.
    let answer = timeout(ANSWER * 2 / 3, probe(&listening)).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    // The oldest were let go for it.
    assert_eq!(idle[0].read(&mut [0; 1]).await.unwrap_or_default(), 0);
}

#[tokio::test]
async fn who_says_nothing_is_let_go() {
    let local = "127.0.0.1:0".parse().unwrap();
    let patience = Duration::from_millis(10);
    let listening = Endpoint::new(Vec::new).listen_patiently(local, patience).await.unwrap();
    let mut idle = connect(&listening).await;
    let end = timeout(ANSWER * 2 / 3, idle.read_to_end(&mut Vec::new())).await;
    assert!(end.is_ok(), "long before anything else ends it");
}
