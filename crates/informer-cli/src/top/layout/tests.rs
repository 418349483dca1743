use super::*;

fn room(height: usize, informers: usize, queues: usize, is_at_queues: bool) -> (usize, usize) {
    let room = Room::of(Size { width: 80, height }, informers, queues, is_at_queues);
    (room.informers, room.queues)
}

#[test]
fn queues_have_a_quarter_and_what_informers_leave() {
    assert_eq!(room(24, 50, 0, false), (18, 0));
    assert_eq!(room(24, 50, 4, false), (12, 4));
    for is_at_queues in [false, true] {
        assert_eq!(room(24, 50, 40, is_at_queues), (10, 6));
    }
    assert_eq!(room(24, 3, 40, false), (3, 13));
    assert_eq!(room(24, 0, 40, false), (1, 15), "a line says why there is no informer");
}

#[test]
fn a_low_screen_has_the_table_of_the_selected_row() {
    assert_eq!((room(10, 9, 3, false), room(10, 9, 3, true)), ((4, 0), (0, 4)));
    assert_eq!((room(10, 1, 1, false), room(10, 1, 1, true)), ((1, 1), (1, 1)), "all fit");
}

#[test]
fn all_rows_fit_and_none_is_counted_twice() {
    for height in 0..60 {
        for (informers, queues) in [(0, 0), (0, 5), (1, 1), (2, 30), (30, 2), (30, 30)] {
            for is_at_queues in [false, true] {
                let (shown, queued) = room(height, informers, queues, is_at_queues);
                let above = if shown > 0 && queued > 0 { ABOVE_QUEUES } else { 0 };
                assert!(shown + queued > 0, "{height}");
                assert!(AROUND_ROWS + shown + above + queued <= height.max(AROUND_ROWS + 1), "{height}");
                assert!(if is_at_queues && queues > 0 { queued > 0 } else { shown > 0 }, "{height}");
            }
        }
    }
}
