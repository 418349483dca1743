//! Stepping over values of a document that is known to be JSON, without looking at each token.
//!
//! What is in the cache was checked when it came, so here brackets are counted and nothing else: 64 bytes at a time, as bit masks.
//! How long strings are costs nothing then, where reading token by token takes a wrong guess of the processor for most
//! of them. It is about three times as quick as [`value_end`](super::value::value_end).

use wide::u8x16;

use super::value::value_end;

const BLOCK: usize = 64;

/// Where the value that begins at `at` ends; `None` if it does not. Of a document that is not JSON it may be any place.
pub(super) fn skip_value(json: &[u8], at: usize) -> Option<usize> {
    if !matches!(json.get(at)?, b'{' | b'[') {
        return value_end(json, at);
    }
    let (mut depth, mut strings, mut start) = (0, Strings::default(), at);
    loop {
        let rest = json.get(start..).filter(|rest| !rest.is_empty())?;
        let masks = match rest.first_chunk() {
            Some(block) => Masks::of(block),
            None => {
                let mut last = [b' '; BLOCK];
                last.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
                Masks::of(&last)
            }
        };
        let outside = !strings.inside(&masks);
        let (opening, closing) = (masks.opening & outside, masks.closing & outside);
        if closing.count_ones() < depth {
            depth = depth + opening.count_ones() - closing.count_ones();
        } else {
            // It may end here.
            let mut brackets = opening | closing;
            while brackets != 0 {
                let place = brackets.trailing_zeros();
                depth = if opening >> place & 1 == 1 { depth + 1 } else { depth - 1 };
                if depth == 0 {
                    return Some(start + place as usize + 1);
                }
                brackets &= brackets - 1;
            }
        }
        start += BLOCK;
    }
}

/// Where in a block these characters are, a bit for each byte.
struct Masks {
    quotes: u64,
    backslashes: u64,
    opening: u64,
    closing: u64,
}

impl Masks {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        // The brackets of arrays are those of objects without this bit.
        const OF_OBJECTS: u8 = 0x20;
        let mut masks = Self { quotes: 0, backslashes: 0, opening: 0, closing: 0 };
        for (number, bytes) in block.as_chunks().0.iter().enumerate() {
            let bytes = u8x16::new(*bytes);
            let brackets = bytes | u8x16::splat(OF_OBJECTS);
            let mask = |bytes: u8x16, character: u8| {
                u64::from(bytes.simd_eq(u8x16::splat(character)).to_bitmask()) << (16 * number)
            };
            masks.quotes |= mask(bytes, b'"');
            masks.backslashes |= mask(bytes, b'\\');
            masks.opening |= mask(brackets, b'{');
            masks.closing |= mask(brackets, b'}');
        }
        masks
    }
}

/// What a block has to know of those before it.
#[derive(Default)]
struct Strings {
    /// All bits are set within a string.
    is_open: u64,
    /// The first character of the next block is escaped.
    is_escaped: bool,
}

impl Strings {
    /// Which bytes of the next block are in a string. Of a closing quote it says no, of an opening one yes.
    #[inline]
    fn inside(&mut self, masks: &Masks) -> u64 {
        let mut quotes = masks.quotes;
        if masks.backslashes != 0 || self.is_escaped {
            quotes &= !self.escaped(masks.backslashes);
        }
        // Every bit becomes the sum of itself and all before it.
        let mut inside = quotes;
        for distance in [1, 2, 4, 8, 16, 32] {
            inside ^= inside << distance;
        }
        inside ^= self.is_open;
        self.is_open = if inside >> 63 == 1 { u64::MAX } else { 0 };
        inside
    }

    /// Which bytes of the next block are escaped.
    #[cold]
    fn escaped(&mut self, backslashes: u64) -> u64 {
        let mut escaped = u64::from(std::mem::take(&mut self.is_escaped));
        let mut left = backslashes;
        while left != 0 {
            let place = left.trailing_zeros();
            left &= left - 1;
            if escaped >> place & 1 == 1 {
                continue;
            }
            match place {
                63 => self.is_escaped = true,
                _ => escaped |= 1 << (place + 1),
            }
        }
        escaped
    }
}

#[cfg(test)]
mod tests;
