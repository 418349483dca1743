//! Kubernetes shared informers for Rust.
