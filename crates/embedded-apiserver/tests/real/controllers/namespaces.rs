//! The deletion of namespaces.
