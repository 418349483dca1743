mod listing;
mod streaming;
mod watching;

use std::ops::Deref;

use informer_wire::Status;

use super::*;

use crate::reflector::request::VersionMatch;

fn rules() -> Rules {
    Rules {
        page_size: None,
        streaming: StreamingList::Auto,
        fallback_memory: Duration::from_secs(3600),
        short_watch: Duration::from_secs(1),
        errors_to_relist: 3,
        silences_to_relist: 2,
        early_ends_to_list: 3,
    }
}

/// A cursor and a clock for it.
struct Script {
    cursor: Cursor,
    now: Instant,
}

impl Script {
    fn new(rules: Rules) -> Self {
        Self { cursor: Cursor::new(rules), now: Instant::now() }
    }

    /// LIST only, at its first step.
    fn lists() -> (Self, NextStep) {
        let mut script = Self::new(Rules { streaming: StreamingList::Never, ..rules() });
        let step = script.cursor.begin(script.now);
        (script, step)
    }

    /// Streaming, at its first step.
    fn streams() -> (Self, NextStep) {
        let mut script = Self::new(rules());
        let step = script.cursor.begin(script.now);
        (script, step)
    }

    /// LIST only, watching from this version.
    fn watching_after_list(version: &str) -> Self {
        let (mut script, _) = Self::lists();
        let step = script.page(version, None);
        assert_eq!(step.commit, Some(version.into()));
        script
    }

    /// The same with other settings.
    fn watching_with(rules: Rules, version: &str) -> Self {
        let mut script = Self::new(Rules { streaming: StreamingList::Never, ..rules });
        script.cursor.begin(script.now);
        script.page(version, None);
        script
    }

    /// Streaming, watching from this version.
    fn watching_after_stream(version: &str) -> Self {
        let (mut script, _) = Self::streams();
        script.marker(version).unwrap();
        script
    }

    fn page(&mut self, version: &str, token: Option<&str>) -> Paged {
        let version: ResourceVersion = version.into();
        if let Some(step) = self.cursor.page(self.now, &version, token.map(str::to_owned), true) {
            return Paged { commit: None, step };
        }
        match self.cursor.complete(self.now, &version) {
            Ok(_) => Paged { commit: Some(version), step: self.cursor.watch_after_list() },
            Err(step) => Paged { commit: None, step: *step },
        }
    }

    /// The mark of the end of a streamed list; whether it showed that the server went back in time.
    fn marker(&mut self, version: &str) -> Result<bool, Box<NextStep>> {
        self.cursor.complete(self.now, &version.into())
    }

    /// The server accepted the request, and soon after it failed.
    fn fail(&mut self, trouble: Trouble) -> NextStep {
        self.cursor.failed(self.now, trouble, Some(Duration::from_millis(10)))
    }

    /// The same after a minute.
    fn fail_late(&mut self, trouble: Trouble) -> NextStep {
        self.cursor.failed(self.now, trouble, Some(Duration::from_secs(60)))
    }

    fn fail_to_open(&mut self, trouble: Trouble) -> NextStep {
        self.cursor.failed(self.now, trouble, None)
    }

    fn end(&mut self, millis: u64) -> NextStep {
        self.cursor.ended(self.now, Duration::from_millis(millis), 0)
    }

    /// The server ended a streamed list after it had brought this many objects.
    fn give_up(&mut self, objects: usize) -> NextStep {
        self.cursor.ended(self.now, Duration::from_millis(10), objects)
    }

    fn last(&self) -> String {
        self.cursor.last().to_string()
    }
}

fn http(code: u16) -> Trouble {
    Trouble::Http(Status { code, ..Status::default() })
}

fn expired() -> Trouble {
    Trouble::Http(Status { code: 410, reason: "Expired".into(), ..Status::default() })
}

fn too_large() -> Trouble {
    Trouble::Http(Status { code: 504, causes: vec!["ResourceVersionTooLarge".into()], ..Status::default() })
}

fn refused() -> Trouble {
    Trouble::Transport("connection refused".into())
}

fn silent() -> Trouble {
    Trouble::Silent(Duration::from_secs(1))
}

/// The first request of a LIST, with reuse.
fn list(version: &str, limit: Option<u32>) -> Action {
    let version_match = (version != "0" && !version.is_empty()).then_some(VersionMatch::NotOlderThan);
    let params = ListParams { resource_version: version.into(), version_match, limit, continue_token: None };
    Action::List { params, fresh: true, reuse: true }
}

fn next_page(token: &str, limit: Option<u32>) -> Action {
    let params = ListParams { limit, continue_token: Some(token.into()), ..ListParams::default() };
    Action::List { params, fresh: false, reuse: true }
}

fn stream(version: &str) -> Action {
    Action::StreamingList { version: version.into(), reuse: true }
}

fn watch(version: &str) -> Action {
    Action::Watch { version: version.into() }
}

/// The same request, but nothing is taken over from the store.
fn without_reuse(mut action: Action) -> Action {
    match &mut action {
        Action::List { reuse, .. } | Action::StreamingList { reuse, .. } => *reuse = false,
        Action::Watch { .. } => panic!("a watch takes nothing over"),
    }
    action
}

fn at_once(action: Action) -> NextStep {
    NextStep::new(Delay::No, action)
}

/// A watch that lived is resumed.
fn resumed(version: &str) -> NextStep {
    NextStep::new(Delay::Resume, watch(version))
}

/// A watch led to this list.
fn relisted(action: Action, reason: RelistReason) -> NextStep {
    NextStep::new(Delay::Spread, action).because(reason).charged(Charge::Relist)
}

fn after_backoff(action: Action) -> NextStep {
    NextStep::new(Delay::Backoff { at_least: None }, action)
}

impl NextStep {
    fn told(mut self, trouble: Trouble) -> Self {
        self.report = Some(trouble);
        self
    }

    fn because(mut self, reason: RelistReason) -> Self {
        self.relist = Some(reason);
        self
    }

    fn falling_back(mut self) -> Self {
        self.fallback = true;
        self
    }

    fn committing(self, version: &str) -> Paged {
        Paged { commit: Some(version.into()), step: self }
    }
}

/// What comes after a page of a list, and whether the list is complete with it.
#[derive(Debug, PartialEq)]
struct Paged {
    commit: Option<ResourceVersion>,
    step: NextStep,
}

impl Deref for Paged {
    type Target = NextStep;

    fn deref(&self) -> &NextStep {
        &self.step
    }
}

impl PartialEq<NextStep> for Paged {
    fn eq(&self, step: &NextStep) -> bool {
        self.commit.is_none() && self.step == *step
    }
}
