//! What the program itself does to its informers.

use anyhow::Result;

use crate::faults::Fault;
use crate::walk::plan::Draw;
use crate::world::World;
use crate::world::handlers::Mood;

impl Draw {
    pub(super) fn begin_in_program(&self, world: &mut World) -> Result<()> {
        match self.fault {
            Fault::Relisted => world.refresh_large(),
            Fault::StuckHandler => world.set_mood(Mood::Stuck),
            Fault::SlowHandler => world.set_mood(Mood::Slow),
            _ => world.set_mood(Mood::Panicking),
        }
        Ok(())
    }

    pub(super) fn end_in_program(&self, world: &mut World) -> Result<()> {
        if self.fault == Fault::Relisted {
            // Once more, after what the other fault may have done to the first.
            world.refresh_large();
        } else {
            world.set_mood(Mood::Quick);
        }
        Ok(())
    }
}
