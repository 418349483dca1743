//! Telling the users.
