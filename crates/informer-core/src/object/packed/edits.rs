//! How one document comes from another: what stays, and what is written in place of what.
//!
//! A script is a row of edits. An edit is how many bytes stay (a number), then what follows takes the place of how much: a byte
//! below 128 is the length of both, otherwise both lengths follow as numbers; then the new bytes. What is behind the last
//! edit stays. Numbers are written seven bits to a byte, the lowest first.

/// So many equal bytes in a row count as the same place in both documents.
const SAME: usize = 8;

/// How far the same place is looked for where values were replaced by others of the same length.
const NEAR: usize = 96;

/// How far it is looked for behind what was added or left out.
const FAR: usize = 2048;

/// Longer pieces are looked for there, because there are more places where they could occur by chance.
const PIECE: usize = 24;

/// How many times the length of both documents is looked at in search of the same places, before it is given up.
const PATIENCE: usize = 8;

/// And so many bytes, which small documents may need.
const SOME: usize = 64 << 10;

/// In place of a length: both lengths follow.
const LONG: u8 = 0x80;

/// The bit of a number's byte that says that another follows.
const MORE: u8 = 0x80;

/// Appends a script that makes `json` of `base`. False, with something appended, if it would take more than `limit` bytes, or if
/// it is not found soon: however the documents are made, the time is in proportion to their length.
pub(crate) fn write(base: &[u8], json: &[u8], limit: usize, script: &mut Vec<u8>) -> bool {
    let patience = (base.len() + json.len()).saturating_mul(PATIENCE).saturating_add(SOME);
    write_patiently(base, json, limit, script, &mut { patience })
}

/// The same with so much patience, of which the rest is left.
fn write_patiently(
    base: &[u8],
    json: &[u8],
    limit: usize,
    script: &mut Vec<u8>,
    patience: &mut usize,
) -> bool {
    let limit = script.len().saturating_add(limit);
    let (mut base, mut json) = (base, json);
    loop {
        let stays = common(base, json);
        (base, json) = (&base[stays..], &json[stays..]);
        if base.is_empty() && json.is_empty() {
            return true;
        }
        let Some((out, new)) = meet(base, json, patience) else { return false };
        number(stays, script);
        match u8::try_from(new) {
            Ok(length) if out == new && length < LONG => script.push(length),
            _ => {
                script.push(LONG);
                number(out, script);
                number(new, script);
            }
        }
        if script.len().saturating_add(new) > limit {
            return false;
        }
        script.extend_from_slice(&json[..new]);
        (base, json) = (&base[out..], &json[new..]);
    }
}

/// Appends what the script makes of `base`. False, with something appended, if it was made for another.
pub(crate) fn apply(base: &[u8], script: &[u8], into: &mut Vec<u8>) -> bool {
    fn step<'a>(base: &mut &'a [u8], script: &mut &'a [u8], into: &mut Vec<u8>) -> Option<()> {
        into.extend_from_slice(base.split_off(..read(script)?)?);
        let (out, new) = match *script.split_off_first()? {
            LONG => (read(script)?, read(script)?),
            length => (length.into(), length.into()),
        };
        base.split_off(..out)?;
        into.extend_from_slice(script.split_off(..new)?);
        Some(())
    }
    let (mut base, mut script) = (base, script);
    while !script.is_empty() {
        if step(&mut base, &mut script, into).is_none() {
            return false;
        }
    }
    into.extend_from_slice(base);
    true
}

/// How many bytes of its document a script leaves out or puts others in place of: all of them, and those that have no others of about
/// the same length in their place, which may be so only for edits that take out no more than `most` at once. The script is one that
/// [`write`] made.
pub(crate) fn left_out(script: &[u8], most: usize) -> (usize, usize) {
    fn step(script: &mut &[u8]) -> Option<(usize, usize)> {
        read(script)?;
        let (out, new) = match *script.split_off_first()? {
            LONG => (read(script)?, read(script)?),
            length => (length.into(), length.into()),
        };
        script.split_off(..new)?;
        Some((out, new))
    }
    let (mut script, mut all, mut for_nothing) = (script, 0usize, 0usize);
    while let Some((out, new)) = step(&mut script) {
        all = all.saturating_add(out);
        for_nothing = for_nothing.saturating_add(if out > most { out } else { out.saturating_sub(new) });
    }
    (all, for_nothing)
}

/// How many bytes both begin with.
fn common(a: &[u8], b: &[u8]) -> usize {
    let (whole, _) = a.as_chunks::<16>();
    let (others, _) = b.as_chunks::<16>();
    let mut length = 0;
    for (x, y) in whole.iter().zip(others) {
        let differ = u128::from_le_bytes(*x) ^ u128::from_le_bytes(*y);
        if differ != 0 {
            return length + (differ.trailing_zeros() / 8) as usize;
        }
        length += 16;
    }
    length + a[length..].iter().zip(&b[length..]).take_while(|(x, y)| x == y).count()
}

/// Where both go on alike. They differ at their first byte. `None` if patience runs out, which is counted in bytes that are looked at.
fn meet(base: &[u8], json: &[u8], patience: &mut usize) -> Option<(usize, usize)> {
    let mut look_at = |bytes: usize| {
        *patience = patience.checked_sub(bytes)?;
        Some(())
    };
    look_at(NEAR)?;
    let (end, new_end) = (end_of_value(near(base)), end_of_value(near(json)));
    if let (Some(end), Some(new_end)) = (end, new_end)
        && alike(&base[end..], &json[new_end..])
    {
        return Some((end, new_end));
    }
    if let Some(at) = (1..=NEAR).find(|at| alike_at(base, json, *at)) {
        return Some((at, at));
    }
    let (end, new_end) = (end_of_value(base).unwrap_or(base.len()), end_of_value(json).unwrap_or(json.len()));
    look_at(end + new_end)?;
    if alike(&base[end..], &json[new_end..]) {
        return Some((end, new_end));
    }
    for (from, new_from) in [(0, 0), (end, new_end)] {
        look_at(FAR.min(base.len() - from) + FAR.min(json.len() - new_from))?;
        if let Some(added) = find(&base[from..], &json[new_from..]) {
            return Some((from, new_from + added));
        }
        if let Some(left_out) = find(&json[new_from..], &base[from..]) {
            return Some((from + left_out, new_from));
        }
    }
    Some((base.len(), json.len()))
}

fn near(json: &[u8]) -> &[u8] {
    json.get(..=NEAR).unwrap_or(json)
}

fn end_of_value(json: &[u8]) -> Option<usize> {
    memchr::memchr3(b'"', b',', b'}', json)
}

fn alike_at(a: &[u8], b: &[u8], at: usize) -> bool {
    match (a.get(at..at + SAME), b.get(at..at + SAME)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

fn alike(a: &[u8], b: &[u8]) -> bool {
    alike_at(a, b, 0) || (a == b)
}

/// Where the beginning of one is in the other.
fn find(beginning: &[u8], within: &[u8]) -> Option<usize> {
    let Some(piece) = beginning.get(..PIECE) else {
        return within.strip_suffix(beginning).map(<[u8]>::len);
    };
    memchr::memmem::find(&within[..within.len().min(FAR)], piece)
}

fn number(mut number: usize, script: &mut Vec<u8>) {
    while number >= MORE.into() {
        script.push(low_bits(number) | MORE);
        number >>= 7;
    }
    script.push(low_bits(number));
}

fn low_bits(number: usize) -> u8 {
    (number & 0x7f).to_le_bytes()[0]
}

fn read(script: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..usize::BITS).step_by(7) {
        let byte = *script.split_off_first()?;
        number |= usize::from(byte & !MORE) << shift;
        if byte < MORE {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests;
