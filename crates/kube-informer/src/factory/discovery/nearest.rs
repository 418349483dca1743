//! How much two words differ.

/// How many letters have to be added, left out or exchanged to make one word of the other.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    // What it takes from the part of `one` read so far to each beginning of `other`.
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
