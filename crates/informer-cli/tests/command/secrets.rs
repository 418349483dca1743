//! No value of a Secret, nor its base64, is in anything that the command writes or serves.

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube_client::Api;
use kube_client::api::{DeleteParams, Patch, PatchParams};
use serde_json::{Value, json};

use crate::serving::get;
use crate::support::canned::{Answer, Canned};
use crate::support::{Running, Said, Server, run};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Makes random Secrets and remembers all their values.
struct World {
    state: u64,
    /// All values, as they are and in base64.
    writings: Vec<String>,
}

impl World {
    fn new(seed: u64) -> Self {
        Self { state: seed, writings: Vec::new() }
    }

    /// Splitmix64.
    fn number(&mut self, below: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % below as u64).expect("a small number")
    }

    fn word(&mut self, length: usize) -> String {
        let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        (0..length).map(|_| char::from(letters[self.number(letters.len())])).collect()
    }

    /// A value in base64.
    fn value(&mut self) -> String {
        let length = 16 + self.number(40);
        let value = self.word(length);
        let encoded = serde_json::to_value(ByteString(value.clone().into_bytes())).expect("base64");
        let encoded = encoded.as_str().expect("a text").to_owned();
        self.writings.extend([value, encoded.trim_end_matches('=').to_owned()]);
        encoded
    }

    /// A Secret as `kubectl create` or `kubectl apply` makes it.
    fn secret(&mut self, name: &str, version: usize, applied: bool) -> Value {
        let mut data = json!({});
        for _ in 0..1 + self.number(3) {
            let key = self.word(4);
            data[&key] = self.value().into();
        }
        let mut secret = json!({ "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
            "metadata": { "name": name, "namespace": "shop", "labels": { "app": self.word(5) } } });
        if applied {
            let copy = format!("{secret}\n");
            secret["metadata"]["annotations"] = json!({ LAST_APPLIED: copy, "note": self.value() });
        }
        secret["metadata"]["resourceVersion"] = version.to_string().into();
        secret
    }

    fn assert_none_in(&self, what: &str, text: &str) {
        for writing in &self.writings {
            assert!(!text.contains(writing), "{what} shows {writing}: {text}");
        }
    }

    fn assert_none_said(&self, arguments: &[&str], said: &Said) {
        self.assert_none_in(&format!("{arguments:?}"), &format!("{}\n{}", said.out, said.err));
    }
}

const READING: [&[&str]; 10] = [
    &["get", "secrets", "-n", "shop"],
    &["get", "secrets", "-n", "shop", "-o", "json"],
    &["get", "secrets", "-n", "shop", "-o", "yaml"],
    &["get", "secrets", "-n", "shop", "-o", "name"],
    &["get", "secret", "s-1", "-n", "shop", "-o", "json"],
    &["get", "secret", "s-1", "-n", "shop", "-o", "yaml"],
    &["diff", "secrets", "-n", "shop"],
    &["diff", "secrets", "-n", "shop", "-o", "json"],
    &["get", "secrets", "-n", "shop", "--field", "data", "--field", "metadata.annotations"],
    &["get", "secrets", "-n", "shop", "-o", "wide", "--show-labels"],
];

#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_shown_of_what_is_there_and_what_happens() {
    for seed in 0..3 {
        let mut world = World::new(seed);
        let server = Server::start().await;
        let secrets: Api<Secret> = Api::namespaced(server.api.quiet_client(), "shop");
        for number in 0..3 {
            let mut secret = world.secret(&format!("s-{number}"), 0, number == 2);
            secret["metadata"]["resourceVersion"] = Value::Null;
            let secret: Secret = serde_json::from_value(secret).expect("a Secret");
            server.api.create(&secret).await.expect("it is created");
        }
        let arguments = ["watch", "secrets", "-n", "shop", "-o", "json", "--listen", "127.0.0.1:0"];
        let mut as_json = Running::start(server.informer(&arguments));
        let listening = as_json.remark("listening at http://").await;
        let address = listening.trim().trim_start_matches("listening at http://");
        let address = address.trim_end_matches("/debug/informers").to_owned();
        let mut as_text =
            Running::start_merged(server.informer(&["watch", "secrets", "-n", "shop", "--diff"]));
        let mut shown = String::new();
        while !shown.contains("\ts-2") {
            shown += &as_text.line().await.replace("shop/", "\t");
        }
        for _ in 0..3 {
            shown += &as_json.line().await;
        }
        // Over the rounds all annotations are added, removed and changed, and so are values.
        for (round, applied) in [true, false, true, true].into_iter().enumerate() {
            for number in 0..3 {
                let name = format!("s-{number}");
                let mut next = world.secret(&name, 0, applied ^ (number == 2));
                next["metadata"]["resourceVersion"] = Value::Null;
                let next: Secret = serde_json::from_value(next).expect("a Secret");
                let replaced = secrets.replace(&name, &Default::default(), &next).await;
                replaced.unwrap_or_else(|error| panic!("round {round}: {error}"));
            }
        }
        let patch = json!({ "metadata": { "labels": { "last": "yes" } } });
        secrets.patch("s-1", &PatchParams::default(), &Patch::Merge(&patch)).await.expect("a change");
        for arguments in READING {
            let said = run(server.informer(arguments)).await;
            assert_eq!(said.code, 0, "{said:?}");
            world.assert_none_said(arguments, &said);
        }
        secrets.delete("s-0", &DeleteParams::default()).await.expect("it is deleted");
        for running in [&mut as_json, &mut as_text] {
            loop {
                let line = running.line().await;
                assert!(!line.is_empty(), "it goes on");
                shown += &line;
                if line.contains("DELETED") || line.contains("\"deleted\"") {
                    break;
                }
            }
        }
        assert!(shown.contains("metadata.annotations") && shown.contains("bytes"), "{shown}");
        world.assert_none_in("watch", &shown);
        for path in ["/metrics", "/readyz", "/debug/informers"] {
            let (status, body) = get(&address, path).await;
            assert_eq!(status, 200, "{body}");
            world.assert_none_in(path, &body);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_shown_of_differences() {
    for seed in 10..14 {
        let mut world = World::new(seed);
        // The cache gets one state, and the list that it is compared with another.
        let list = |world: &mut World, applied: bool| {
            let items: Vec<_> = (0..3).map(|n| world.secret(&format!("s-{n}"), 5, applied)).collect();
            json!({ "kind": "SecretList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items })
        };
        let (cached, listed) = (list(&mut world, seed % 2 == 0), list(&mut world, seed % 2 == 1));
        let server = Canned::start(move |path| match path {
            path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
            path if path.contains("watch=true") => Answer::Silence(String::new()),
            path if path.contains("resourceVersion=") => Answer::json(200, &cached),
            _ => Answer::json(200, &listed),
        });
        for arguments in [READING[6], READING[7]] {
            let said = run(server.informer(arguments)).await;
            assert_eq!(said.code, 1, "{said:?}");
            assert!(
                said.out.contains("annotations") && said.err.contains("3 of 3 objects differ"),
                "{said:?}"
            );
            world.assert_none_said(arguments, &said);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_shown_of_an_error_with_objects_in_it() {
    let mut world = World::new(20);
    let items: Vec<_> = (0..3).map(|n| world.secret(&format!("s-{n}"), 5, true)).collect();
    let list = json!({ "kind": "SecretList", "apiVersion": "v1", "items": items }).to_string();
    let value = world.value();
    let answers = [
        Answer::Body(502, "application/json", list.clone()),
        Answer::Body(502, "text/plain", value.clone()),
        Answer::Body(200, "application/json", format!("{list} oops")),
        Answer::status(500, "InternalError", &format!("cannot decode {list}")),
    ];
    for answer in answers {
        let given = answer.clone();
        let server = Canned::start(move |_| given.clone());
        for command in ["get", "diff"] {
            let arguments = [command, "secrets", "-o", "json", "--timeout", "500ms"];
            let said = run(server.informer(&arguments)).await;
            assert_eq!(said.code, 3, "{answer:?}: {said:?}");
            world.assert_none_said(&arguments, &said);
        }
        let watch = ["watch", "secrets", "--listen", "127.0.0.1:0"];
        let mut watch = Running::start(server.informer(&watch));
        let listening = watch.remark("listening at http://").await;
        let address = listening.trim().trim_start_matches("listening at http://");
        let trouble = watch.remark("cannot list secrets").await;
        world.assert_none_in("watch", &trouble);
        for path in ["/metrics", "/readyz", "/debug/informers"] {
            let (_, body) = get(address.trim_end_matches("/debug/informers"), path).await;
            world.assert_none_in(path, &body);
        }
    }
}

/// `diff` lists again after the cache has synced, and that list may fail by itself.
#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_shown_if_the_list_to_compare_with_fails() {
    let mut world = World::new(30);
    let items = vec![world.secret("s-0", 5, true)];
    let list = json!({ "kind": "SecretList", "apiVersion": "v1", "metadata": { "resourceVersion": "9" }, "items": items });
    let server = Canned::start(move |path| match path {
        path if path.contains("sendInitialEvents") => Answer::status(400, "BadRequest", "no streams"),
        path if path.contains("watch=true") => Answer::Silence(String::new()),
        path if path.contains("resourceVersion=") => Answer::json(200, &list),
        _ => Answer::json(502, &list),
    });
    let arguments = ["diff", "secrets", "-n", "shop"];
    let said = run(server.informer(&arguments)).await;
    assert_eq!(said.code, 3, "{said:?}");
    world.assert_none_said(&arguments, &said);
}
