//! The command `informer` as its users run it, on an embedded API server.

mod beside_kubectl;
mod ending;
mod failures;
mod following;
mod hostile;
mod logging;
mod manual;
mod pages;
mod reading;
mod readme;
mod recording;
mod refusing;
mod running_program;
mod secrets;
mod served_recording;
mod serving;
mod support;
mod top;
mod top_in_tmux;
mod watch_options;
mod watching;
mod written_kubeconfigs;
