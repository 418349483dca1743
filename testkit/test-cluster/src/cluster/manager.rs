//! kube-controller-manager, for tests that ask for it.

use std::process::Command;

use anyhow::{Result, ensure};

use super::Cluster;
use crate::process::Process;
use crate::{flags, logs};

impl Cluster {
    /// Starts kube-controller-manager with these controllers and no others, such as `garbage-collector-controller`. It is
    /// killed with the cluster.
    ///
    /// Builds it first if this machine has never done so, which takes minutes. It takes a few seconds until the controllers
    /// know the objects that there are, and half a minute until they notice a new kind.
    pub fn start_controller_manager(&mut self, controllers: &[&str]) -> Result<()> {
        self.start_controller_manager_with(controllers, &[])
    }

    /// The same with more arguments, such as `--concurrent-replicaset-syncs=8`. They come after the built-in ones, and the last
    /// one with the same name counts.
    pub fn start_controller_manager_with(&mut self, controllers: &[&str], arguments: &[&str]) -> Result<()> {
        ensure!(self.manager.is_none(), "kube-controller-manager is running");
        let kubeconfig = self.dir.path().join("kube-controller-manager.yaml");
        self.write_kubeconfig(&kubeconfig)?;
        let mut command = Command::new(self.binaries.kube_controller_manager()?);
        command.args(flags::kube_controller_manager(&kubeconfig, controllers)).args(arguments);
        let log = self.dir.path().join("kube-controller-manager.log");
        self.manager = Some(Process::spawn("kube-controller-manager", &mut command, &log)?);
        Ok(())
    }

    /// The id of its process, if it was started.
    pub fn controller_manager_process(&self) -> Option<u32> {
        self.manager.as_ref().map(Process::id)
    }

    /// The end of its log, for a failure message.
    pub fn controller_manager_log_tail(&self) -> String {
        logs::tail(&self.dir.path().join("kube-controller-manager.log"), 30)
    }
}
