//! The same with an allocator that counts: for the live heap, not for times.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> anyhow::Result<()> {
    queue_ours::run(|| {
        let stats = COUNTED.stats();
        u64::try_from(stats.bytes_allocated - stats.bytes_deallocated).ok()
    })
}
