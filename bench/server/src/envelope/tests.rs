use super::{varint, varint_length};

#[test]
fn lengths_of_varints_are_known_before_they_are_written() {
    for value in [0, 1, 127, 128, 16_383, 16_384, 5_000_000_000] {
        let mut out = Vec::new();
        varint(&mut out, value as u64);
        assert_eq!(varint_length(value), out.len(), "{value}");
    }
}
