//! The way to the server.

use std::time::Duration;

use anyhow::Result;

use crate::faults::Fault;
use crate::walk::hold;
use crate::walk::plan::Draw;
use crate::world::World;

impl Draw {
    pub(super) async fn begin_on_way(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Cuts => {
                for _ in 0..self.times {
                    world.link.cut();
                    hold(self.length / self.times).await;
                }
            }
            Fault::Refused => {
                world.link.refuse().await;
                world.link.cut();
            }
            Fault::Stalled => world.link.stall(),
            Fault::Slow => world.link.delay(Duration::from_millis(25 * u64::from(self.times))),
            _ => world.link.lose_open_connections(),
        }
        Ok(())
    }

    pub(super) fn end_on_way(&self, world: &mut World) -> Result<()> {
        if self.fault == Fault::Lost {
            // Nobody else closes them at our end.
            world.link.cut();
        }
        world.link.resume()
    }
}
