//! How much two words differ.

/// The Levenshtein distance: how many letters have to be added, removed or replaced to turn one word into the other.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    // The distances from the part of `one` read so far to each prefix of `other`.
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (column, wanted) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *wanted);
            diagonal = row[column + 1];
            row[column + 1] = exchanged.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests;
