//! Finds the known name that is most similar to an unknown one, for error messages.

/// Names less similar than this are not suggested: they would only confuse.
const LEAST_SIMILARITY: f64 = 0.7;

/// Returns the known name that is most similar to `name`, if one is similar enough.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > LEAST_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// The maximum number of characters that are shown of a name from outside.
const SHOWN_CHARS: usize = 80;

/// Returns a name from outside as messages show it: without control characters, and cut to 80 characters.
pub fn shown(name: &str) -> String {
    let visible = name.chars().filter(|c| !c.is_control());
    visible.take(SHOWN_CHARS).collect()
}

/// Returns a hint about an unknown argument: the most similar known one, or all known ones.
pub fn hint(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the arguments are {}", known.join(", ")),
    }
}
