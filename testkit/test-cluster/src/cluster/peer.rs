//! A second API server over the same etcd, and API servers that stop without ending.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Cluster, PORT_ATTEMPTS, Server};
use crate::process::Process;
use crate::{flags, logs, ports};

impl Cluster {
    /// Starts another API server over the same etcd, with the same certificates and tokens, as there are several behind a
    /// load balancer; gives its address once it is ready. It has another port each time.
    pub fn start_peer(&mut self) -> Result<String> {
        ensure!(self.peer.is_none(), "the second API server is running; kill it first");
        let log = self.dir.path().join("kube-apiserver-2.log");
        let mut attempt = 1;
        loop {
            let port = ports::free_port()?;
            let url = format!("https://127.0.0.1:{port}");
            let mut command = Command::new(self.binaries.kube_apiserver());
            command.args(flags::kube_apiserver(self.dir.path(), port, &self.options));
            self.peer = Some(Process::spawn("kube-apiserver", &mut command, &log)?);
            let ready = self.wait_for(Server::Peer, |cluster| cluster.get_at(&url, "/readyz").map(drop));
            let Err(error) = ready else { return Ok(url) };
            self.peer = None;
            let said = logs::tail(&log, 30);
            if attempt == PORT_ATTEMPTS || !said.contains("address already in use") {
                return Err(error.context(said));
            }
            attempt += 1;
            // The log says that the port was taken. If it stayed, a later failure of another kind would look the same.
            std::fs::remove_file(&log)?;
        }
    }

    /// Kills the second API server at once (SIGKILL).
    pub fn kill_peer(&mut self) {
        self.peer = None;
    }

    /// Stops the API server without ending it (SIGSTOP): its connections stay open and silent, and the kernel still accepts
    /// new ones. A paused server can be killed.
    pub fn pause_apiserver(&self) -> Result<()> {
        self.apiserver.as_ref().context("the API server is not running")?.signal("STOP")
    }

    /// Lets a paused API server go on (SIGCONT).
    pub fn resume_apiserver(&self) -> Result<()> {
        self.apiserver.as_ref().context("the API server is not running")?.signal("CONT")
    }
}
