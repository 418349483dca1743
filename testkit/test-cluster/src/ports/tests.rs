use super::*;

#[test]
fn a_port_in_use_is_not_free() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    assert!(!is_free(listener.local_addr().unwrap().port()));
}

#[test]
fn the_port_lies_below_those_of_outgoing_connections() {
    // Whether it is still free cannot be asserted: tests that run at the same time take ports too.
    assert!((LOWEST..first_outgoing_port()).contains(&free_port().unwrap()));
}
