//! All that reads answers together.

mod fuzz;
