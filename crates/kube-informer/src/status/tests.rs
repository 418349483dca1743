use std::time::Duration;

use informer_core::reflector::recovery::Trouble;
use informer_wire::Status;

use super::*;
use crate::report::Cause;

#[test]
fn d10_a_phase_lasts_since_it_changed_and_stopped_is_for_good() {
    let start = Instant::now();
    let cell = StatusCell::new(Scope::All, start);
    assert_eq!((cell.phase(), cell.get().phase_since), (Phase::Pending, start));

    let later = start + Duration::from_secs(1);
    cell.enter(Phase::Listing, later);
    assert_eq!((cell.phase(), cell.get().phase_since), (Phase::Listing, later));

    cell.enter(Phase::Listing, later + Duration::from_secs(1));
    assert_eq!((cell.phase(), cell.get().phase_since), (Phase::Listing, later));

    cell.enter(Phase::Stopped, later);
    cell.enter(Phase::Watching, later);
    assert_eq!((cell.phase(), cell.get().phase), (Phase::Stopped, Phase::Stopped));
}

#[test]
fn d10_times_counters_and_the_last_error_are_visible() {
    let start = Instant::now();
    let cell = StatusCell::new(Scope::namespace("web"), start);
    let at = |seconds| start + Duration::from_secs(seconds);
    cell.byte(at(1));
    cell.event(at(2));
    cell.bookmark(at(3));
    cell.version(&"7".into());
    cell.version(&ResourceVersion::empty());
    let kind = KindInfo::new("", "v1", "ConfigMap", "configmaps");
    let cause = Cause::List { status: Some(403), message: "no".into() };
    let denied = Failure { kind, scope: Some(Scope::namespace("web")), cause };
    cell.error(denied.clone(), at(4));
    cell.relist(RelistReason::Dead);
    cell.relist(RelistReason::Dead);

    let status = cell.get();
    assert_eq!(status.scope, Scope::namespace("web"));
    assert_eq!(status.last_byte, Some(at(1)));
    assert_eq!((status.last_event, status.events), (Some(at(2)), 1));
    assert_eq!((status.last_bookmark, status.bookmarks), (Some(at(3)), 1));
    assert_eq!(status.last_version, Some("7".into()));
    assert_eq!((status.last_error.as_ref(), status.last_error_at), (Some(&denied), Some(at(4))));
    assert_eq!((denied.cause.message(), denied.cause.http_status()), ("no", Some(403)));
    for &reason in RelistReason::ALL {
        assert_eq!(status.relists(reason), if reason == RelistReason::Dead { 2 } else { 0 }, "{reason}");
    }
}

#[test]
fn what_resumes_a_watch_is_counted_by_name() {
    let resuming = [
        Trouble::Transport(String::new()),
        Trouble::Http(Status { code: 500, ..Status::default() }),
        Trouble::CutFrame,
        Trouble::TooBig { limit: 1, key: None },
        Trouble::VeryShort,
        Trouble::Silent(Duration::ZERO),
    ];
    let names: Vec<_> = std::iter::once("ended").chain(resuming.iter().map(Trouble::name)).collect();
    assert_eq!(names, cell::RESTARTS);
}
