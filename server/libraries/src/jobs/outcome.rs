//! The result of a job, with a shortened report: for a source with very many files the report is long.

use crate::ingest::{Left, Report};

/// The most files of each list, and the most reasons, that are kept.
const MAX_LISTED: usize = 100;

/// The result of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The report with shortened lists; of the skipped files only broken ones are kept.
    pub report: Report,
    /// The number of skipped files.
    pub left: usize,
    /// Of these, files that should have been read but could not be.
    pub broken: usize,
    /// The number of files with a remark.
    pub notes: usize,
    /// The reasons why files were skipped, each with the number of files and one path; the most frequent
    /// first.
    pub reasons: Vec<(String, usize, String)>,
}

impl From<Report> for Outcome {
    fn from(mut report: Report) -> Self {
        let reasons = report.reasons().into_iter().take(MAX_LISTED);
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
    files.truncate(MAX_LISTED);
    files.shrink_to_fit();
}
