//! Formats an error and its causes as one line.

/// Formats an error and its causes as one line. A cause with which the line already ends is left out.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |cause| cause.source());
    causes
        .map(ToString::to_string)
        .fold(String::new(), |text, cause| {
            if text.is_empty() {
                cause
            } else if text.ends_with(&cause) {
                text
            } else {
                format!("{text}: {cause}")
            }
        })
}
