//! User functions that can be compared.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;

/// A function and its type, which identifies it.
///
/// Rust cannot compare closures, only where in the source they are written, and that is what equality means here. Two
/// equal functions may still behave differently if they have captured different values:
/// [`does_the_same`](Self::does_the_same).
pub(crate) struct Function<F: ?Sized> {
    pub(crate) call: Arc<F>,
    written: TypeId,
    name: &'static str,
    captures: bool,
}

impl<F: ?Sized> Function<F> {
    /// From a function of the type `W`, as the user wrote it.
    pub(crate) fn of<W: 'static>(call: Arc<F>, captures: bool) -> Self {
        Self { call, written: TypeId::of::<W>(), name: type_name::<W>(), captures }
    }

    /// Whether another function can be used in place of this one: it has captured nothing, or both are clones of one
    /// value.
    pub(crate) fn does_the_same(&self, other: &Self) -> bool {
        let one_value = || std::ptr::addr_eq(Arc::as_ptr(&self.call), Arc::as_ptr(&other.call));
        self == other && (!self.captures || one_value())
    }

    /// The place in the source where the function is written.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

impl<F: ?Sized> PartialEq for Function<F> {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl<F: ?Sized> Clone for Function<F> {
    fn clone(&self) -> Self {
        Self { call: self.call.clone(), ..*self }
    }
}

impl<F: ?Sized> fmt::Debug for Function<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
