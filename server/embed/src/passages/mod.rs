//! Splits long texts into passages that a model reads completely.

/// The limits of a split.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// The most units of a passage, such as tokens.
    pub(super) units: usize,
    /// The most passages. The rest of the text is ignored.
    pub(super) passages: usize,
}

/// Splits a text at line ends, at spaces if a line is too long, and anywhere if a word is too long; `size`
/// counts the units of a text. Blank passages are left out.
///
/// Only the text that the passages contain is processed, so that the work does not grow with the rest of the
/// text.
pub(super) fn split(text: &str, cut: Cut, size: impl Fn(&str) -> usize) -> Vec<String> {
    let mut passages = Vec::new();
    let mut current = String::new();
    let mut used = 0;
    let lines = text.split_inclusive('\n');
    let pieces = lines.flat_map(|line| Pieces {
        waiting: vec![line],
        limit: cut.units,
        size: &size,
    });
    for (piece, units) in pieces {
        if used + units > cut.units && !current.is_empty() {
            let passage = std::mem::take(&mut current);
            used = 0;
            if !passage.trim().is_empty() {
                passages.push(passage);
            }
            if passages.len() >= cut.passages {
                return passages;
            }
        }
        current.push_str(piece);
        used += units;
    }
    if !current.trim().is_empty() {
        passages.push(current);
    }
    passages.truncate(cut.passages);
    passages
}

/// Halves a text until each part is within the limit, and yields the parts with their units on demand.
struct Pieces<'a, F> {
    /// The parts that are still to be split, the first one last.
    waiting: Vec<&'a str>,
    limit: usize,
    size: F,
}

impl<'a, F: Fn(&str) -> usize> Iterator for Pieces<'a, F> {
    type Item = (&'a str, usize);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let text = self.waiting.pop()?;
            let units = (self.size)(text);
            let Some(middle) = middle(text).filter(|_| units > self.limit) else {
                return Some((text, units));
            };
            let (left, right) = text.split_at(middle);
            self.waiting.extend([right, left]);
        }
    }
}

/// Returns a position near the middle of a text at which it may be split: after white space if there is some in
/// its second quarter, else between two characters. `None` for a single character.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let half = (1..=half)
        .rev()
        .chain(half + 1..text.len())
        .find(|at| text.is_char_boundary(*at))?;
    let before = text.get(..half)?;
    let space = before
        .rfind(char::is_whitespace)
        .filter(|at| at * 2 >= half);
    Some(space.map_or(half, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    }))
}

#[cfg(test)]
mod tests;
