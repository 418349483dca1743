//! An HTTP proxy that tunnels with `CONNECT`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The proxy, which runs until the end of the test.
pub(crate) struct Proxy {
    address: String,
    connections: Arc<AtomicUsize>,
}

impl Proxy {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = count.clone();
                std::thread::spawn(move || tunnel(stream, &count));
            }
        });
        Self { address, connections }
    }

    /// How many connections it has tunnelled.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// A kubeconfig for a server behind this proxy.
    pub(crate) fn kubeconfig(&self, server: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
             clusters:\n- name: main\n  cluster:\n    server: {server}\n    proxy-url: http://{}\n\
             contexts:\n- name: main\n  context:\n    cluster: main\n    user: main\n\
             users:\n- name: main\n  user: {{}}\n",
            self.address
        )
    }
}

fn tunnel(client: TcpStream, count: &AtomicUsize) -> Option<()> {
    let mut head = BufReader::new(client.try_clone().ok()?);
    let mut first = String::new();
    head.read_line(&mut first).ok()?;
    let mut line = first.clone();
    while !line.trim().is_empty() {
        line.clear();
        head.read_line(&mut line).ok()?;
    }
    let mut client = client;
    let Some(target) = first.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()) else {
        client.write_all(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n").ok()?;
        return None;
    };
    let mut server = TcpStream::connect(target).ok()?;
    count.fetch_add(1, Ordering::Relaxed);
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok()?;
    let (mut back, mut from) = (client.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || std::io::copy(&mut from, &mut back));
    std::io::copy(&mut head, &mut server).ok()?;
    Some(())
}
