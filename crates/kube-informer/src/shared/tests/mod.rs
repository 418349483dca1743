//! The pipeline as a whole, over the scripted source.

mod bounds;
mod filtering;
mod full_state;
mod handlers;
mod joining;
mod lifecycle;
mod listener;
mod model;
mod processing;
mod resync;
mod seeded;
mod stopping;
mod streams;
mod support;
mod transforming;
mod typed;
mod unshared;
mod waiting;
