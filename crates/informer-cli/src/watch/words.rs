//! Whether the words after a kind are kinds or names.

use kube_informer::SharedInformerFactory;

use crate::failure::Failure;
use crate::kinds::unknown;
use crate::targets::{self, Target};

/// The kinds and objects that words name. Words after the first are kinds, as in `pods events`, unless the server has no such
/// kind for any of them: then they are names, as for `get`.
pub(super) async fn targets(
    factory: &SharedInformerFactory,
    words: &[String],
) -> Result<Vec<Target>, Failure> {
    let as_kinds = targets::of_watch(words).map_err(Failure::usage)?;
    let [_, rest @ ..] = words else { return Ok(as_kinds) };
    if rest.is_empty()
        || words.iter().any(|word| word.contains('/'))
        || rest.iter().any(|word| word.contains(','))
    {
        return Ok(as_kinds);
    }
    for word in rest {
        match factory.resolve(word).await {
            Ok(_kind) => return Ok(as_kinds),
            Err(error) if error.source_error().is_some() => return Err(unknown(error)),
            Err(_no_such_kind) => {}
        }
    }
    targets::of_get(words).map_err(Failure::usage)
}
