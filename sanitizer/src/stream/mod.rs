//! Sanitizes texts of any size with bounded memory, part by part.
//!
//! What is promised: the result does not depend on the pieces in which a text arrives. A text no
//! longer than [`PART`] comes out as from [`crate::sanitize`]. A longer one is cut between paragraphs
//! or lines, outside key blocks; each part comes out as if it stood alone, except that what earlier
//! parts gave away goes too. What only a later part gives away cannot be taken back from what has
//! been handed out. What cannot be judged is reported, never passed over.

mod segment;

use std::io::{self, Read, Write};
use std::ops::Range;

use crate::redact::propagate::Memory;
use crate::{Finding, RuleGroup, Sanitizer, redact};
use segment::Cut;

/// The size of a part, in bytes.
pub const PART: usize = 4 << 20;

/// What a file in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A text being sanitized piece by piece; [`Sanitizer::stream`] begins one.
#[derive(Debug)]
pub struct Stream<'s> {
    sanitizer: &'s Sanitizer,
    groups: Vec<RuleGroup>,
    part: usize,
    /// Not judged yet.
    pending: Vec<u8>,
    /// How many bytes stood before `pending`.
    passed: usize,
    memory: Memory<'s>,
}

/// What has become of the text since the last piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Streamed {
    /// The next part of the result.
    pub text: String,
    /// What was replaced in it; spans are bytes of the whole input.
    pub findings: Vec<Finding>,
    /// What could not be judged in it.
    pub unjudged: Vec<Unjudged>,
}

/// A place where something may have been missed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unjudged {
    /// Bytes of the whole input.
    pub span: Range<usize>,
    /// Why it could not be judged.
    pub reason: Reason,
}

/// Why something could not be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The bytes are not UTF-8; U+FFFD stands in their place.
    #[error("not UTF-8")]
    NotUtf8,
    /// A line is longer than a part and was cut inside; a secret across the cut may remain.
    #[error("the line is too long to be judged at once")]
    LongLine,
    /// Variables of a text longer than a part keep their names: numbers would not be consistent.
    #[error("the text is too long for variables to be renamed consistently")]
    Variables,
    /// There were more secrets than can be followed; copies of later ones may remain.
    #[error("too many secrets to look for all of them in the rest")]
    TooManySecrets,
}

/// What a reader's text held.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct StreamReport {
    /// Counts of findings by kind, as [`crate::summary`] gives them.
    pub kinds: Vec<(String, usize)>,
    /// What could not be judged.
    pub unjudged: Vec<Unjudged>,
}

impl StreamReport {
    /// Whether nothing was found and everything could be judged.
    pub fn is_clean(&self) -> bool {
        self.kinds.is_empty() && self.unjudged.is_empty()
    }
}

impl<'s> Stream<'s> {
    pub(crate) fn new(sanitizer: &'s Sanitizer, groups: &[RuleGroup], part: usize) -> Self {
        Self {
            sanitizer,
            groups: groups.to_vec(),
            part,
            pending: Vec::new(),
            passed: 0,
            memory: Memory::keeping(),
        }
    }

    /// Takes the next piece, cut anywhere; returns what is ready.
    pub fn push(&mut self, mut piece: &[u8]) -> Streamed {
        let mut done = Streamed::default();
        loop {
            // More than a part is needed to know that the text goes on.
            let room = (self.part + 1).saturating_sub(self.pending.len());
            let (taken, rest) = piece.split_at(room.min(piece.len()));
            self.pending.extend_from_slice(taken);
            piece = rest;
            if self.pending.len() <= self.part {
                return done;
            }
            self.cut(&mut done);
        }
    }

    /// Ends the text; returns the rest of the result.
    pub fn finish(mut self) -> Streamed {
        let mut done = Streamed::default();
        let rest = std::mem::take(&mut self.pending);
        self.judge(&rest, &mut done);
        done
    }

    /// Judges as much of a full part as may be cut off.
    fn cut(&mut self, done: &mut Streamed) {
        let part = self.pending.get(..self.part).unwrap_or_default();
        let (end, inside) = match segment::cut(part) {
            Cut::Line(end) => (end, false),
            Cut::Inside(end) => (end, true),
        };
        let rest = self.pending.split_off(end);
        let part = std::mem::replace(&mut self.pending, rest);
        let groups = self.groups.len();
        self.groups
            .retain(|group| *group != RuleGroup::AnonymizeVariables);
        if self.groups.len() < groups {
            done.report(self.passed..self.passed + part.len(), Reason::Variables);
        }
        self.judge(&part, done);
        if inside {
            done.report(self.passed..self.passed, Reason::LongLine);
        }
    }

    fn judge(&mut self, part: &[u8], done: &mut Streamed) {
        let part = match part.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.passed == 0 => {
                // It says how the rest is encoded and is no part of the text.
                done.text.push('\u{feff}');
                self.passed += BYTE_ORDER_MARK.len();
                rest
            }
            _ => part,
        };
        let read = Decoded::new(part, self.passed);
        let full = self.memory.full;
        let clean = redact::sanitize_more(
            self.sanitizer,
            &[&read.text],
            &self.groups,
            &mut self.memory,
        );
        self.memory.settle();
        for clean in clean {
            done.text.push_str(&clean.text);
            done.findings
                .extend(clean.findings.into_iter().map(|mut finding| {
                    finding.span =
                        read.in_input(finding.span.start)..read.in_input(finding.span.end);
                    finding
                }));
        }
        self.passed += part.len();
        for span in read.invalid {
            done.report(span, Reason::NotUtf8);
        }
        if self.memory.full && !full {
            done.report(self.passed..self.passed, Reason::TooManySecrets);
        }
    }
}

impl Streamed {
    fn report(&mut self, span: Range<usize>, reason: Reason) {
        self.unjudged.push(Unjudged { span, reason });
    }
}

/// Bytes as text, and where each stood.
struct Decoded {
    text: String,
    /// Where the bytes begin in the input.
    start: usize,
    /// What is not UTF-8, in bytes of the input.
    invalid: Vec<Range<usize>>,
    /// For each of those where it ends in `text`.
    ends: Vec<usize>,
}

impl Decoded {
    fn new(bytes: &[u8], start: usize) -> Self {
        let mut decoded = Self {
            text: String::with_capacity(bytes.len()),
            start,
            invalid: Vec::new(),
            ends: Vec::new(),
        };
        let mut at = start;
        for chunk in bytes.utf8_chunks() {
            decoded.text.push_str(chunk.valid());
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                decoded.text.push(char::REPLACEMENT_CHARACTER);
                decoded.invalid.push(at..at + chunk.invalid().len());
                decoded.ends.push(decoded.text.len());
                at += chunk.invalid().len();
            }
        }
        decoded
    }

    /// Maps a place in the text to the input.
    fn in_input(&self, at: usize) -> usize {
        let passed = self.ends.partition_point(|end| *end <= at);
        let last = passed.checked_sub(1);
        match last.and_then(|last| Some((self.invalid.get(last)?, self.ends.get(last)?))) {
            Some((invalid, end)) => invalid.end + (at - end),
            None => self.start + at,
        }
    }
}

impl Sanitizer {
    /// Begins a text that arrives in pieces.
    ///
    /// ```
    /// use recall_kit_sanitizer::{RuleGroup, Sanitizer};
    ///
    /// let mut stream = Sanitizer::builtin().stream(&RuleGroup::REMOVAL);
    /// let mut text = stream.push(b"DB_PASSWORD=hun").text;
    /// text += &stream.push(b"ter-86-x\n").text;
    /// text += &stream.finish().text;
    /// assert_eq!(text, "DB_PASSWORD=YOUR_PASSWORD\n");
    /// ```
    pub fn stream(&self, groups: &[RuleGroup]) -> Stream<'_> {
        Stream::new(self, groups, PART)
    }

    /// Sanitizes what a reader gives into a writer, with bounded memory; see [`Stream`].
    ///
    /// *Errors*: those of the reader and the writer.
    pub fn sanitize_reader(
        &self,
        mut reader: impl Read,
        mut writer: impl Write,
        groups: &[RuleGroup],
    ) -> io::Result<StreamReport> {
        let mut tally = Tally::default();
        let mut stream = self.stream(groups);
        let mut room = vec![0; PART / 16];
        loop {
            let read = match reader.read(&mut room) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let done = stream.push(room.get(..read).unwrap_or_default());
            writer.write_all(done.text.as_bytes())?;
            tally.add(done);
        }
        let done = stream.finish();
        writer.write_all(done.text.as_bytes())?;
        tally.add(done);
        writer.flush()?;
        Ok(tally.report())
    }

    /// Tells what a reader's text holds, without rewriting it. What cannot be judged is not clean.
    ///
    /// *Errors*: those of the reader.
    pub fn check_reader(
        &self,
        reader: impl Read,
        groups: &[RuleGroup],
    ) -> io::Result<StreamReport> {
        self.sanitize_reader(reader, io::sink(), groups)
    }
}

/// Counts without keeping every finding.
#[derive(Default)]
struct Tally {
    kinds: std::collections::BTreeMap<String, usize>,
    unjudged: Vec<Unjudged>,
}

impl Tally {
    fn add(&mut self, done: Streamed) {
        for finding in done.findings {
            *self.kinds.entry(finding.kind).or_default() += 1;
        }
        self.unjudged.extend(done.unjudged);
    }

    fn report(self) -> StreamReport {
        let mut kinds: Vec<_> = self.kinds.into_iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let unjudged = self.unjudged;
        StreamReport { kinds, unjudged }
    }
}
