//! Everything that goes wrong, and how soon all has to be right again.

mod access;
mod network;
mod program;
mod servers;

use std::time::Duration;

use anyhow::Result;

use crate::walk::plan::Draw;
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Cuts,
    Refused,
    Stalled,
    Slow,
    Lost,
    Killed,
    Terminated,
    Paused,
    SilentServer,
    HistoryGone,
    Restored,
    EtcdRestarted,
    Compacted,
    Token,
    Certificate,
    Permission,
    KindGone,
    Relisted,
    Processes,
    StuckHandler,
    SlowHandler,
    PanickingHandler,
}

/// What a fault does something to; two faults at once have none of it in common. Faults begin in this order, by the last that
/// they touch, and end in the opposite one: those that need a working server and way to begin come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    Kinds,
    Access,
    Program,
    Server,
    Etcd,
    Way,
}

/// A line of the table.
pub(crate) struct Row {
    pub(crate) fault: Fault,
    pub(crate) name: &'static str,
    /// The seconds within which cache and handlers are right once the fault is over and the server serves every kind. Where a
    /// fault is over only when it has been noticed, from its beginning on.
    bound: u64,
    pub(crate) touches: &'static [Layer],
}

const fn row(fault: Fault, name: &'static str, bound: u64, touches: &'static [Layer]) -> Row {
    Row { fault, name, bound, touches }
}

/// All faults. The bounds hold on two busy cores, so most of them are a multiple of what is usual.
pub(crate) const TABLE: &[Row] = &[
    row(Fault::Cuts, "connections cut in a row", 10, &[Layer::Way]),
    row(Fault::Refused, "unreachable, connections refused", 10, &[Layer::Way]),
    row(Fault::Stalled, "partition, nothing passes", 10, &[Layer::Way]),
    row(Fault::Slow, "every packet late", 10, &[Layer::Way]),
    // 45 s, by an HTTP/2 ping that is not answered.
    row(Fault::Lost, "connections fall silent, new ones work", 50, &[Layer::Way]),
    row(Fault::Killed, "API server killed", 10, &[Layer::Server]),
    row(Fault::Terminated, "API server restarted", 10, &[Layer::Server]),
    row(Fault::Paused, "API server paused (SIGSTOP)", 10, &[Layer::Server]),
    row(Fault::SilentServer, "one of two API servers silent", 50, &[Layer::Way, Layer::Server]),
    row(Fault::HistoryGone, "history gone (410)", 15, &[Layer::Way, Layer::Server]),
    row(Fault::Restored, "backup restored, with traffic", 20, &[Layer::Server, Layer::Etcd]),
    row(Fault::EtcdRestarted, "etcd killed and restarted", 15, &[Layer::Etcd]),
    row(Fault::Compacted, "compaction under load", 10, &[Layer::Server, Layer::Etcd]),
    // A server that refuses is asked less and less, in the end every 30 to 45 seconds.
    row(Fault::Token, "token replaced (401)", 50, &[Layer::Access, Layer::Server]),
    row(Fault::Certificate, "client certificate replaced", 50, &[Layer::Access]),
    row(Fault::Permission, "permission withdrawn (403)", 50, &[Layer::Access]),
    // It is asked for every 30 to 60 seconds.
    row(Fault::KindGone, "CRD deleted and created again (404)", 65, &[Layer::Kinds]),
    row(Fault::Relisted, "large kind relisted", 20, &[Layer::Program]),
    row(Fault::Processes, "many processes after a restart", 20, &[Layer::Program, Layer::Server]),
    row(Fault::StuckHandler, "stuck handler", 5, &[Layer::Program]),
    row(Fault::SlowHandler, "slow handler", 5, &[Layer::Program]),
    row(Fault::PanickingHandler, "panicking handler", 5, &[Layer::Program]),
];

impl Fault {
    pub(crate) fn row(self) -> &'static Row {
        let row = TABLE.iter().find(|row| row.fault == self);
        row.unwrap_or_else(|| unreachable!("{self:?} is in the table"))
    }

    pub(crate) fn name(self) -> &'static str {
        self.row().name
    }

    pub(crate) fn bound(self) -> Duration {
        Duration::from_secs(self.row().bound)
    }

    pub(crate) fn goes_with(self, other: Self) -> bool {
        !self.row().touches.iter().any(|layer| other.row().touches.contains(layer))
    }

    /// Whether it lasts until the informers have noticed it: time counts from its beginning.
    pub(crate) fn lasts_until_noticed(self) -> bool {
        matches!(self, Self::Lost | Self::SilentServer)
    }

    /// Whether the server may need a while to serve every kind again.
    pub(crate) fn is_of_servers(self) -> bool {
        self.row().touches.iter().any(|layer| matches!(layer, Layer::Server | Layer::Etcd | Layer::Kinds))
    }

    /// Whether the server and the way to it work all the time, so that whoever is not concerned has to be right meanwhile.
    pub(crate) fn is_of_handlers(self) -> bool {
        matches!(self, Self::StuckHandler | Self::SlowHandler | Self::PanickingHandler)
    }
}

impl Draw {
    pub(crate) async fn begin(&self, world: &mut World) -> Result<()> {
        match self.fault.row().touches {
            [Layer::Way] => self.begin_on_way(world).await,
            [Layer::Program] => self.begin_in_program(world),
            [Layer::Kinds | Layer::Access] => self.begin_access(world).await,
            _ => self.begin_on_servers(world).await,
        }
    }

    pub(crate) async fn end(&self, world: &mut World) -> Result<()> {
        match self.fault.row().touches {
            [Layer::Way] => self.end_on_way(world),
            [Layer::Program] => self.end_in_program(world),
            [Layer::Kinds | Layer::Access] => self.end_access(world).await,
            _ => self.end_on_servers(world).await,
        }
    }
}
