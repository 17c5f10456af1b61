//! Versions behind names that end in a runtime's: "OpenCV Python 3.11" is about Python, "concurrent ruby 1.3.5" is not.

use super::super::tokens::{Kind, Token};
use crate::subject;

/// Returns whether the last of some words names a runtime, and a version follows that the runtime has.
pub(super) fn is_release_of_runtime(tokens: &[Token<'_>], lower: &[&str], count: usize) -> bool {
    let Some(next) = tokens.get(count) else {
        return false;
    };
    matches!(next.kind, Kind::Version | Kind::Integer)
        && lower
            .get(count - 1)
            .and_then(|word| subject::runtime_named(word))
            .is_some_and(|runtime| has_release(runtime, next.text))
}

/// Returns whether a runtime has releases that start like a version: no Ruby is 1.3.
fn has_release(runtime: &str, version: &str) -> bool {
    let mut numbers = version.trim_start_matches(['v', 'V']).split('.');
    let mut number = || numbers.next().and_then(|part| part.parse::<u32>().ok());
    let (major, minor) = (number(), number());
    match (runtime, major, minor) {
        (_, None, _) => false,
        ("python", Some(major), minor) => {
            major == 3 || major == 2 && minor.is_none_or(|minor| minor >= 5)
        }
        ("ruby", Some(major), minor) => match major {
            1 => minor.is_some_and(|minor| minor >= 8),
            major => (2..=9).contains(&major),
        },
        ("node", Some(major), _) => (4..100).contains(&major),
        ("php", Some(major), _) => (5..=9).contains(&major),
        ("perl", Some(major), _) => major == 5,
        ("go", Some(major), _) => major == 1,
        ("java", Some(major), minor) => {
            (5..100).contains(&major) || major == 1 && minor.is_some_and(|minor| minor >= 4)
        }
        _ => true,
    }
}
