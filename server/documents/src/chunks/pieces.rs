//! Packs a section's blocks into pieces within the token limit.

use std::borrow::Cow;

use super::{HARD_MAX_TOKENS, MAX_TOKENS, OVERLAP, sentences, whole};
use crate::tokens;

/// A block of a section.
pub(super) struct Unit<'a> {
    pub(super) line: u32,
    pub(super) kind: Kind,
    pub(super) text: Cow<'a, str>,
}

/// How a unit may be split.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// After sentences.
    Prose,
    /// Never, unless it is beyond the hard limit.
    Table,
    /// Likewise; an `example` is also a chunk of its own.
    Fence { example: bool },
}

impl Unit<'_> {
    /// Whether it is also a chunk of its own.
    pub(super) fn is_example(&self) -> bool {
        self.kind == Kind::Fence { example: true }
    }
}

/// A packed piece.
pub(super) struct Piece {
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) tokens: u32,
}

/// Text that is not split while packing.
#[derive(Clone)]
struct Part<'a> {
    line: u32,
    /// The text between it and the part before it.
    glue: &'static str,
    text: Cow<'a, str>,
    tokens: u32,
    prose: bool,
}

/// Packs units in order; every piece except a single table or fence has at most [`MAX_TOKENS`].
pub(super) fn pack(units: &[Unit<'_>]) -> Vec<Piece> {
    let Some(first) = units.first() else {
        return Vec::new();
    };
    let bytes: usize = units.iter().map(|it| it.text.len() + 2).sum();
    // Most sections fit: then one count is enough. A token has fewer than nine bytes on average.
    if bytes < MAX_TOKENS as usize * 9 {
        let texts: Vec<&str> = units.iter().map(|it| &*it.text).collect();
        let text = texts.join("\n\n");
        let tokens = tokens::count(&text);
        if tokens <= MAX_TOKENS {
            let line = first.line;
            return vec![Piece { line, text, tokens }];
        }
    }
    let mut packer = Packer::default();
    for unit in units {
        for part in parts(unit) {
            packer.add(part);
        }
    }
    packer.close();
    packer.pieces
}

/// Returns the parts of a unit: the unit itself unless it is too large.
fn parts<'a>(unit: &'a Unit<'_>) -> Vec<Part<'a>> {
    let prose = unit.kind == Kind::Prose;
    let limit = if prose { MAX_TOKENS } else { HARD_MAX_TOKENS };
    let size = tokens::count(&unit.text);
    let part = |line: u32, text: Cow<'a, str>, tokens: u32| Part {
        line: unit.line.saturating_add(line),
        glue: "\n\n",
        text,
        tokens,
        prose,
    };
    if size <= limit {
        return vec![part(0, Cow::Borrowed(&unit.text), size)];
    }
    let runs = match unit.kind {
        Kind::Prose => return sentence_parts(unit),
        Kind::Table => whole::tables(&unit.text, limit),
        Kind::Fence { .. } => whole::fences(&unit.text, limit),
    };
    runs.into_iter()
        .map(|(line, text)| {
            let tokens = tokens::count(&text);
            part(line, Cow::Owned(text), tokens)
        })
        .collect()
}

fn sentence_parts<'a>(unit: &'a Unit<'_>) -> Vec<Part<'a>> {
    let mut out = Vec::new();
    let mut line = unit.line;
    for sentence in sentences::split(&unit.text) {
        let size = tokens::count(sentence);
        let texts = if size <= MAX_TOKENS {
            vec![sentence]
        } else {
            sentences::by_bytes(sentence, MAX_TOKENS as usize)
        };
        for text in texts {
            out.push(Part {
                line,
                glue: if out.is_empty() { "\n\n" } else { "" },
                text: Cow::Borrowed(text),
                tokens: if size <= MAX_TOKENS {
                    size
                } else {
                    tokens::count(text)
                },
                prose: true,
            });
        }
        line = line.saturating_add(u32::from(sentence.ends_with('\n') && unit.line > 0));
    }
    out
}

#[derive(Default)]
struct Packer<'a> {
    pieces: Vec<Piece>,
    open: Vec<Part<'a>>,
    /// An upper bound of the tokens of the joined open parts.
    size: u32,
    /// How many of the open parts repeat the previous piece.
    repeated: usize,
}

impl<'a> Packer<'a> {
    fn add(&mut self, part: Part<'a>) {
        // Joining adds at most one token for the line break.
        let needed = part.tokens.saturating_add(1);
        if self.size.saturating_add(needed) > MAX_TOKENS && !self.open.is_empty() {
            let overlap = self.overlap();
            self.close();
            let size = overlap.iter().map(|it| it.tokens + 1).sum::<u32>();
            // Nothing is repeated if a part would no longer fit, or before a single table.
            if size.saturating_add(needed) <= MAX_TOKENS {
                self.repeated = overlap.len();
                self.open = overlap;
                self.size = size;
            }
        }
        self.size = self.size.saturating_add(needed);
        self.open.push(part);
    }

    /// Returns the last sentences of the open piece, if they are text and within the limit.
    fn overlap(&self) -> Vec<Part<'a>> {
        let mut out = Vec::new();
        let mut left = OVERLAP;
        for part in self.open.iter().skip(self.repeated).rev() {
            if !part.prose {
                break;
            }
            if part.tokens < left {
                left -= part.tokens + 1;
                out.push(part.clone());
                continue;
            }
            out.extend(last_sentences(part, left));
            break;
        }
        out.reverse();
        out
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        // A piece that only repeats text is dropped.
        if open.len() > self.repeated {
            self.emit(&open);
        }
        self.size = 0;
        self.repeated = 0;
    }

    fn emit(&mut self, parts: &[Part<'a>]) {
        let Some(line) = parts.get(self.repeated).or(parts.first()).map(|it| it.line) else {
            return;
        };
        let mut text = String::new();
        for part in parts {
            if !text.is_empty() {
                text.push_str(part.glue);
            }
            text.push_str(&part.text);
        }
        let text = text.trim_matches('\n').trim_end().to_owned();
        let tokens = tokens::count(&text);
        if tokens > MAX_TOKENS && parts.len() > 1 {
            let (front, back) = parts.split_at(parts.len() / 2);
            self.repeated = 0;
            self.emit(front);
            self.emit(back);
        } else if !text.is_empty() {
            self.pieces.push(Piece { line, text, tokens });
        }
    }
}

/// Returns the sentences at a part's end that have fewer than `limit` tokens in all.
fn last_sentences<'a>(part: &Part<'a>, limit: u32) -> Option<Part<'a>> {
    // Only the end is read: sentences within the limit are shorter than this.
    let from = part.text.len().saturating_sub(limit as usize * 16);
    let from = part.text.ceil_char_boundary(from);
    let tail = part.text.get(from..).unwrap_or_default();
    let mut start = tail.len();
    let mut size = 0;
    for sentence in sentences::split(tail)
        .into_iter()
        .skip(usize::from(from > 0))
        .rev()
    {
        size += tokens::count(sentence);
        if size >= limit {
            break;
        }
        start -= sentence.len();
    }
    let text = tail.get(start..).filter(|it| !it.trim().is_empty())?;
    Some(Part {
        text: Cow::Owned(text.to_owned()),
        tokens: tokens::count(text),
        ..part.clone()
    })
}
