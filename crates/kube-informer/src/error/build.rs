//! Errors in the options of an informer or a factory.

use std::fmt;

use crate::error::ClusterError;
use crate::kind::KindInfo;

/// An informer or a factory cannot be built with the given options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Inner {
    Setting { of: Of, setting: Option<&'static str>, problem: String },
    DeclaredTwice { kind: KindInfo },
    NameTaken { name: String, holds: String, asked_for: String, differ_in: Vec<&'static str> },
    Client(ClusterError),
}

/// Where the option was set.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    /// Not known yet: an [`Options`](crate::Options) value that belongs to no builder.
    Nothing,
    Factory,
    Informer(KindInfo),
}

impl BuildError {
    /// A setting that cannot work, such as a wait of zero.
    pub(crate) fn cannot_work(setting: &'static str, problem: &str) -> Self {
        let problem = format!("{setting} {problem}");
        Self(Box::new(Inner::Setting { of: Of::Nothing, setting: Some(setting), problem }))
    }

    /// Any other problem with the options.
    pub(crate) fn problem(problem: impl Into<String>) -> Self {
        Self(Box::new(Inner::Setting { of: Of::Nothing, setting: None, problem: problem.into() }))
    }

    /// The builder was given options for the same kind twice.
    pub(crate) fn declared_twice(kind: KindInfo) -> Self {
        Self(Box::new(Inner::DeclaredTwice { kind }))
    }

    /// The name is bound to other options already.
    pub(crate) fn name_taken(
        name: &str,
        holds: impl fmt::Display,
        asked_for: impl fmt::Display,
        differ_in: Vec<&'static str>,
    ) -> Self {
        let (holds, asked_for) = (holds.to_string(), asked_for.to_string());
        Self(Box::new(Inner::NameTaken { name: name.to_owned(), holds, asked_for, differ_in }))
    }

    /// The same error, as one about the options of one informer.
    pub(crate) fn of_informer(self, kind: &KindInfo) -> Self {
        self.of(Of::Informer(kind.clone()))
    }

    /// The same error, as one about the options of a factory.
    pub(crate) fn of_factory(self) -> Self {
        self.of(Of::Factory)
    }

    fn of(mut self, whose: Of) -> Self {
        if let Inner::Setting { of, .. } = &mut *self.0 {
            *of = whose;
        }
        self
    }

    /// The kind whose informer cannot be built; `None` if the error is in the options for all kinds.
    pub fn kind(&self) -> Option<&KindInfo> {
        match &*self.0 {
            Inner::Setting { of: Of::Informer(kind), .. } | Inner::DeclaredTwice { kind } => Some(kind),
            _ => None,
        }
    }

    /// The name of the option at fault, if it is a single one.
    pub fn setting(&self) -> Option<&str> {
        match &*self.0 {
            Inner::Setting { setting, .. } => *setting,
            _ => None,
        }
    }

    /// Whether an informer of that name exists, with other settings.
    pub fn is_name_taken(&self) -> bool {
        matches!(&*self.0, Inner::NameTaken { .. })
    }

    /// The options in which the existing informer of that name differs from the requested one.
    pub fn differ_in(&self) -> &[&'static str] {
        match &*self.0 {
            Inner::NameTaken { differ_in, .. } => differ_in,
            _ => &[],
        }
    }

    /// Whether a kind was given settings twice.
    pub fn is_declared_twice(&self) -> bool {
        matches!(&*self.0, Inner::DeclaredTwice { .. })
    }

    /// Why there is no client for the cluster, if that is it.
    pub fn cluster_error(&self) -> Option<&ClusterError> {
        match &*self.0 {
            Inner::Client(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ClusterError> for BuildError {
    fn from(error: ClusterError) -> Self {
        Self(Box::new(Inner::Client(error)))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Inner::Setting { of, problem, .. } => match of {
                Of::Nothing => f.write_str(problem),
                Of::Factory => write!(f, "factory: {problem}"),
                Of::Informer(kind) => write!(f, "informer of {kind}: {problem}"),
            },
            Inner::DeclaredTwice { kind } => {
                write!(f, "{kind} has settings already; for another informer of it use `named`")
            }
            Inner::NameTaken { name, holds, asked_for, differ_in } => {
                let differ_in = differ_in.join(", ");
                write!(
                    f,
                    "the informer {name:?} exists with other settings: it holds {holds}, asked for was {asked_for}; \
                     they differ in {differ_in}"
                )
            }
            Inner::Client(error) => match error.client_problem() {
                Some(problem) => write!(f, "no client for the factory: {problem}"),
                None => write!(f, "{error}"),
            },
        }
    }
}

impl std::error::Error for BuildError {}
