//! The pipeline as a whole, over the scripted source.

mod listener;
mod model;
mod seeded;
mod support;
