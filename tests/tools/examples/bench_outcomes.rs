//! Measures how long a report on an experience takes that has many outcomes.
//!
//! `cargo run --release -p recall-kit-tools --example bench_outcomes`

#![allow(
    clippy::print_stdout,
    missing_docs,
    reason = "a program that prints what it measured"
)]

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};
use recall_kit_store::{
    ExperienceContent, NewExperience, NewOutcome, Report, Store, StoreOptions, StoredOutcome, open,
};
use recall_kit_tools::measure::Times;
use uuid::Uuid;

/// The outcomes that the experience has before.
const OUTCOMES: [u32; 4] = [10, 1_000, 10_000, 100_000];
const REPORTS: u32 = 100;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let url = format!("sqlite:{}", folder.path().join("outcomes.db").display());
    let store = open(&StoreOptions::new(url, Duration::from_secs(30))).await?;
    for outcomes in OUTCOMES {
        measure(store.as_ref(), outcomes).await?;
    }
    store.close().await;
    Ok(())
}

/// Prints how long a report takes: by new voices, and by one voice again and again.
async fn measure(store: &dyn Store, outcomes: u32) -> anyhow::Result<()> {
    let experience = experience(store, outcomes).await?;
    let before: Vec<StoredOutcome> = (0..outcomes)
        .map(|number| StoredOutcome {
            id: Uuid::now_v7(),
            experience,
            at: at(number),
            report: Some(said(format!("key:{number}"))),
        })
        .collect();
    store.import_outcomes(&before, at(outcomes)).await?;
    let mut medians = Vec::new();
    for is_new in [true, false] {
        let mut times = Vec::new();
        for number in 0..REPORTS {
            let number = outcomes + number;
            let voice = if is_new { number } else { number % 3 };
            let new = NewOutcome {
                id: Uuid::now_v7(),
                experience,
                at: at(number),
                report: said(format!("key:{voice}")),
                idempotency_key: None,
                event: None,
            };
            let started = Instant::now();
            store.report_outcome(&new).await?;
            times.push(started.elapsed());
        }
        medians.push(Times::from(times).milliseconds(0.5));
    }
    println!(
        "{outcomes} outcomes: p50 {:.2} ms by a new voice, {:.2} ms by one of three",
        medians[0], medians[1]
    );
    Ok(())
}

async fn experience(store: &dyn Store, outcomes: u32) -> anyhow::Result<Uuid> {
    let new = NewExperience {
        id: Uuid::now_v7(),
        content: ExperienceContent {
            title: format!("Tried {outcomes} times"),
            ..ExperienceContent::default()
        },
        vector: None,
        created_at: at(0),
        idempotency: None,
        author: None,
    };
    Ok(store.insert_experience(new).await?.id)
}

fn said(principal: String) -> Report {
    Report {
        kind: OutcomeKind::Worked,
        principal,
        tier: 1.0,
        evidence: Evidence::Agent,
        recall_id: None,
        note: None,
        environment: None,
    }
}

/// Returns a time; a report is made every minute.
fn at(minute: u32) -> Timestamp {
    Timestamp::UNIX_EPOCH
        .saturating_add(SignedDuration::from_mins(minute.into()))
        .unwrap_or(Timestamp::MAX)
}
