use super::Request;

#[test]
fn path_query_and_accept_are_read() {
    let head =
        "GET /api/v1/pods?watch=true&limit=500 HTTP/1.1\r\nHost: x\r\naccept: application/json\r\n\r\n";
    let request = Request::read(&mut head.as_bytes()).unwrap().unwrap();
    assert_eq!(
        (request.path.as_str(), request.query("watch"), request.number("limit")),
        ("/api/v1/pods", Some("true"), 500)
    );
    assert_eq!(request.accept(), "application/json");
    assert!(Request::read(&mut "".as_bytes()).unwrap().is_none());
}
