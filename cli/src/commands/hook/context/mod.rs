//! What a hook puts before an agent: a few records between the marks of the fence, within a number of tokens. The
//! solution comes first, then the cause; texts are cut at sentences.

#[cfg(test)]
mod tests;

use recall_kit_client::FormattedExperience;

use super::tokens::estimated;
use crate::fence::{self, BAR};

/// What begins the part of a context about what did not work.
const DID_NOT_WORK: &str = "Did not work:";
/// The most tokens of that part.
const MAX_FAILED_TOKENS: usize = 60;
/// The tokens of the marks and the notice.
const FENCE_TOKENS: usize = 64;
/// The fewest tokens for which a record is worth beginning.
const MIN_RECORD_TOKENS: usize = 40;
/// The most tokens of a title, and in a list of titles.
const MAX_TITLE_TOKENS: usize = 48;
const MAX_LISTED_TOKENS: usize = 20;

/// A text for an agent, and which records it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) text: String,
    /// The number of records from the beginning of those that were given.
    pub(super) shown: usize,
    /// The estimated tokens of the text.
    pub(super) tokens: usize,
}

impl Context {
    fn of(body: &str, shown: usize) -> Option<Self> {
        let text = fence::around(body);
        let tokens = estimated(&text);
        (shown > 0).then_some(Self {
            text,
            shown,
            tokens,
        })
    }
}

/// Formats records within this number of tokens; `None` if not even the first has room. `origin` names the server of
/// records that do not name theirs.
pub(super) fn records(
    records: &[FormattedExperience],
    origin: &str,
    max_tokens: usize,
) -> Option<Context> {
    let mut body = String::new();
    let mut left = max_tokens.saturating_sub(FENCE_TOKENS);
    let mut shown = 0;
    for (at, record) in records.iter().enumerate() {
        // The first record is the most likely one, so it may take the room of two.
        let shares = (records.len() - at + usize::from(at == 0 && records.len() > 1)).max(1);
        let share = match at {
            0 if records.len() > 1 => left * 2 / shares,
            _ => left / shares,
        };
        let Some(text) = self::record(at + 1, record, origin, share) else {
            break;
        };
        left = left.saturating_sub(estimated(&text));
        body.push_str(&text);
        shown += 1;
    }
    Context::of(&body, shown)
}

/// Lists titles within this number of tokens and bytes.
pub(super) fn titles(
    records: &[FormattedExperience],
    origin: &str,
    max_tokens: usize,
    max_bytes: usize,
) -> Option<Context> {
    let mut body = String::new();
    let mut shown = 0;
    for record in records {
        let title = shortened(&fence::line(&record.title), MAX_LISTED_TOKENS);
        let line = format!("- {} {BAR}{title}\n", label(record, origin));
        let longer = format!("{body}{line}");
        let is_too_long = fence::around(&longer).len() >= max_bytes
            || estimated(&longer) + FENCE_TOKENS > max_tokens;
        if is_too_long {
            break;
        }
        body = longer;
        shown += 1;
    }
    Context::of(&body, shown)
}

fn record(
    number: usize,
    record: &FormattedExperience,
    origin: &str,
    max_tokens: usize,
) -> Option<String> {
    if max_tokens < MIN_RECORD_TOKENS {
        return None;
    }
    let title = shortened(&fence::line(&record.title), MAX_TITLE_TOKENS);
    let mut text = format!("{number}. {} {BAR}{title}\n", label(record, origin));
    let failed = record.context.as_deref().and_then(what_failed);
    let failed = failed.map(|failed| cut(&failed, MAX_FAILED_TOKENS.min(max_tokens / 4)));
    let failed = failed.filter(|failed| !failed.is_empty());
    let kept = failed.as_ref().map_or(0, |failed| estimated(failed) + 8);
    let parts = [
        ("Solution", Some(&record.solution)),
        ("Cause", record.root_cause.as_ref()),
        ("Code", record.code.as_ref()),
    ];
    let mut is_solved = false;
    for (name, part) in parts {
        let left = max_tokens.saturating_sub(estimated(&text) + kept + 6);
        let part = part.map(|part| cut(&fence::lines(part), left));
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            text.push_str(&format!("{name}: {BAR}{part}\n"));
            is_solved |= name == "Solution";
        }
    }
    if let Some(failed) = failed {
        text.push_str(&format!("{DID_NOT_WORK} {BAR}{failed}\n"));
    }
    is_solved.then_some(text)
}

/// Returns age, origin, standing and how it fits the environment, as far as they are known.
fn label(record: &FormattedExperience, origin: &str) -> String {
    let origin = record.origin.as_deref().unwrap_or(origin);
    let mut label = match fence::age(&record.created_at) {
        Some(age) => format!("{age}, from {}", fence::line(origin)),
        None => format!("from {}", fence::line(origin)),
    };
    if let Some(standing) = &record.standing {
        label.push_str(&format!("; {}", fence::line(standing)));
    }
    if let Some(fits) = &record.fits {
        label.push_str(&format!("; {}", fence::line(fits)));
    }
    label
}

/// Returns what did not work, as a record's context says it.
pub(super) fn what_failed(context: &str) -> Option<String> {
    let (_, failed) = context.split_once(DID_NOT_WORK)?;
    let end = failed.find("\n\n").unwrap_or(failed.len());
    let failed = fence::line(failed.get(..end)?);
    (!failed.is_empty()).then_some(failed)
}

/// Returns the beginning of a text up to this number of tokens.
fn shortened(text: &str, max_tokens: usize) -> String {
    if estimated(text) <= max_tokens {
        return text.to_owned();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fits = |end: &usize| {
        let beginning = text.get(..*end).unwrap_or_default();
        estimated(beginning) < max_tokens
    };
    let count = ends.partition_point(fits);
    let end = count.checked_sub(1).and_then(|last| ends.get(last));
    let beginning = text
        .get(..end.copied().unwrap_or_default())
        .unwrap_or_default();
    format!("{}…", beginning.trim_end())
}

/// Returns as many whole sentences from the beginning of a text as fit into this number of tokens. If not even the
/// first one fits, returns its first words.
fn cut(text: &str, max_tokens: usize) -> String {
    let text = text.trim();
    if estimated(text) <= max_tokens {
        return text.to_owned();
    }
    let mut kept = "";
    for end in sentence_ends(text) {
        let longer = text.get(..end).unwrap_or_default();
        if estimated(longer) + 1 > max_tokens {
            break;
        }
        kept = longer;
    }
    if kept.trim().is_empty() {
        let words = text.char_indices().filter(|(_, c)| c.is_whitespace());
        let ends = words.map(|(at, _)| at);
        let fitting = ends.take_while(|at| {
            let longer = text.get(..*at).unwrap_or_default();
            estimated(longer) + 2 <= max_tokens
        });
        kept = fitting
            .last()
            .and_then(|at| text.get(..at))
            .unwrap_or_default();
    }
    match kept.trim().is_empty() {
        true => String::new(),
        false => format!("{} …", kept.trim_end()),
    }
}

/// Returns the positions after each sentence and each line.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = match c {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' | '\n' => true,
            _ => false,
        };
        if is_end {
            ends.push(end);
        }
    }
    ends
}
