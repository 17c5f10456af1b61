//! Operating systems that a text names as the place of its problem, without a version: "on Windows", "macOS only".

use super::{
    items::Item,
    lexicon::{Cue, prose},
    names::Mention,
    tokens::{Kind, Token},
};
use crate::subject::Subject;

/// Systems that are named because a problem is theirs. Linux is named as often because something was tested there.
const TELLING: [&str; 5] = ["alpine", "android", "ios", "macos", "windows"];

/// Returns the systems on which a problem is said to occur.
pub(super) fn named(items: &[Item<'_>]) -> Vec<String> {
    let mut named = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Item::Name(Mention {
            subject: Subject::Os(name),
            ..
        }) = item
        else {
            continue;
        };
        let before = &items[at.saturating_sub(3)..at];
        let placed = matches!(before.last(), Some(Item::Cue(Cue::Place)));
        let works = before
            .iter()
            .any(|item| matches!(item, Item::Cue(Cue::Works)));
        // "on Windows and Linux": it is a problem of both, or of neither.
        let listed = matches!(items.get(at + 1), Some(Item::Cue(Cue::And) | Item::Comma))
            && matches!(
                items.get(at + 2),
                Some(Item::Name(Mention {
                    subject: Subject::Os(_),
                    ..
                }))
            );
        let versioned = matches!(items.get(at + 1), Some(Item::Version(_) | Item::Integer(_)));
        if placed
            && !works
            && !listed
            && !versioned
            && TELLING.contains(&name.as_str())
            && !named.contains(name)
        {
            named.push(name.clone());
        }
    }
    // Several systems: the text compares them.
    if named.len() > 1 { Vec::new() } else { named }
}

/// How many words may stand between "only" and the system: "happens only if run under Windows".
const MAX_BETWEEN: usize = 4;

/// Returns the systems to which a text limits what it says: "only on Windows", "nur unter Linux", "Windows でのみ".
pub(super) fn exclusive(tokens: &[Token<'_>]) -> Vec<String> {
    let mut named: Vec<String> = Vec::new();
    let mut last = None;
    for (at, token) in tokens.iter().enumerate() {
        let Some(system) = system(token) else {
            continue;
        };
        // "only on Linux and macOS"
        let goes_on = last.is_some_and(|last: usize| at - last == 2);
        if goes_on || is_limited(tokens, at) {
            last = Some(at);
            if !named.contains(&system) {
                named.push(system);
            }
        }
    }
    named
}

/// Returns the system that a token names.
fn system(token: &Token<'_>) -> Option<String> {
    if token.kind != Kind::Word || !Subject::is_written_os(token.text) {
        return None;
    }
    let ordinary = matches!(token.text, "arch" | "oracle" | "rocky" | "mac" | "win");
    match Subject::os(token.text) {
        Subject::Os(name) if !ordinary && Subject::is_known_os(&name) => Some(name),
        _ => None,
    }
}

/// Returns whether "only" stands before a system or behind it, and the sentence is not about a test.
fn is_limited(tokens: &[Token<'_>], at: usize) -> bool {
    let ends = |token: &&Token<'_>| {
        matches!(token.kind, Kind::End | Kind::Line) || matches!(token.text, "," | ";" | ":")
    };
    let before = || tokens[..at].iter().rev().take_while(|token| !ends(token));
    let tested = before()
        .take(8)
        .any(|token| prose::is_about_tests(token.text));
    let only = before()
        .take(MAX_BETWEEN + 1)
        .position(|token| prose::is_only(token.text, token.kind == Kind::Ideographs));
    let denied = |steps: usize| {
        before()
            .nth(steps + 1)
            .is_some_and(|token| prose::is_not(token.text))
    };
    let behind = tokens
        .get(at + 1)
        .is_some_and(|token| prose::is_only_behind(token.text, token.kind == Kind::Ideographs));
    !tested && (only.is_some_and(|steps| !denied(steps)) || behind)
}
