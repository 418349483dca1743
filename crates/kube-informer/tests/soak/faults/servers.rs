//! API servers and etcd end, stop, forget, or go back in time.

use std::time::Duration;

use anyhow::Result;
use tokio::task::block_in_place;

use crate::faults::Fault;
use crate::walk::hold;
use crate::walk::plan::Draw;
use crate::world::World;
use crate::world::processes::Watcher;
use crate::world::writer::Traffic;

/// So many versions are lost with a restored backup: more than a server writes by itself when it starts, so that the version
/// which the informers have seen is not reached soon after.
const VERSIONS_LOST: usize = 600;

impl Draw {
    pub(super) async fn begin_on_servers(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Killed => world.cluster.kill_apiserver(),
            Fault::Terminated => block_in_place(|| world.cluster.stop_apiserver())?,
            Fault::Paused => {
                world.cluster.pause_apiserver()?;
                world.is_paused = true;
            }
            Fault::SilentServer => {
                let peer = block_in_place(|| world.cluster.start_peer())?;
                world.link.lead_to(&peer)?;
                world.peer = Some(peer);
                world.cluster.pause_apiserver()?;
            }
            Fault::HistoryGone => {
                world.link.refuse().await;
                world.link.cut();
            }
            Fault::Restored => {
                block_in_place(|| world.cluster.backup_etcd())?;
                let writer = world.writer().await?;
                writer.change(self.seed, world.kind_is_served).await?;
                writer.write_often(VERSIONS_LOST).await?;
                writer.write_what_will_be_lost(self.seed, world.kind_is_served).await?;
                // So that there is something to be noticed. If they cannot be reached, there is not.
                world.until_right(Duration::from_secs(2), true).await.ok();
                world.cluster.kill_apiserver();
                world.cluster.kill_etcd();
                world.etcd_is_down = true;
            }
            Fault::EtcdRestarted => {
                world.cluster.kill_etcd();
                world.etcd_is_down = true;
            }
            Fault::Compacted => {
                let writer = world.writer().await?;
                world.traffic = Some(Traffic::start(&writer));
                for _ in 0..self.times {
                    let revision = writer.revision().await?;
                    block_in_place(|| world.cluster.compact_etcd(revision))?;
                    world.refresh_large();
                    hold(self.length / self.times).await;
                }
            }
            Fault::Token => block_in_place(|| {
                world.cluster.kill_apiserver();
                world.cluster.replace_tokens()?;
                world.cluster.start_apiserver()
            })?,
            _ => {
                for _ in 0..world.processes {
                    world.watchers.push(Watcher::start(&world.cluster, &world.link.url())?);
                }
                for watcher in &mut world.watchers {
                    watcher.until_synced().await?;
                }
                world.cluster.kill_apiserver();
            }
        }
        Ok(())
    }

    pub(super) async fn end_on_servers(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Paused => {
                world.cluster.resume_apiserver()?;
                world.is_paused = false;
            }
            Fault::SilentServer => {
                world.cluster.resume_apiserver()?;
                world.link.lead_to(world.cluster.url())?;
                world.cluster.kill_peer();
                world.peer = None;
            }
            Fault::HistoryGone => {
                world.writer().await?.change(!self.seed, world.kind_is_served).await?;
                // A server that starts has no history: changes before its start cannot be asked for.
                block_in_place(|| world.cluster.crash_apiserver())?;
                world.link.resume()?;
            }
            Fault::Restored => {
                block_in_place(|| world.cluster.restore_etcd())?;
                world.etcd_is_down = false;
                world.traffic = Some(Traffic::start(&world.writer().await?));
            }
            Fault::EtcdRestarted => {
                block_in_place(|| world.cluster.start_etcd())?;
                world.etcd_is_down = false;
            }
            Fault::Compacted => {}
            Fault::Token => world.put_token()?,
            _ => block_in_place(|| world.cluster.start_apiserver())?,
        }
        Ok(())
    }
}
