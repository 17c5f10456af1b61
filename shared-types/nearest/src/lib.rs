//! The most similar known name to one that is not known, for error messages.

/// Names less similar than this would only confuse.
const LEAST_SIMILARITY: f64 = 0.7;

/// Returns the known name most like a given one, if one is like it at all.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > LEAST_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// Characters of a name from outside that are shown.
const SHOWN_CHARS: usize = 80;

/// Returns a name from outside as messages show it: without control characters, and cut.
pub fn shown(name: &str) -> String {
    let visible = name.chars().filter(|c| !c.is_control());
    visible.take(SHOWN_CHARS).collect()
}

/// Says what an unknown argument may have been meant to be.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the arguments are {}", known.join(", ")),
    }
}
