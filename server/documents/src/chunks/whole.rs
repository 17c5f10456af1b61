//! Splits tables and examples that are too large even alone, between their lines.

use super::sentences;
use crate::tokens;

/// Splits lines into runs of at most `limit` tokens; a line that is longer is split between its words.
///
/// Returns each run with the index of its first line, from 0.
pub(super) fn runs(text: &str, limit: u32) -> Vec<(u32, String)> {
    let mut out: Vec<(u32, String)> = Vec::new();
    let mut size = u32::MAX;
    for (number, line) in (0..).zip(text.split_inclusive('\n')) {
        for part in parts(line, limit) {
            // A line break may be an additional token when lines are joined.
            let tokens = tokens::count(part).saturating_add(1);
            let fits = size.saturating_add(tokens) <= limit;
            match out.last_mut() {
                Some((_, run)) if fits => {
                    run.push_str(part);
                    size += tokens;
                }
                _ => {
                    out.push((number, part.to_owned()));
                    size = tokens;
                }
            }
        }
    }
    out
}

fn parts(line: &str, limit: u32) -> Vec<&str> {
    // A token has at least one byte.
    if tokens::fits(line, limit.saturating_sub(1)) {
        return vec![line];
    }
    sentences::by_bytes(line, limit.saturating_sub(1) as usize)
}

/// Splits a Markdown table and repeats its header rows.
pub(super) fn tables(table: &str, limit: u32) -> Vec<(u32, String)> {
    let header_end = table
        .match_indices('\n')
        .nth(1)
        .map_or(table.len(), |(at, _)| at + 1);
    let (header, rows) = table.split_at(header_end);
    let taken = tokens::count(header);
    // A header that is too large is treated as a row.
    if taken >= limit / 2 {
        return runs(table, limit);
    }
    let pieces = runs(rows, limit - taken);
    let with_header = pieces.into_iter().map(|(line, rows)| {
        let text = format!("{header}{}", rows.trim_end());
        (line + 2, text)
    });
    with_header.collect()
}

/// Splits a fenced example and repeats its fence.
pub(super) fn fences(fenced: &str, limit: u32) -> Vec<(u32, String)> {
    let (opening, rest) = fenced.split_once('\n').unwrap_or((fenced, ""));
    let (body, closing) = rest.rsplit_once('\n').unwrap_or((rest, ""));
    let taken = tokens::count(opening) + tokens::count(closing) + 4;
    runs(body, limit.saturating_sub(taken).max(limit / 2))
        .into_iter()
        .map(|(line, body)| {
            let text = format!("{opening}\n{}\n{closing}", body.trim_end_matches('\n'));
            (line + 1, text)
        })
        .collect()
}
