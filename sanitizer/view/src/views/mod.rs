//! Views of a text: parts of it as people, programs and terminals read them, not as they are written.
//!
//! A secret can hide from every rule behind colours, escapes, entities, emphasis or a line break. A
//! view undoes these and remembers where each character is written. Views are made only of the
//! lines around something to undo, so an ordinary text costs a few searches for single bytes.
//!
//! | file | undoes |
//! |---|---|
//! | `characters/escapes.rs` | `\u0067`, `\x67`, `\147` |
//! | `characters/entities.rs` | `&#89;`, `&lowbar;` |
//! | `characters/percent.rs` | `%5F` |
//! | `characters/letters.rs` | full-width and mathematical letters, lookalikes, invisible characters |
//! | `ansi.rs` | colours and other sequences for terminals |
//! | `markdown.rs` | `\_`, `**…**`, `<b>…</b>` inside a word |
//! | `literals.rs` | `"a" + "b"` |
//! | `shapes.rs` | cells of tables, here documents, raw and tripled quotes, values in the next line |
//! | `lines.rs` | backslashes before line breaks, wraps at a terminal's width |
//! | `pairs.rs` | a value before its name |
//! | `base64.rs` | base64 of text, which is judged as a text of its own |
//!
//! What these files share is `map.rs`. Nothing here judges what a text says.

mod ansi;
pub mod base64;
mod characters;
mod lines;
mod literals;
mod map;
mod markdown;
mod pairs;
mod shapes;

use std::ops::Range;

use characters::{entities, escapes, letters, percent};
pub use lines::goes_on_behind;
use map::Edit;
pub use map::View;

/// How often a view is read anew: so many encodings of one kind may stand in each other. One of each
/// kind is undone every time.
pub const ROUNDS: usize = 3;

/// How far a region goes back and ahead where lines are long, in bytes.
const BEFORE: usize = 600;
const BEHIND: usize = 1200;
/// How much farther it goes where a word would be cut, in bytes.
const MAX_WORD: usize = 8192;

/// Returns a view of every part of the text that is read differently from how it is written.
pub fn views(text: &str) -> Vec<View> {
    let mut edits = Vec::new();
    undo(text, false, |found| edits.append(found));
    edits.sort_unstable_by_key(|edit: &Edit| edit.span.start);
    let mut views = Vec::new();
    for region in regions(text, &edits) {
        let mut view = View::of(text, region);
        for _ in 0..ROUNDS {
            if !read(&mut view) {
                break;
            }
        }
        if view.is_rewritten() {
            views.push(view);
        }
    }
    views.append(&mut pairs::views(text));
    views
}

/// Undoes what hides in a view, one kind after the other; returns whether there was anything.
fn read(view: &mut View) -> bool {
    let mut is_changed = false;
    for kind in KINDS {
        let mut edits = Vec::new();
        kind(&view.text, true, &mut edits);
        if !edits.is_empty() {
            view.rewrite(&edits);
            is_changed = true;
        }
    }
    is_changed
}

/// Finds what hides in a text as it is written, by kind.
fn undo(text: &str, all: bool, mut tell: impl FnMut(&mut Vec<Edit>)) {
    let mut edits = Vec::new();
    for kind in KINDS {
        kind(text, all, &mut edits);
        tell(&mut edits);
        edits.clear();
    }
}

/// Finds one kind of hiding in a text: all of it, or what may hide something.
type Kind = fn(&str, bool, &mut Vec<Edit>);

/// The kinds in the order in which they are undone: encodings first, since they may stand for what
/// comes later.
const KINDS: [Kind; 10] = [
    |text, _, edits| escapes::edits(text, edits),
    |text, _, edits| entities::edits(text, edits),
    |text, _, edits| percent::edits(text, edits),
    |text, _, edits| letters::edits(text, edits),
    |text, _, edits| ansi::edits(text, edits),
    |text, _, edits| markdown::escapes(text, edits),
    markdown::emphasis,
    |text, _, edits| literals::edits(text, edits),
    |text, _, edits| shapes::edits(text, edits),
    |text, _, edits| lines::edits(text, edits),
];

/// The lines around edits, with one line before and behind; regions that meet become one.
fn regions(text: &str, edits: &[Edit]) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    let mut covered = 0;
    for edit in edits {
        if edit.span.end < covered {
            continue;
        }
        let near = text.as_bytes().get(edit.span.end..).unwrap_or_default();
        let near = near.get(..BEHIND / 2).unwrap_or(near);
        covered = edit.span.end + memchr::memchr(b'\n', near).unwrap_or(near.len());
        let region = start_before(text, edit.span.start)..line_end(text, edit.span.end);
        match regions.last_mut() {
            Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
            _ => regions.push(region),
        }
    }
    regions
}

/// The beginning of the line before the one at `at`, or a place between words.
fn start_before(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let least = at.saturating_sub(BEFORE);
    let near = bytes.get(least..at).unwrap_or_default();
    if let Some(end) = memchr::memrchr_iter(b'\n', near).nth(1) {
        return least + end + 1;
    }
    if let Some(end) = memchr::memchr(b'\n', near) {
        return least + end + 1;
    }
    let before = bytes
        .get(least.saturating_sub(MAX_WORD)..least)
        .unwrap_or_default();
    let word = before
        .iter()
        .rev()
        .take_while(|byte| is_inside(**byte))
        .count();
    text.floor_char_boundary(least - word)
}

/// The end of the line behind the one at `at`, or a place between words.
fn line_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let most = (at + BEHIND).min(bytes.len());
    let near = bytes.get(at..most).unwrap_or_default();
    let mut ends = memchr::memchr_iter(b'\n', near);
    let first = ends.next();
    if let Some(end) = ends.next().or(first) {
        return at + end + 1;
    }
    let behind = bytes.get(most..).unwrap_or_default();
    let behind = behind.get(..MAX_WORD).unwrap_or(behind);
    let word = behind.iter().take_while(|byte| is_inside(**byte)).count();
    text.ceil_char_boundary(most + word)
}

/// Tells where a needle stands, its occurrences apart; the byte at `telling` of it is rare.
fn occurrences<'t>(
    text: &'t [u8],
    needle: &'static str,
    telling: usize,
) -> impl Iterator<Item = usize> + 't {
    /// Up to here a finder takes longer to make than to use.
    const SHORT: usize = 2000;
    let is_short = text.len() <= SHORT;
    let byte = needle.as_bytes().get(telling).filter(|_| is_short);
    let mut read_to = 0;
    let singly = byte.into_iter().flat_map(move |byte| {
        memchr::memchr_iter(*byte, text).filter_map(move |at| {
            let start = at.checked_sub(telling).filter(|start| *start >= read_to)?;
            let found = text.get(start..)?.starts_with(needle.as_bytes());
            found.then(|| {
                read_to = start + needle.len();
                start
            })
        })
    });
    let finder = (!is_short).then(|| memchr::memmem::find_iter(text, needle));
    singly.chain(finder.into_iter().flatten())
}

fn is_inside(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b',')
}

#[cfg(test)]
mod tests;
