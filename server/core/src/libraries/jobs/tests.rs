//! What people may have read in, whose jobs are whose, and how many there are.

#![allow(clippy::unwrap_used)]

use recall_kit_settings::IngestSources::{All, Off, Urls};
use recall_kit_sources::SentFile;
use tempfile::NamedTempFile;

use super::*;
use crate::libraries::ingest::Left;

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
fn no_setting_opens_the_files_of_the_machine() {
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
            let said = allow(allowed, &typed(source));
            assert!(matches!(said, Err(BeginError::NotOnTheWeb)), "{source}");
        }
    }
    let web = typed("https://example.com/docs.zip");
    assert!(matches!(allow(Off, &web), Err(BeginError::WebOff)));
    assert!(allow(Urls, &web).is_ok() && allow(All, &web).is_ok());
    let sent = SentFile::new("docs.zip", NamedTempFile::new().unwrap());
    assert!(allow(Off, &Input::Sent(sent)).is_ok());
}

#[test]
fn a_job_is_seen_by_who_began_it_and_by_administrators() {
    let jobs = Jobs::default();
    let (zoe, ben, ada) = (
        caller(Scope::Write),
        caller(Scope::Write),
        caller(Scope::Admin),
    );
    let began = job(&jobs, &zoe, "gin");
    assert!(jobs.remember(&began));
    let sees = |who: &Caller| jobs.find(who, began.id).is_some();
    assert_eq!(
        [&zoe, &ben, &ada, &Caller::unknown()].map(sees),
        [true, false, true, false]
    );
}

#[test]
fn a_library_is_read_in_once_at_a_time_and_old_jobs_are_forgotten() {
    let jobs = Jobs::default();
    let zoe = caller(Scope::Write);
    let first = job(&jobs, &zoe, "Gin");
    assert!(jobs.remember(&first));
    assert!(!jobs.remember(&job(&jobs, &zoe, "gin")));
    first.state.send_replace(State::CalledOff);
    for _ in 0..REMEMBERED {
        let next = job(&jobs, &zoe, "gin");
        assert!(jobs.remember(&next));
        next.state.send_replace(State::CalledOff);
    }
    let kept = jobs.of(&zoe);
    assert_eq!(kept.len(), REMEMBERED);
    assert!(kept.iter().all(|job| job.id != first.id));
}

#[test]
fn there_are_as_many_places_as_jobs_may_run() {
    let jobs = Jobs::default();
    let taken: Vec<Place> = (0..AT_ONCE).filter_map(|_| jobs.place()).collect();
    assert_eq!(taken.len(), AT_ONCE);
    assert!(jobs.place().is_none());
    drop(taken);
    assert!(jobs.place().is_some());
}

#[test]
fn of_a_long_report_the_numbers_and_the_first_files_are_kept() {
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
    let kept = Outcome::from(report);
    assert_eq!((kept.left, kept.broken, kept.notes), (1_000, 300, 5));
    assert_eq!((kept.report.left.len(), kept.report.notes.len()), (100, 5));
    let reasons = kept.reasons.iter();
    let reasons: Vec<(&str, usize)> = reasons.map(|(why, count, _)| (&**why, *count)).collect();
    assert_eq!(reasons, [("a picture", 700), ("damaged", 300)]);
}
