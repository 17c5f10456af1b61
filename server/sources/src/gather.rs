//! Handles the files that a source finds: skips them with a reason, or passes them to the visitor, within the
//! limits.

use std::{
    collections::HashSet,
    io::{self, Read},
    ops::ControlFlow,
};

use super::{Limits, SkipReason, Skipped, SourceError, SourceFile, Walked, skip};

/// The longest path of a file, in bytes.
const MAX_PATH: usize = 1_024;

/// The state of one walk.
pub(super) struct Gather<'a> {
    pub(super) limits: &'a Limits,
    visit: Visit<'a>,
    walked: Walked,
    entries: usize,
    /// Paths of archive entries so far, to detect duplicates.
    seen: HashSet<String>,
    /// Folders that were already reported as skipped.
    folders: HashSet<String>,
}

/// What is done with the files.
enum Visit<'a> {
    /// They are read and passed to the visitor.
    Files(&'a mut dyn FnMut(SourceFile) -> ControlFlow<()>),
    /// They are only counted, without reading them.
    Nothing,
}

impl<'a> Gather<'a> {
    pub(super) fn new(
        limits: &'a Limits,
        visit: &'a mut dyn FnMut(SourceFile) -> ControlFlow<()>,
    ) -> Self {
        Self::with(limits, Visit::Files(visit))
    }

    /// Creates a walk that only counts files.
    pub(super) fn counting(limits: &'a Limits) -> Self {
        Self::with(limits, Visit::Nothing)
    }

    fn with(limits: &'a Limits, visit: Visit<'a>) -> Self {
        Self {
            limits,
            visit,
            walked: Walked::default(),
            entries: 0,
            seen: HashSet::new(),
            folders: HashSet::new(),
        }
    }

    pub(super) fn finish(self) -> Walked {
        self.walked
    }

    /// Counts a file or folder.
    ///
    /// *Errors*: there are too many.
    pub(super) fn count(&mut self) -> Result<(), SourceError> {
        self.entries += 1;
        within(self.entries, self.limits.entries, "files and folders")
    }

    pub(super) fn skip(&mut self, path: impl Into<String>, reason: SkipReason) {
        let path = skip::printable(&path.into());
        self.walked.skipped.push(Skipped { path, reason });
    }

    /// Whether a file of an archive is to be read, by its path and its declared size; a skipped folder is
    /// reported once.
    pub(super) fn wants(&mut self, path: &str, size: u64) -> bool {
        if let Some((folder, reason)) = skip::folders_of(path) {
            if self.folders.insert(folder.to_owned()) {
                self.skip(format!("{folder}/"), reason);
            }
            return false;
        }
        if path.split('/').count() > self.limits.depth {
            self.skip(path, SkipReason::TooDeep);
            return false;
        }
        if !self.seen.insert(path.to_owned()) {
            self.skip(path, SkipReason::Twice);
            return false;
        }
        self.wants_file(path, size)
    }

    /// Like [`Self::wants`], for a file whose folders are already checked.
    pub(super) fn wants_file(&mut self, path: &str, size: u64) -> bool {
        let reason = match skip::file(path) {
            Some(reason) => reason,
            None if path.len() > MAX_PATH => SkipReason::Name("is too long"),
            None if size > self.limits.file_bytes => self.too_large(),
            None => return true,
        };
        self.skip(path, reason);
        false
    }

    /// Reads a file up to the limit and passes it to the visitor, unless it is skipped because of its contents.
    /// A counting walk only counts it.
    ///
    /// *Errors*: errors of the reader as `Err`; errors that end the walk as `Ok(Err)`.
    pub(super) fn read(
        &mut self,
        path: &str,
        reader: &mut dyn Read,
    ) -> io::Result<Result<ControlFlow<()>, SourceError>> {
        if matches!(self.visit, Visit::Nothing) {
            self.walked.files += 1;
            return Ok(Ok(ControlFlow::Continue(())));
        }
        let mut bytes = Vec::new();
        let limit = self.limits.file_bytes;
        reader
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        Ok(self.deliver(path, bytes))
    }

    /// Passes a file to the visitor, unless it is skipped because of its contents.
    ///
    /// *Errors*: there are too many files or bytes.
    pub(super) fn deliver(
        &mut self,
        path: &str,
        bytes: Vec<u8>,
    ) -> Result<ControlFlow<()>, SourceError> {
        if bytes.len() as u64 > self.limits.file_bytes {
            let reason = self.too_large();
            self.skip(path, reason);
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(reason) = skip::content(path, &bytes) {
            self.skip(path, reason);
            return Ok(ControlFlow::Continue(()));
        }
        self.walked.files += 1;
        self.walked.bytes += bytes.len() as u64;
        within(self.walked.files, self.limits.files, "files")?;
        if self.walked.bytes > self.limits.total_bytes {
            return Err(SourceError::TooMuch {
                what: "bytes of documentation",
                limit: self.limits.total_bytes,
            });
        }
        let Visit::Files(visit) = &mut self.visit else {
            return Ok(ControlFlow::Continue(()));
        };
        let path = path.to_owned();
        let flow = visit(SourceFile { path, bytes });
        self.walked.stopped = flow.is_break();
        Ok(flow)
    }

    fn too_large(&self) -> SkipReason {
        SkipReason::TooLarge {
            limit: self.limits.file_bytes,
        }
    }
}

fn within(count: usize, limit: usize, what: &'static str) -> Result<(), SourceError> {
    if count <= limit {
        return Ok(());
    }
    let limit = limit as u64;
    Err(SourceError::TooMuch { what, limit })
}
