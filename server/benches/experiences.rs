//! Query and submit at 10,000 records, with and without the model.
//!
//! Criterion gives medians; the percentiles of single calls are printed after each benchmark.

mod setup;

use std::{
    cell::RefCell,
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use recall_kit_server::{
    app::App,
    service::experiences::{self, Query, Submission},
    settings::EmbeddingProvider,
};
use setup::Sequence;

const RECORDS: usize = 10_000;

/// Runs one call per iteration, tells criterion the sum and prints the percentiles of all.
fn measure<F>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &tokio::runtime::Runtime,
    name: &str,
    mut call: F,
) where
    F: AsyncFnMut(),
{
    let all = RefCell::new(Vec::new());
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut sum = Duration::ZERO;
            for _ in 0..iterations {
                let started = Instant::now();
                runtime.block_on(call());
                let took = started.elapsed();
                all.borrow_mut().push(took);
                sum += took;
            }
            sum
        });
    });
    let mut all = all.into_inner();
    all.sort_unstable();
    let at = |share: f64| {
        all.get(((all.len() as f64 - 1.0) * share) as usize)
            .copied()
            .unwrap_or_default()
    };
    #[expect(clippy::print_stdout, reason = "the benchmark's answer")]
    {
        println!(
            "    {name}: p50 {:.2?}  p95 {:.2?}  p99 {:.2?}  of {} calls",
            at(0.5),
            at(0.95),
            at(0.99),
            all.len()
        );
    }
}

async fn query(app: &Arc<App>, sequence: &mut Sequence) {
    let query = Query {
        keywords: sequence.words(5),
        limit: 10,
        offset: 0,
    };
    experiences::query(app, query)
        .await
        .expect("the query is answered");
}

async fn submit(app: &Arc<App>, sequence: &mut Sequence) {
    let submission = Submission {
        content: setup::content(sequence),
        idempotency_key: None,
    };
    experiences::submit(app, submission)
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
        let app = runtime.block_on(setup::app(folder.path(), provider, RECORDS));
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
