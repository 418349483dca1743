//! All of the store together, against a plain map.

mod model;
