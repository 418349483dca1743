//! Starts a real etcd and kube-apiserver on loopback for the end-to-end tests.
//!
//! ```no_run
//! # fn main() -> anyhow::Result<()> {
//! if let Err(why) = test_cluster::available() {
//!     test_cluster::print_skip("my test", &why);
//!     return Ok(());
//! }
//! let mut cluster = test_cluster::Cluster::start(test_cluster::Options::default())?;
//! println!("{}", cluster.kubeconfig_yaml());
//! cluster.restart_apiserver()?; // same address, same data
//! # Ok(())
//! # }
//! ```
//!
//! The servers are built from source once ([`Binaries`]) and cached for the user. A [`Cluster`] has its own
//! directory, port, token and certificates, so any number of them run side by side. There is no kubelet and no
//! scheduler, and no controller-manager unless [it is asked for](Cluster::start_controller_manager): pods stay `Pending`, and a
//! deleted namespace stays `Terminating`.
//!
//! [`Oracle`] runs client-go's informers, to compare ours with; [`controller_runtime_manager`] is a controller as others write
//! them.
//!
//! Everything here blocks. Call it from a plain thread, or from an async test through `spawn_blocking`.
//! Linux and macOS only: the supervision of the servers needs `sh`.

mod api;
mod authority;
mod available;
mod backup;
mod binaries;
mod cache;
mod cluster;
mod credentials;
mod etcd;
mod export;
mod flags;
mod go_build;
mod keep;
mod logs;
mod options;
mod oracle;
mod pins;
mod ports;
mod process;
mod tool;

pub use authority::{Authority, Issued};
pub use available::{WITHOUT_TMUX, available, go_is_there, print_skip, skipped_test, tmux_is_there};
pub use binaries::Binaries;
pub use cache::directory as cache_directory;
pub use cluster::Cluster;
pub use export::{Edit, exported, exported_by_tests};
pub use options::Options;
pub use oracle::{Oracle, Watched};
pub use process::send_signal;
pub use tool::{controller_runtime_manager, promtool};
