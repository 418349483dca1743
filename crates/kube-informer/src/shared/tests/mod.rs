//! The pipeline as a whole, over the scripted source.

mod aids;
mod bad_input;
mod indexes;
mod kinds;
mod listener;
mod model;
mod observed;
mod reads;
mod relists;
mod scopes;
mod seeded;
mod support;
mod waits;
