//! What depends on time, over the real wire: HTTP without sockets to the embedded server, on a paused clock that jumps to
//! the next thing that is due. What was asked when is read from the server's journal.

mod databases;
mod listing;
mod recovering;
mod resync;
mod silence;
mod support;
mod waiting;
mod watching;
