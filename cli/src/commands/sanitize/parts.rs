//! Sanitizes an input of any size, part by part.

use std::{
    collections::BTreeMap,
    io::{self, Read},
};

use recall_kit_sanitizer::{Finding, Reason, Stream, Streamed, Unjudged};

use super::Rules;

/// The size of a read. *Unit*: bytes.
const CHUNK: usize = 1 << 17;

/// An input that is being sanitized.
pub(super) struct Parts<'a, R> {
    input: R,
    /// `None` once the input has ended.
    stream: Option<Stream<'a>>,
    buffer: Vec<u8>,
}

impl<'a, R: Read> Parts<'a, R> {
    pub(super) fn of(input: R, rules: &Rules<'a>) -> Self {
        Self {
            input,
            stream: Some(rules.sanitizer.stream(rules.groups)),
            buffer: vec![0; CHUNK],
        }
    }

    /// Returns the next bytes of the input and the text that was sanitized meanwhile, which may be that of earlier
    /// bytes; `None` after the end.
    pub(super) fn next(&mut self) -> io::Result<Option<(&[u8], Streamed)>> {
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        let read = loop {
            match self.input.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let bytes = self.buffer.get(..read).unwrap_or_default();
        if !bytes.is_empty() {
            return Ok(Some((bytes, stream.push(bytes))));
        }
        let last = self.stream.take().map(Stream::finish);
        Ok(last.map(|last| (bytes, last)))
    }
}

/// Counts of what was found and of what could not be checked.
#[derive(Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<String, usize>,
    unjudged: Vec<(Reason, usize)>,
}

impl Tally {
    pub(super) fn add(&mut self, findings: &[Finding], unjudged: &[Unjudged]) {
        for finding in findings {
            // Most findings are of a kind that was found before.
            match self.kinds.get_mut(&finding.kind) {
                Some(count) => *count += 1,
                None => drop(self.kinds.insert(finding.kind.clone(), 1)),
            }
        }
        for Unjudged { reason, .. } in unjudged {
            match self.unjudged.iter_mut().find(|(it, _)| it == reason) {
                Some((_, count)) => *count += 1,
                None => self.unjudged.push((*reason, 1)),
            }
        }
    }

    pub(super) fn has_findings(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Returns the reasons why something could not be checked, with their numbers.
    pub(super) fn unjudged(&self) -> &[(Reason, usize)] {
        &self.unjudged
    }

    /// Returns the number of findings by kind, the most frequent first.
    pub(super) fn counts(&self) -> Vec<(String, usize)> {
        let counts = self.kinds.iter();
        let mut counts: Vec<_> = counts.map(|(kind, count)| (kind.clone(), *count)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }
}
