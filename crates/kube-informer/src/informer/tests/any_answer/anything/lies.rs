//! Versions, objects and events that no honest server would send.

use fastrand::Rng;
use serde_json::{Value, json};

use super::recipe::Versions;

const NAMES: usize = 10;

/// Makes things up. Whatever has the uid of a real object never has a version that the honest server gave to it: the
/// two could not be told apart.
#[derive(Clone)]
pub(super) struct Lies {
    pub(super) random: Rng,
    /// Above all versions that the honest server gives before it takes over, below all after that.
    newest: u64,
    /// The version told last.
    last: String,
}

impl Lies {
    pub(super) fn new(random: Rng) -> Self {
        Self { random, newest: 100, last: "100".to_owned() }
    }

    pub(super) fn version(&mut self, versions: Versions) -> String {
        self.last = match versions {
            Versions::Any => return self.any_version(),
            Versions::Same => return self.last.clone(),
            Versions::Newer => {
                self.newest += self.random.u64(1..4);
                self.newest.to_string()
            }
            Versions::Older => self.random.u64(1..=self.newest).to_string(),
            Versions::Huge if self.random.bool() => {
                (1_000_000_000_000 + self.random.u64(..1_000)).to_string()
            }
            Versions::Huge => "123456789012345678901234567890".to_owned(),
            Versions::Zero => "0".to_owned(),
            Versions::Word => "not-a-number".to_owned(),
            Versions::Empty => return String::new(),
        };
        self.last.clone()
    }

    fn any_version(&mut self) -> String {
        use Versions::{Empty, Huge, Newer, Older, Same, Word, Zero};
        let all = [Newer, Newer, Newer, Newer, Older, Older, Same, Same, Huge, Zero, Word, Empty];
        let versions = self.random.choice(all).expect("some");
        self.version(versions)
    }

    /// A version for an object with the uid of a real one.
    fn apart(&mut self, versions: Versions) -> String {
        let version = self.version(versions);
        match version.parse::<u64>() {
            Ok(1..=100) => self.version(Versions::Newer),
            _ => version,
        }
    }

    /// An object: a real one, one that says something else, or none at all.
    pub(super) fn object(&mut self, real: &[Value], versions: Versions) -> Value {
        let copy = self.random.choice(real).cloned();
        match (self.random.u8(0..14), copy) {
            (0..=3, Some(real)) => real,
            (4..=6, Some(mut real)) => {
                real["metadata"]["resourceVersion"] = json!(self.apart(versions));
                real["data"]["text"] = json!(self.text());
                real
            }
            (7, Some(mut real)) => {
                real["metadata"]["resourceVersion"] = json!(self.version(versions));
                real["metadata"]["uid"] = json!(self.uid());
                real
            }
            (8, _) => {
                let mut object = self.made_up(versions);
                object["kind"] = json!("Pod");
                object
            }
            (9, _) => {
                let mut object = self.made_up(versions);
                object["metadata"]["name"] =
                    self.random.choice([json!(null), json!(""), json!(7)]).expect("three");
                object
            }
            (10, _) => {
                let mut object = self.made_up(versions);
                object["metadata"]["namespace"] =
                    self.random.choice([json!(null), json!("elsewhere")]).expect("two");
                object
            }
            (11, _) => self
                .random
                .choice([json!(null), json!(7), json!({}), json!({ "metadata": [] })])
                .expect("four"),
            _ => self.made_up(versions),
        }
    }

    fn made_up(&mut self, versions: Versions) -> Value {
        let namespace = self.random.choice(["a", "b", "c"]).expect("three");
        json!({
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {
                "namespace": namespace, "name": self.random.usize(..NAMES).to_string(),
                "uid": self.uid(), "resourceVersion": self.version(versions),
            },
            "data": { "text": self.text() },
        })
    }

    fn uid(&mut self) -> String {
        match self.random.u8(0..6) {
            0 => String::new(),
            number => format!("made-up-{number}"),
        }
    }

    fn text(&mut self) -> String {
        format!("a lie {}", self.random.u8(..3))
    }

    /// One event of any type.
    pub(super) fn event(&mut self, real: &[Value], versions: Versions) -> Value {
        match self.random.u8(0..16) {
            0..=1 => self.bookmark(versions, false),
            2 => json!({ "type": "ERROR", "object": self.status() }),
            3 if self.random.bool() => json!({ "type": "MADE-UP", "object": {} }),
            3 => self.status(),
            4..=7 => json!({ "type": "DELETED", "object": self.object(real, versions) }),
            8..=11 => json!({ "type": "ADDED", "object": self.object(real, versions) }),
            _ => json!({ "type": "MODIFIED", "object": self.object(real, versions) }),
        }
    }

    pub(super) fn bookmark(&mut self, versions: Versions, mark: bool) -> Value {
        let mut object = json!({
            "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": { "resourceVersion": self.version(versions), "creationTimestamp": null },
        });
        if mark {
            object["metadata"]["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        json!({ "type": "BOOKMARK", "object": object })
    }

    fn status(&mut self) -> Value {
        let (code, reason) = (self.random)
            .choice([
                (410, "Expired"),
                (410, "Gone"),
                (500, "InternalError"),
                (429, "TooManyRequests"),
                (0, ""),
            ])
            .expect("some");
        let message = self.random.choice(["", "no", "Too large resource version"]).expect("three");
        json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code })
    }
}
