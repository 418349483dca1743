use super::*;

#[test]
fn reasons_have_distinct_names_in_counter_order() {
    for (place, reason) in RelistReason::ALL.iter().enumerate() {
        assert_eq!(*reason as usize, place);
    }
    let names: std::collections::HashSet<_> = RelistReason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), RelistReason::ALL.len());
}
