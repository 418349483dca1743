//! The server no longer knows us, no longer lets us, or no longer knows the kind.

use anyhow::Result;
use test_cluster::Authority;

use crate::faults::Fault;
use crate::walk::plan::Draw;
use crate::world::World;

impl Draw {
    pub(super) async fn begin_access(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Certificate => {
                let authority = Authority::new("another")?;
                let (old, new) = (world.certificate.current.clone(), authority.issue("reader")?);
                // In time, or too late: then requests are refused until the fault is over.
                if self.coin {
                    world.certificate.put(&new)?;
                }
                world.cluster.trust_client_authorities(&[&authority])?;
                world.until_refused(&old, 401).await?;
                world.certificate.next = Some(new);
                world.link.cut();
            }
            Fault::Permission => {
                world.writer().await?.withdraw_permission().await?;
                world.until_refused(&world.certificate.current.clone(), 403).await?;
                world.link.cut();
            }
            _ => {
                world.writer().await?.delete_kind().await?;
                world.kind_is_served = false;
            }
        }
        Ok(())
    }

    pub(super) async fn end_access(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Certificate => {
                if let Some(new) = world.certificate.next.take() {
                    world.certificate.put(&new)?;
                }
            }
            Fault::Permission => {
                world.writer().await?.grant_permission().await?;
                world.until_accepted(&world.certificate.current.clone()).await?;
            }
            _ => {
                world.writer().await?.create_kind().await?;
                world.kind_is_served = true;
            }
        }
        Ok(())
    }
}
