//! One informer: what its reflector does, what waits, what the cache takes, and each handler.

use informer_wire::status_document::{ErrorEntry, ScopeEntry};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::amount::{bytes, count, known, rate, short_time, time};
use super::document::{Handler, Informer, name_of, total};
use super::grid::{Field, grid};
use super::sort::{Gravity, gravity, gravity_of};
use super::style::Palette;
use super::table::{phase, sign};
use super::text::wrapped;

/// What is said about facts is to the right of their names.
const INDENT: usize = 13;

/// By importance: those at the right go first.
const HANDLER: [Field; 7] = [
    Field::number("BACKLOG", 7),
    Field::number("CALLS", 6),
    Field::number("RATE", 6),
    Field::number("SLOWEST", 7),
    Field::number("PANICS", 6),
    Field::number("MERGED", 6),
    Field::number("SLOW", 5),
];

const SCOPE: [Field; 5] = [
    Field::text("PHASE", 19),
    Field::number("HEARD", 5),
    Field::number("EVENTS", 6),
    Field::number("LISTS", 5),
    Field::number("VERSION", 16),
];

pub(super) fn lines(informer: &Informer, width: usize, palette: Palette) -> Vec<Line<'static>> {
    let sensitive = if informer.entry.sensitive == Some(true) { ", sensitive" } else { "" };
    let synced = match informer.entry.synced {
        Some(true) => ", synced",
        Some(false) => ", not synced",
        None => "",
    };
    let mut lines = vec![
        Line::from(vec![
            Span::styled(informer.name.clone(), Palette::strong()),
            Span::raw(format!("  {}{sensitive}", informer.kind())),
        ]),
        Line::styled(format!("{}{synced}", phase(informer)), palette.of(gravity(informer))),
        Line::default(),
    ];
    lines.extend(facts(known_of(informer), width));
    if let Some(trouble) = trouble(informer) {
        let gravity = if gravity(informer) == Gravity::Good { Gravity::Busy } else { Gravity::Bad };
        lines
            .extend(wrapped(&trouble, width).into_iter().map(|line| Line::styled(line, palette.of(gravity))));
    }
    lines.push(Line::default());
    let handlers: Vec<_> = informer.handlers.iter().map(handler).collect();
    if handlers.is_empty() {
        lines.push(Line::styled("no handlers", Palette::soft()));
    } else {
        lines.extend(table("HANDLER", &HANDLER, &handlers, width, palette));
    }
    lines.push(Line::default());
    let mut scopes: Vec<_> = informer.entry.scopes.iter().collect();
    let of_scope = |scope: &ScopeEntry| gravity_of(scope.phase.as_deref());
    scopes.sort_by(|a, b| of_scope(b).cmp(&of_scope(a)).then_with(|| name_of(a).cmp(name_of(b))));
    let scopes: Vec<_> = scopes.into_iter().map(scope).collect();
    lines.extend(table("NAMESPACE", &SCOPE, &scopes, width, palette));
    lines
}

fn table(
    first: &str,
    fields: &[Field],
    rows: &[Vec<String>],
    width: usize,
    palette: Palette,
) -> impl Iterator<Item = Line<'static>> + use<> {
    let lines = grid((first, 12), fields, rows, width).into_iter().enumerate();
    lines
        .map(move |(place, line)| Line::styled(line, if place == 0 { palette.title() } else { Style::new() }))
}

/// Names with what is said of each.
pub(super) fn facts(facts: Vec<(&'static str, String)>, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (name, text) in facts {
        for (number, part) in wrapped(&text, width.saturating_sub(INDENT)).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            lines.push(Line::from(vec![
                Span::styled(format!("{name:INDENT$}"), Palette::soft()),
                Span::raw(part),
            ]));
        }
    }
    lines
}

fn known_of(informer: &Informer) -> Vec<(&'static str, String)> {
    let sum = |of: fn(&ScopeEntry) -> Option<u64>| known(total(informer.entry.scopes.iter().map(of)), count);
    let ago = |of: fn(&ScopeEntry) -> Option<f64>| {
        let latest = informer.entry.scopes.iter().filter_map(of).reduce(f64::min);
        latest.map_or_else(|| "never".to_owned(), |seconds| format!("{} ago", time(seconds)))
    };
    let lists = informer.lists();
    let reasons: Vec<_> = lists
        .iter()
        .map(|(reason, number)| format!("{} {}", reason.replace('_', " "), count(*number)))
        .collect();
    let each = match (informer.entry.bytes_alive, informer.entry.objects) {
        (Some(packed), Some(objects)) if objects > 0 => format!(", {} an object", bytes(packed / objects)),
        _ => String::new(),
    };
    let heard = informer
        .entry
        .stale_seconds
        .map_or_else(|| "never".to_owned(), |seconds| format!("{} ago", time(seconds)));
    vec![
        (
            "reflector",
            format!(
                "{} events, {}/s; last heard {heard}, last change {}, last bookmark {}",
                known(informer.events(), count),
                known(informer.rate, rate),
                ago(|scope| scope.last_event_seconds),
                ago(|scope| scope.last_bookmark_seconds),
            ),
        ),
        ("watches", format!("{}, resumed {}", sum(|scope| scope.watches), sum(|scope| scope.reconnects))),
        (
            "lists",
            if reasons.is_empty() {
                "none yet".to_owned()
            } else {
                format!("{}: {}", known(total(lists.values().copied().map(Some)), count), reasons.join(", "))
            },
        ),
        (
            "delta queue",
            format!(
                "{} waiting, {}",
                known(informer.entry.queued, count),
                known(informer.entry.queued_bytes, bytes)
            ),
        ),
        (
            "cache",
            format!(
                "{} objects, {} versions held",
                known(informer.entry.objects, count),
                known(informer.entry.versions_alive, count)
            ),
        ),
        (
            "memory",
            format!(
                "packed {}{each}; decoded {}, {} hits, {} misses",
                known(informer.entry.bytes_alive, bytes),
                known(informer.entry.decoded_bytes, bytes),
                known(informer.entry.decode_hits, count),
                known(informer.entry.decode_misses, count),
            ),
        ),
        ("failures", known(informer.entry.failures, count)),
    ]
}

/// The last error, of whichever scope.
fn trouble(informer: &Informer) -> Option<String> {
    let said = |trouble: &ErrorEntry| {
        let ago = trouble.seconds_ago.map(|seconds| format!(" {} ago", time(seconds))).unwrap_or_default();
        let status = trouble.http_status.map(|status| format!("HTTP {status}, ")).unwrap_or_default();
        format!("▲ last error{ago}: {status}{}", trouble.message.as_deref().unwrap_or_default())
    };
    let recent = |trouble: &&ErrorEntry| trouble.seconds_ago.unwrap_or(f64::MAX);
    let errors = informer.entry.scopes.iter().filter_map(|scope| scope.last_error.as_ref());
    let errors = errors.filter(|error| error.message.is_some());
    let last = errors.min_by(|a, b| recent(a).total_cmp(&recent(b)));
    let wrong_type = || informer.entry.wrong_type.as_ref().map(|why| format!("▲ wrong type: {why}"));
    let failure = || informer.entry.last_failure.as_ref().map(|why| format!("▲ last failure: {why}"));
    last.map(said).or_else(wrong_type).or_else(failure)
}

fn handler(handler: &Handler) -> Vec<String> {
    let filling = if handler.entry.synced == Some(false) { "◐ filling: " } else { "" };
    let panics = known(handler.entry.panics, |panics| {
        if panics == 0 { count(panics) } else { format!("▲ {}", count(panics)) }
    });
    vec![
        format!("{filling}{}", handler.name),
        known(handler.entry.backlog, count),
        known(handler.entry.delivered, count),
        known(handler.rate, |number| format!("{}/s", rate(number))),
        known(handler.entry.slowest_seconds, short_time),
        panics,
        known(handler.entry.merged, count),
        known(handler.entry.slow, count),
    ]
}

fn scope(scope: &ScopeEntry) -> Vec<String> {
    let lasting = scope.phase_seconds.map(|seconds| format!(" {}", time(seconds))).unwrap_or_default();
    let phase = known(scope.phase.as_deref(), str::to_owned);
    vec![
        name_of(scope).to_owned(),
        format!("{} {phase}{lasting}", sign(gravity_of(scope.phase.as_deref()))),
        known(scope.last_byte_seconds, time),
        known(scope.events, count),
        known(total(scope.relists.values().copied().map(Some)), count),
        known(scope.resource_version.clone(), |version| version),
    ]
}

#[cfg(test)]
mod tests;
