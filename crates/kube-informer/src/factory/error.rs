//! What can be wrong with the settings of a factory.

use crate::informer::BuildError;
use crate::kind::KindInfo;
use crate::options::BadOption;
use crate::source::SourceError;

/// A factory, or a variant of a kind, cannot be set up like this.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FactoryError {
    /// No client can be built from the configuration.
    #[error("no client for the factory: {0}")]
    Client(SourceError),
    /// An option for all kinds cannot work.
    #[error("factory: {0}")]
    Options(String),
    /// The settings of one kind contradict each other or make no sense.
    #[error(transparent)]
    Kind(#[from] BuildError),
    /// A kind has settings twice.
    #[error("{kind} has settings already; for another informer of it use `informer_named`")]
    DeclaredTwice {
        /// The kind.
        kind: KindInfo,
    },
    /// A variant with this name exists, and it is another.
    #[error(
        "the informer {name:?} exists with other settings: it holds {holds}, asked for was {asked_for}; they differ in \
         {}", differ_in.join(", ")
    )]
    NameTaken {
        /// The name.
        name: String,
        /// What it holds.
        holds: String,
        /// What was asked for.
        asked_for: String,
        /// The settings that are not the same.
        differ_in: Vec<&'static str>,
    },
}

impl From<BadOption> for FactoryError {
    fn from(option: BadOption) -> Self {
        Self::Options(option.to_string())
    }
}
