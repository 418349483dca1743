//! Documents that say the same in other bytes.

use serde_json::Value;

use super::view::read;

/// Whether two documents hold the same values: the order of members, white space and the escapes of strings do not count. Numbers
/// that are not integers of 64 bits are compared as floats. Documents that serde_json refuses to read are the same only byte
/// for byte.
pub fn same(one: &[u8], other: &[u8]) -> bool {
    one == other || matches!((read::<Value>(one), read::<Value>(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests;
