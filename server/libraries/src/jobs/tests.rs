//! Allowed sources, the visibility of jobs, and their limits.

#![allow(clippy::unwrap_used)]

use recall_kit_settings::IngestSources::{All, Off, Urls};
use recall_kit_sources::SentFile;
use tempfile::NamedTempFile;

use super::*;
use crate::ingest::Left;

fn typed(address: &str) -> Input {
    Input::Typed(address.to_owned())
}

fn caller(scope: Scope) -> Caller {
    Caller {
        user: Some(Uuid::new_v4()),
        scope,
        ..Caller::unknown()
    }
}

fn job(jobs: &Jobs, by: &Caller, library: &str) -> Arc<Job> {
    let request = request(NewJob {
        library: library.to_owned(),
        description: None,
        version: None,
        at: None,
        is_default: false,
        source: typed("https://example.com/docs.zip"),
    });
    Arc::new(Job::new(by, &request, (jobs, Timestamp::UNIX_EPOCH)))
}

#[test]
fn no_setting_allows_reading_files_of_the_machine() {
    let local = [
        "/etc/passwd",
        "docs",
        "file:///etc/passwd",
        "upload:x",
        "git@host:x",
        "",
    ];
    for source in local {
        for allowed in [Off, Urls, All] {
            let result = allow(allowed, &typed(source));
            assert!(matches!(result, Err(BeginError::NotOnTheWeb)), "{source}");
        }
    }
    let web = typed("https://example.com/docs.zip");
    assert!(matches!(allow(Off, &web), Err(BeginError::WebOff)));
    assert!(allow(Urls, &web).is_ok() && allow(All, &web).is_ok());
    let sent = SentFile::new("docs.zip", NamedTempFile::new().unwrap());
    assert!(allow(Off, &Input::Sent(sent)).is_ok());
}

#[test]
fn a_job_is_visible_to_its_caller_and_to_administrators() {
    let jobs = Jobs::default();
    let (zoe, ben, ada) = (
        caller(Scope::Write),
        caller(Scope::Write),
        caller(Scope::Admin),
    );
    let started = job(&jobs, &zoe, "gin");
    assert!(jobs.add(&started));
    let sees = |who: &Caller| jobs.find(who, started.id).is_some();
    assert_eq!(
        [&zoe, &ben, &ada, &Caller::unknown()].map(sees),
        [true, false, true, false]
    );
}

#[test]
fn a_library_has_one_running_job_and_old_jobs_are_dropped() {
    let jobs = Jobs::default();
    let zoe = caller(Scope::Write);
    let first = job(&jobs, &zoe, "Gin");
    assert!(jobs.add(&first));
    assert!(!jobs.add(&job(&jobs, &zoe, "gin")));
    first.state.send_replace(State::CalledOff);
    for _ in 0..MAX_KNOWN {
        let next = job(&jobs, &zoe, "gin");
        assert!(jobs.add(&next));
        next.state.send_replace(State::CalledOff);
    }
    let known = jobs.of(&zoe);
    assert_eq!(known.len(), MAX_KNOWN);
    assert!(known.iter().all(|job| job.id != first.id));
}

#[test]
fn the_number_of_permits_limits_running_jobs() {
    let jobs = Jobs::default();
    let taken: Vec<Place> = (0..AT_ONCE).filter_map(|_| jobs.place()).collect();
    assert_eq!(taken.len(), AT_ONCE);
    assert!(jobs.place().is_none());
    drop(taken);
    assert!(jobs.place().is_some());
}

#[test]
fn a_long_report_is_shortened_to_counts_and_the_first_files() {
    let left = |number: u32| Left {
        path: format!("{number}.md"),
        reason: if number < 300 { "damaged" } else { "a picture" }.to_owned(),
        broken: number < 300,
    };
    let report = Report {
        left: (0..1_000).map(left).collect(),
        notes: (0..5).map(left).collect(),
        ..Report::default()
    };
    let outcome = Outcome::from(report);
    assert_eq!(
        (outcome.left, outcome.broken, outcome.notes),
        (1_000, 300, 5)
    );
    assert_eq!(
        (outcome.report.left.len(), outcome.report.notes.len()),
        (100, 5)
    );
    let reasons = outcome.reasons.iter();
    let reasons: Vec<(&str, usize)> = reasons.map(|(why, count, _)| (&**why, *count)).collect();
    assert_eq!(reasons, [("a picture", 700), ("damaged", 300)]);
}
