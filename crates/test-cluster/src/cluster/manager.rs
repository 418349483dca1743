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
        ensure!(self.manager.is_none(), "kube-controller-manager is running");
        let kubeconfig = self.dir.path().join("kube-controller-manager.yaml");
        self.write_kubeconfig(&kubeconfig)?;
        let mut command = Command::new(self.binaries.kube_controller_manager()?);
        command.args(flags::kube_controller_manager(&kubeconfig, controllers));
        let log = self.dir.path().join("kube-controller-manager.log");
        self.manager = Some(Process::spawn("kube-controller-manager", &mut command, &log)?);
        Ok(())
    }

    /// The end of its log, for a failure message.
    pub fn controller_manager_log_tail(&self) -> String {
        logs::tail(&self.dir.path().join("kube-controller-manager.log"), 30)
    }
}
