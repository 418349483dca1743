//! `informer watch`: what happens, as it happens.

pub(crate) mod changes;
