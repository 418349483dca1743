//! A server with prepared answers, for answers that a correct server does not give.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::informer;

/// An answer.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A status, a content type and a body.
    Body(u16, &'static str, String),
    /// A body that does not end, like a watch without events.
    Silence(String),
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::Body(status, "application/json", body.to_string())
    }

    /// A Status with an error.
    pub(crate) fn status(code: u16, reason: &str, message: &str) -> Self {
        let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
            "reason": reason, "message": message });
        Self::json(code, &status)
    }
}

/// The server, which runs until the end of the test.
pub(crate) struct Canned {
    directory: TempDir,
    pub(crate) url: String,
}

impl Canned {
    /// Answers with what the function returns for a path and query. Discovery has pods, configmaps and secrets.
    pub(crate) fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        Self::with_discovery(move |path| discovery(path).unwrap_or_else(|| answer(path)))
    }

    /// The same, with the discovery that the function answers.
    pub(crate) fn with_discovery(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("kubeconfig"), kubeconfig(&url)).expect("a kubeconfig");
        let answer = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = answer.clone();
                std::thread::spawn(move || serve(stream, &*answer));
            }
        });
        Self { directory, url }
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }

    pub(crate) fn informer(&self, arguments: &[&str]) -> Command {
        let mut command = informer(arguments);
        command.arg("--kubeconfig").arg(self.kubeconfig());
        command
    }
}

/// A kubeconfig with one context.
pub(crate) fn kubeconfig(server: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: main\n\
         clusters:\n- name: main\n  cluster:\n    server: {server}\n\
         contexts:\n- name: main\n  context:\n    cluster: main\n    user: main\n\
         users:\n- name: main\n  user: {{}}\n"
    )
}

/// Answers one request; each connection has only one.
fn serve(stream: TcpStream, answer: &dyn Fn(&str) -> Answer) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = first.clone();
    while line.trim() != "" {
        line.clear();
        reader.read_line(&mut line).ok()?;
    }
    let path = first.split(' ').nth(1)?;
    let answer = answer(path);
    let mut stream = stream;
    match answer {
        Answer::Body(status, content_type, body) => {
            let head = format!(
                "HTTP/1.1 {status} Some\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).ok()?;
            stream.write_all(body.as_bytes()).ok()?;
        }
        Answer::Silence(body) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n").ok()?;
            stream.write_all(body.as_bytes()).ok()?;
            // Waits until the client closes the connection.
            reader.read_to_end(&mut Vec::new()).ok()?;
        }
    }
    Some(())
}

/// What the server says that it has; nothing for other paths.
pub(crate) fn discovery(path: &str) -> Option<Answer> {
    let resource = |plural: &str, kind: &str| {
        json!({ "name": plural, "singularName": kind.to_lowercase(), "namespaced": true, "kind": kind,
            "verbs": ["get", "list", "watch"] })
    };
    let document = match path {
        "/api" => json!({ "kind": "APIVersions", "versions": ["v1"] }),
        "/apis" => json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": [] }),
        "/api/v1" => json!({ "kind": "APIResourceList", "groupVersion": "v1", "resources": [
            resource("configmaps", "ConfigMap"), resource("pods", "Pod"), resource("secrets", "Secret") ] }),
        _ => return None,
    };
    Some(Answer::json(200, &document))
}
