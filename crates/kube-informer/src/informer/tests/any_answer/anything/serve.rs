//! From a recipe to the bytes of an answer.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::State;
use super::body::{Body, Piece, Tail, reset};
use super::lies::Lies;
use super::recipe::{End, Events, ListEnd, Mark, Page, Recipe, Tokens, Versions, What};
use crate::source::{Request, ScriptedSource, SourceError, Verb};

pub(super) enum Answer {
    Honest,
    Never,
    Fail(SourceError),
    Body(Body),
}

impl State {
    pub(super) fn answer(&mut self, honest: &ScriptedSource, request: &Request) -> Answer {
        match self.menu.recipe(&mut self.random, request) {
            Recipe::Honest => Answer::Honest,
            Recipe::Never => Answer::Never,
            Recipe::Transport => Answer::Fail(reset()),
            Recipe::Status(failure) => Answer::Fail(SourceError::answered(failure)),
            Recipe::Text(text) => {
                let pieces = [Piece::Bytes(text.into())].into();
                Answer::Body(Body { pieces, tail: Tail::Clean, endures: false })
            }
            Recipe::Page(page) => Answer::Body(self.page(&page, &honest.objects(), request)),
            Recipe::Events(events) => {
                let streams = matches!(&request.verb, Verb::Watch(params) if params.send_initial_events);
                Answer::Body(self.events(&events, &honest.objects(), streams))
            }
        }
    }

    fn page(&mut self, page: &Page, real: &[Value], request: &Request) -> Body {
        let items: Vec<Value> = match page.what {
            What::Everything => real.to_vec(),
            What::Anything(count) => (0..count).map(|_| self.lies.object(real, page.versions)).collect(),
            What::Bookmarks(_) => Vec::new(),
        };
        let token = self.token(page.tokens);
        let key = |item: &Value| {
            let metadata = &item["metadata"];
            let name = metadata["name"].as_str().filter(|name| !name.is_empty())?;
            Some(format!("{}/{name}", metadata["namespace"]))
        };
        self.journal.page(request, items.iter().filter_map(key).collect(), token.as_ref());
        let mut metadata = json!({ "resourceVersion": self.lies.version(page.versions) });
        if let Some(token) = token {
            metadata["continue"] = json!(token);
        }
        // Built-in kinds come with the items last, custom resources with the metadata last.
        let (head, items) = (r#""kind":"ConfigMapList","apiVersion":"v1""#, Value::from(items));
        let text = if self.random.bool() {
            format!(r#"{{{head},"metadata":{metadata},"items":{items}}}"#)
        } else {
            format!(r#"{{{head},"items":{items},"metadata":{metadata}}}"#)
        };
        let text = Bytes::from(text);
        let place = self.random.usize(..text.len());
        let (shown, tail) = match page.end {
            ListEnd::Whole => (text, Tail::Clean),
            ListEnd::Cut if self.random.bool() => (text.slice(..place), Tail::Reset),
            ListEnd::Cut => (text.slice(..place), Tail::Clean),
            ListEnd::StallAtStart => (Bytes::new(), Tail::Silence),
            ListEnd::StallInside => (text.slice(..place), Tail::Silence),
            // Between two members, where white space means nothing.
            ListEnd::Drip(every) => (Bytes::from_static(b"{"), drip(every)),
        };
        let pieces = (!shown.is_empty()).then_some(Piece::Bytes(shown));
        Body { pieces: pieces.into_iter().collect(), tail, endures: true }
    }

    fn token(&mut self, tokens: Tokens) -> Option<String> {
        self.tokens += 1;
        match tokens {
            Tokens::No => None,
            Tokens::New => Some(format!("token-{}", self.tokens)),
            Tokens::Same => Some("token".to_owned()),
            Tokens::Circle(length) => Some(format!("token-{}", self.tokens % length)),
        }
    }

    fn events(&mut self, events: &Events, real: &[Value], streams: bool) -> Body {
        let Events { what, versions, mark, pause, end } = *events;
        let lies = &mut self.lies;
        let mut list: Vec<Value> = match what {
            What::Everything => {
                real.iter().map(|object| json!({ "type": "ADDED", "object": object })).collect()
            }
            What::Anything(count) => (0..count).map(|_| lies.event(real, versions)).collect(),
            What::Bookmarks(count) => (0..count).map(|_| lies.bookmark(versions, false)).collect(),
        };
        match mark {
            Mark::Never | Mark::Late(_) => {}
            Mark::First => list.insert(0, lies.bookmark(versions, true)),
            Mark::Last => list.push(lies.bookmark(versions, true)),
            Mark::Twice => list.extend([lies.bookmark(versions, true), lies.bookmark(versions, true)]),
        }
        let mut pieces = VecDeque::new();
        for event in list {
            if !pause.is_zero() {
                pieces.push_back(Piece::Pause(pause));
            }
            pieces.push_back(Piece::Bytes(line(&event)));
        }
        if let Mark::Late(late) = mark {
            pieces.extend([Piece::Pause(late), Piece::Bytes(line(&lies.bookmark(versions, true)))]);
        }
        let tail = match end {
            End::Clean => Tail::Clean,
            End::Reset => Tail::Reset,
            End::Silence => Tail::Silence,
            End::InsideFrame => {
                let whole = line(&lies.event(real, versions));
                pieces.push_back(Piece::Bytes(whole.slice(..whole.len() / 2)));
                Tail::Clean
            }
            End::Drip(every) => drip(every),
            End::Busy => busy(lies.clone(), real.to_vec()),
        };
        Body { pieces, tail, endures: streams && mark == Mark::Never }
    }
}

fn line(event: &Value) -> Bytes {
    Bytes::from(format!("{event}\n"))
}

fn drip(every: Duration) -> Tail {
    Tail::Forever(every, Box::new(|| Bytes::from_static(b" ")))
}

/// Objects that change again and again.
fn busy(mut lies: Lies, real: Vec<Value>) -> Tail {
    let more = move || {
        let object = lies.object(&real, Versions::Newer);
        let change = lies.random.choice(["ADDED", "MODIFIED"]).expect("two");
        line(&json!({ "type": change, "object": object }))
    };
    Tail::Forever(Duration::from_millis(100), Box::new(more))
}
