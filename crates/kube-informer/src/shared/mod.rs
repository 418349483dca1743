//! The pipeline put together.
