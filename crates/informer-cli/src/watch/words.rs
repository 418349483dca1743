//! Whether the words after a kind are kinds or names.

use kube_informer::SharedInformerFactory;
use kube_informer::kind::KindInfo;

use crate::failure::Failure;
use crate::kinds::unknown;
use crate::plain::plain;
use crate::screen::Screen;
use crate::targets::{self, Target};

/// The kinds and objects that words name. Words after the first are kinds, as in `pods events`, unless the server has no such
/// kind for any of them: then they are names, as for `get`, and that is said.
pub(super) async fn targets(
    factory: &SharedInformerFactory,
    words: &[String],
    screen: &Screen,
) -> Result<Vec<Target>, Failure> {
    let as_kinds = targets::of_watch(words).map_err(Failure::usage)?;
    let [first, rest @ ..] = words else { return Ok(as_kinds) };
    if rest.is_empty()
        || words.iter().any(|word| word.contains('/'))
        || rest.iter().any(|word| word.contains(','))
    {
        return Ok(as_kinds);
    }
    let kinds: Vec<_> = first.split(',').collect();
    // All in one go: a server with a group that does not answer is slow to say what it has.
    let all: Vec<_> = kinds.iter().copied().chain(rest.iter().map(String::as_str)).collect();
    let mut resolved = factory.resolve_all(&all).await.map_err(unknown)?;
    let others = resolved.split_off(kinds.len());
    let kinds: Vec<_> = resolved.into_iter().collect::<Result<_, _>>().map_err(unknown)?;
    let mut unavailable = Vec::new();
    for other in others {
        match other {
            Err(error) if error.is_unknown() => unavailable = error.unavailable().to_vec(),
            // If it cannot be watched, that is said of a kind.
            _ => return Ok(as_kinds),
        }
    }
    screen.note(&plain(&taken_as_names(&kinds, rest, &unavailable)));
    targets::of_get(words).map_err(Failure::usage)
}

/// A word with a typing error, or a kind of a group that does not answer, would be waited for without a word.
fn taken_as_names(kinds: &[KindInfo], names: &[String], unavailable: &[String]) -> String {
    let of = match (kinds, names) {
        ([kind], [_]) => format!("the {} of that name", kind.kind().to_lowercase()),
        _ => {
            let kinds: Vec<_> = kinds.iter().map(KindInfo::plural).collect();
            let those = if names.len() == 1 { "that name" } else { "those names" };
            format!("the {} of {those}", kinds.join(", "))
        }
    };
    let unless = match unavailable {
        [] => String::new(),
        groups => format!(" (could not be asked: {})", groups.join(", ")),
    };
    format!("no kind is called {}{unless}: watching {of}", names.join(" or "))
}
