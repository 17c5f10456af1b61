//! Cuts long texts into passages that a model reads whole.

/// Cuts a text at line ends, at spaces where a line is too long, and anywhere where a word is, into
/// passages of at most `limit` units; `size` counts them, such as tokens. Blank passages are left out.
pub(super) fn split(text: &str, limit: usize, size: impl Fn(&str) -> usize) -> Vec<String> {
    let mut passages = Vec::new();
    let mut current = String::new();
    let mut used = 0;
    for line in text.split_inclusive('\n') {
        for piece in pieces(line, limit, &size) {
            let units = size(piece);
            if used + units > limit && !current.is_empty() {
                passages.push(std::mem::take(&mut current));
                used = 0;
            }
            current.push_str(piece);
            used += units;
        }
    }
    passages.push(current);
    passages.retain(|passage| !passage.trim().is_empty());
    passages
}

/// Halves a text until each part fits.
fn pieces<'a>(text: &'a str, limit: usize, size: &impl Fn(&str) -> usize) -> Vec<&'a str> {
    let Some(middle) = middle(text).filter(|_| size(text) > limit) else {
        return vec![text];
    };
    let (left, right) = text.split_at(middle);
    let mut parts = pieces(left, limit, size);
    parts.extend(pieces(right, limit, size));
    parts
}

/// Returns a place near the middle of a text where it may be cut: after white space where there is
/// some in its second quarter, else between two characters. `None` for one character.
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
