//! Queries and submissions with 10,000 records, with and without the model.
//!
//! Criterion reports medians; the percentiles of single calls are printed after each benchmark.

use std::{sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use recall_kit_core::{
    access::Caller,
    app::App,
    experiences::{self, Query, Submission},
};
use recall_kit_settings::EmbeddingProvider;
use recall_kit_tools::{
    application,
    percentiles::measure,
    records::{self, Sequence},
};

const RECORDS: usize = 10_000;

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

async fn submit(app: &Arc<App>, sequence: &mut Sequence) {
    let submission = Submission {
        content: records::content(sequence),
        idempotency_key: None,
        notes: Vec::new(),
    };
    experiences::submit(&app.experiences, &Caller::local(), submission)
        .await
        .expect("the record is stored");
}

fn benchmark(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    for (name, provider) in [
        ("lexical", EmbeddingProvider::Off),
        ("with the model", EmbeddingProvider::Builtin),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let app = runtime.block_on(application::app(folder.path(), provider, RECORDS));
        let mut group = criterion.benchmark_group(format!("10,000 records, {name}"));
        group
            .sample_size(20)
            .measurement_time(Duration::from_secs(8));
        let mut sequence = Sequence(7);
        measure(&mut group, &runtime, "query", async || {
            query(&app, &mut sequence).await
        });
        let mut sequence = Sequence(11);
        measure(&mut group, &runtime, "submit", async || {
            submit(&app, &mut sequence).await
        });
        group.finish();
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
