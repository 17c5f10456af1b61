//! Queries over 10,000 experiences, without outcomes and with a million.

use std::{sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use recall_kit_core::{
    app::App,
    experiences::{self, Query},
};
use recall_kit_settings::EmbeddingProvider;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};
use recall_kit_store::{Report, StoredOutcome};
use recall_kit_tools::{application, percentiles::measure, records::Sequence};
use uuid::Uuid;

const RECORDS: usize = 10_000;
/// Outcomes of each experience.
const OUTCOMES: usize = 100;
/// Principals that report outcomes.
const PRINCIPALS: u64 = 500;
/// Experiences whose outcomes are stored at once.
const BATCH: u32 = 50;

async fn query(app: &Arc<App>, sequence: &mut Sequence) {
    let query = Query {
        keywords: sequence.words(5),
        limit: 10,
        offset: 0,
        ..Query::default()
    };
    experiences::query(&app.experiences, query)
        .await
        .expect("the query is answered");
}

fn outcome(experience: Uuid, sequence: &mut Sequence) -> StoredOutcome {
    let kind = match sequence.draw() % 3 {
        0 => OutcomeKind::DidNotWork,
        1 => OutcomeKind::WorkedWithChanges,
        _ => OutcomeKind::Worked,
    };
    StoredOutcome {
        id: Uuid::now_v7(),
        experience,
        at: Timestamp::now(),
        report: Some(Report {
            kind,
            principal: format!("key:{}", sequence.draw() % PRINCIPALS),
            tier: 1.0,
            evidence: Evidence::Agent,
            recall_id: None,
            note: None,
            environment: None,
        }),
    }
}

async fn report_a_million(app: &Arc<App>) {
    let mut sequence = Sequence(5);
    let mut after = 0;
    loop {
        let batch = app
            .store
            .experiences_after(after, BATCH)
            .await
            .expect("the database answers");
        let Some(last) = batch.last() else { break };
        after = last.row.seq;
        let outcomes: Vec<StoredOutcome> = batch
            .iter()
            .flat_map(|stored| std::iter::repeat_n(stored.row.id, OUTCOMES))
            .map(|id| outcome(id, &mut sequence))
            .collect();
        app.store
            .import_outcomes(&outcomes, Timestamp::now())
            .await
            .expect("the outcomes are stored");
    }
}

fn benchmark(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let provider = EmbeddingProvider::Builtin;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let without = runtime.block_on(application::app(folder.path(), provider, RECORDS));
    let other = tempfile::tempdir().expect("a temporary folder");
    let filled = runtime.block_on(application::app(other.path(), provider, RECORDS));
    runtime.block_on(report_a_million(&filled));
    drop(filled);
    // An application reads the standings when it opens.
    let with = runtime.block_on(application::app(other.path(), provider, 0));
    let mut group = criterion.benchmark_group("10,000 experiences");
    group
        .sample_size(30)
        .measurement_time(Duration::from_secs(8));
    for (name, app) in [
        ("without outcomes", &without),
        ("with 1,000,000 outcomes", &with),
    ] {
        let mut sequence = Sequence(7);
        measure(&mut group, &runtime, name, async || {
            query(app, &mut sequence).await
        });
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
