//! What is told of an object.

use kube_informer::Object;
use kube_informer::object::Uid;

/// The server refuses longer notes.
const LONGEST_NOTE: usize = 1024;
/// And longer reasons, actions and instances.
pub(super) const LONGEST_WORD: usize = 128;

/// Whether it is fine or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Type {
    Normal,
    Warning,
}

impl Type {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// Something that happened to an object, for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "nobody knows of it until it is recorded"]
pub struct Note {
    pub(super) event_type: Type,
    pub(super) reason: String,
    pub(super) action: String,
    pub(super) note: String,
    pub(super) related: Option<Reference>,
}

impl Note {
    /// All is well. The reason is one word in `CamelCase` for machines, the note is for people.
    pub fn normal(reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self::new(Type::Normal, reason.into(), note.into())
    }

    /// Something is wrong.
    pub fn warning(reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self::new(Type::Warning, reason.into(), note.into())
    }

    fn new(event_type: Type, reason: String, note: String) -> Self {
        Self {
            event_type,
            reason: cut(reason, LONGEST_WORD),
            action: "Reconcile".to_owned(),
            note: cut(note, LONGEST_NOTE),
            related: None,
        }
    }

    /// What was being done, in one word in `CamelCase`. The default is `Reconcile`.
    pub fn action(mut self, action: impl Into<String>) -> Self {
        self.action = cut(action.into(), LONGEST_WORD);
        self
    }

    /// Another object that has to do with it, such as the pod that was created.
    pub fn related<R>(mut self, object: &Object<R>) -> Self {
        self.related = Some(Reference::to(object));
        self
    }

    /// The same, as one of many that only differ in their notes.
    pub(super) fn combined(mut self) -> Self {
        self.note = cut(format!("(combined from similar events): {}", self.note), LONGEST_NOTE);
        self
    }
}

/// Cuts a text to so many bytes, between two characters.
pub(super) fn cut(mut text: String, longest: usize) -> String {
    let mut end = longest.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// Which object it is about.
///
/// Without its version, which client-go's recorder has in it: there the same event starts a new series whenever the object
/// changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reference {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) namespace: Option<String>,
    pub(super) name: String,
    pub(super) uid: Uid,
}

impl Reference {
    pub(super) fn to<K>(object: &Object<K>) -> Self {
        Self {
            api_version: object.kind().api_version(),
            kind: object.kind().kind().to_owned(),
            namespace: object.namespace().map(str::to_owned),
            name: object.name().to_owned(),
            uid: object.uid().clone(),
        }
    }
}
