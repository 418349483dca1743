//! Functions of the user's that can be compared.

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;

/// A function, and which one it is.
///
/// Rust cannot compare closures. Two of them are alike if they are written at the same place in the source and have captured
/// nothing, or if they are clones of one value. Others may do different things with what they have captured.
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

    /// Where it is written.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

impl<F: ?Sized> PartialEq for Function<F> {
    fn eq(&self, other: &Self) -> bool {
        let one_value = || std::ptr::addr_eq(Arc::as_ptr(&self.call), Arc::as_ptr(&other.call));
        self.written == other.written && (!self.captures || one_value())
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
