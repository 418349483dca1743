//! How error texts describe the options of an informer, so that a reader can distinguish two informers of one kind.

use std::fmt;

use crate::options::Options;

impl Options {
    /// Whether an informer of the one can stand in for an informer of the other: they are equal, and their transforms do the
    /// same, which equality does not promise of functions that have captured something.
    pub(crate) fn does_the_same(&self, other: &Self) -> bool {
        let transforms = match (&self.transform, &other.transform) {
            (Some(one), Some(other)) => one.function.does_the_same(&other.function),
            _ => true,
        };
        self == other && transforms
    }
}

/// The options by which a reader recognises an informer, as the continuation of the name of its kind; numbers are left
/// out.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespaces.named() {
            Some(namespaces) if namespaces.is_empty() => f.write_str(" in no namespace yet")?,
            Some(namespaces) => {
                let namespaces: Vec<_> = namespaces.iter().map(String::as_str).collect();
                write!(f, " in {}", namespaces.join(", "))?;
            }
            None => {}
        }
        for (what, selector) in [("labels", &self.labels), ("fields", &self.fields)] {
            if let Some(selector) = selector {
                write!(f, ", {what} {selector:?}")?;
            }
        }
        if !self.drop_fields.is_empty() {
            let dropped: Vec<_> = self.drop_fields.iter().map(|field| field.text.as_str()).collect();
            write!(f, ", without {}", dropped.join(", "))?;
        }
        if let Some(transform) = &self.transform {
            write!(f, ", transformed by {}", transform.function.name())?;
        }
        if self.metadata_only {
            f.write_str(", metadata only")?;
        }
        if self.decoded {
            f.write_str(", decoded")?;
        }
        Ok(())
    }
}
