//! Whether something sends metrics already. What is built sends them to the recorder that is installed at that time, so a recorder
//! that comes later would show nothing of it.

use std::sync::atomic::{AtomicBool, Ordering};

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Something is built that sends metrics.
pub fn begin() {
    HAS_BEGUN.store(true, Ordering::Relaxed);
}

/// Whether anything in this process was.
pub fn has_begun() -> bool {
    HAS_BEGUN.load(Ordering::Relaxed)
}
