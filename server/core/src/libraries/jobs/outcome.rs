//! What came of a job, as much of it as is worth keeping: of a source with very many files the report
//! is long.

use crate::libraries::ingest::{Left, Report};

/// Files that are named one by one, and reasons.
const NAMED: usize = 100;

/// What came of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The report, of whose lists the first are kept; of what was passed over only what is broken.
    pub report: Report,
    /// Files that were passed over.
    pub left: usize,
    /// Of these, files that should have been read and could not be.
    pub broken: usize,
    /// Files of which something had to be assumed.
    pub notes: usize,
    /// Why files were passed over, how many, and one of them; the commonest reason first.
    pub reasons: Vec<(String, usize, String)>,
}

impl From<Report> for Outcome {
    fn from(mut report: Report) -> Self {
        let reasons = report.reasons().into_iter().take(NAMED);
        let reasons = reasons.map(|(why, count, path)| (why.to_owned(), count, path.to_owned()));
        let (reasons, left, notes) = (reasons.collect(), report.left.len(), report.notes.len());
        report.left.retain(|left| left.broken);
        let broken = report.left.len();
        shorten(&mut report.left);
        shorten(&mut report.notes);
        Self {
            report,
            left,
            broken,
            notes,
            reasons,
        }
    }
}

fn shorten(files: &mut Vec<Left>) {
    files.truncate(NAMED);
    files.shrink_to_fit();
}
