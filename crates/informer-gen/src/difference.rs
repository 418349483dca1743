//! Shows in a few lines how two texts differ.

/// How many lines of either text are shown.
const SHOWN: usize = 12;

/// How `new` differs from `old`, in the format of `diff`, or `None` if they are equal.
///
/// Everything between the first and the last line that differ counts as different.
pub fn difference(old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let start = same(&mut old.iter().zip(&new));
    let longest_end = old.len().min(new.len()) - start;
    let end = same(&mut old.iter().rev().zip(new.iter().rev())).min(longest_end);
    let mut shown = format!("at line {}:", start + 1);
    for (mark, lines) in [('-', &old[start..old.len() - end]), ('+', &new[start..new.len() - end])] {
        for line in lines.iter().take(SHOWN) {
            shown.push_str(format!("\n{mark} {line}").trim_end());
        }
        if lines.len() > SHOWN {
            shown.push_str(&format!("\n{mark} … and {} more lines", lines.len() - SHOWN));
        }
    }
    Some(shown)
}

#[cfg(test)]
mod tests;
