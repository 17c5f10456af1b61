//! Where a text can be split: after sentences, after lines, or in the worst case between words.

/// Splits a text into sentences and lines; joined they are the text again.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().copied();
        let end = match char {
            '\n' => at + 1,
            '。' | '！' | '？' => at + char.len_utf8(),
            '.' | '!' | '?' if next.is_some_and(|(_, it)| it == ' ') && ends(text, at) => at + 2,
            _ => continue,
        };
        out.extend(text.get(start..end));
        start = end;
    }
    out.extend(text.get(start..).filter(|it| !it.is_empty()));
    out
}

/// Whether the mark at an offset ends a sentence: not in "e.g. this" or "1. this".
fn ends(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let word = before.rsplit([' ', '\n', '(']).next().unwrap_or_default();
    let after = text.get(at + 2..).unwrap_or_default();
    let starts = after
        .chars()
        .next()
        .is_some_and(|it| !it.is_lowercase() && !it.is_whitespace());
    let short = matches!(
        word,
        "e.g" | "i.e" | "vs" | "cf" | "etc" | "Mr" | "Dr" | "Fig"
    );
    starts && !short && !word.chars().all(|it| it.is_ascii_digit())
}

/// Returns the last sentence of a text, on one line, without list markers.
pub(super) fn last(text: &str) -> &str {
    let last = split(text).pop().unwrap_or_default().trim();
    let trimmed = last.trim_start_matches(['-', '*', '>', ' ']);
    let digits = trimmed.trim_start_matches(|it: char| it.is_ascii_digit());
    match digits.strip_prefix(". ") {
        Some(rest) if digits.len() < trimmed.len() => rest,
        _ => trimmed,
    }
}

/// Splits a text into parts of at most `bytes` bytes, between words if possible.
pub(super) fn by_bytes(text: &str, bytes: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while rest.len() > bytes {
        let limit = rest.floor_char_boundary(bytes.max(4));
        let head = rest.get(..limit).unwrap_or(rest);
        // The search backwards is limited, so that the whole is linear.
        let from = head.floor_char_boundary(limit.saturating_sub(limit / 4 + 1));
        let tail = head.get(from..).unwrap_or_default();
        let cut = tail.rfind(' ').map_or(limit, |it| from + it + 1);
        let (part, after) = rest.split_at(cut);
        out.push(part);
        rest = after;
    }
    if !rest.is_empty() {
        out.push(rest);
    }
    out
}
