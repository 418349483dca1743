//! Places that are void are not kept for ever.

use super::super::core::{Adding, Core, Rules};
use super::super::limit::RateLimit;

fn core() -> Core<u32> {
    Core::new(Rules { quantum: 1, min_interval: 0, limit: RateLimit::default() }, 7)
}

#[test]
fn what_is_added_and_taken_back_while_nobody_works_leaves_nothing_behind() {
    let mut core = core();
    core.add(0, 0, Adding::default());
    for now in 0..100_000 {
        core.add(now, 1, Adding::default());
        assert!(core.cancel(now, &1));
        core.add(now, 2, Adding { after: 1_000_000, ..Adding::default() });
        assert!(core.cancel(now, &2));
    }
    assert!(core.places() < 5_000, "{}", core.places());
    assert_eq!(core.counts().ready, 1);
}
