use super::*;
use crate::object::testing;

#[test]
fn a_rewind_is_committed_before_the_first_change_of_the_list_that_showed_it() {
    let origin = testing::origin();
    let added = |key| Change::Added { new: testing::record(&origin, key, "u", "5") };
    let plan = Plan { changes: vec![added("a"), added("b")], rewound: Some(0), ..Plan::default() };
    let steps: Vec<_> = plan.one_by_one().map(|plan| (plan.rewound, plan.changes.len())).collect();
    assert_eq!(steps, [(Some(0), 0), (None, 1), (None, 1)]);
    let plan = Plan { changes: vec![added("a")], rewound: Some(0), ..Plan::default() };
    let steps: Vec<_> = plan.one_by_one().map(|plan| (plan.rewound, plan.changes.len())).collect();
    assert_eq!(steps, [(Some(0), 1)], "with one change it is one commit");
}
