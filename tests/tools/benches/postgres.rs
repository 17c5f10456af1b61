//! Submissions to PostgreSQL compared with a plain `insert` of the same row, on a cluster that syncs to disk.
//!
//! The two kinds of calls alternate, so that both run under the same conditions.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use recall_kit_store::{IdempotencyKey, NewExperience, Store, StoreOptions};
use recall_kit_tests_postgres::Cluster;
use recall_kit_tools::{
    percentiles::measure,
    records::{self, Sequence},
};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

/// Calls of each kind in the alternating measurement.
const CALLS: usize = 3_000;
/// A table with the same columns and indexes, but without the guarantees of a submission.
const BARE: &str = "create table bare (like experiences including all)";

fn new(sequence: &mut Sequence) -> NewExperience {
    NewExperience {
        id: Uuid::now_v7(),
        content: records::content(sequence),
        vector: None,
        created_at: Timestamp::now(),
        idempotency: Some(IdempotencyKey {
            key: Uuid::now_v7().to_string(),
            fingerprint: [7; 32],
        }),
        author: None,
    }
}

async fn bare(connection: &mut PgConnection, seq: i64, new: &NewExperience) {
    let content = &new.content;
    sqlx::query(
        "insert into bare (seq, id, title, problem_description, root_cause, solution, context, \
         keywords, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
    )
    .bind(seq)
    .bind(new.id.to_string())
    .bind(&content.title)
    .bind(&content.problem_description)
    .bind(&content.root_cause)
    .bind(&content.solution)
    .bind(&content.context)
    .bind(serde_json::Value::from(content.keywords.clone()).to_string())
    .bind(new.created_at.as_microsecond())
    .execute(connection)
    .await
    .expect("the row is stored");
}

/// Measures both kinds alternately and prints percentiles and their ratio.
async fn in_turns(store: &Arc<dyn Store>, connection: &mut PgConnection) {
    let mut sequence = Sequence(11);
    let (mut bares, mut submits) = (Vec::new(), Vec::new());
    for seq in 1_000_000.. {
        if submits.len() == CALLS {
            break;
        }
        let record = new(&mut sequence);
        let started = Instant::now();
        bare(connection, seq, &record).await;
        bares.push(started.elapsed());
        let started = Instant::now();
        store.insert_experience(record).await.expect("it is stored");
        submits.push(started.elapsed());
    }
    for share in [0.5, 0.95, 0.99] {
        let at = |all: &mut Vec<Duration>| {
            all.sort_unstable();
            all[((all.len() - 1) as f64 * share) as usize]
        };
        let (bare, submit) = (at(&mut bares), at(&mut submits));
        #[expect(clippy::print_stdout, reason = "the benchmark's answer")]
        {
            println!(
                "    p{}: bare insert {bare:.2?}, submit {submit:.2?}, {:.2} x",
                share * 100.0,
                submit.as_secs_f64() / bare.as_secs_f64()
            );
        }
    }
}

fn benchmark(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let cluster = Cluster::start_with(&["fsync=on", "synchronous_commit=on"]);
    let url = cluster.url(&cluster.database());
    let options = StoreOptions::new(url.as_str(), Duration::from_secs(5));
    let store = runtime
        .block_on(recall_kit_store::open(&options))
        .expect("a fresh database opens");
    let mut connection = runtime.block_on(async {
        let mut connection = PgConnection::connect(&url).await.expect("it is reached");
        let made = sqlx::query(BARE).execute(&mut connection).await;
        made.expect("the table is made");
        connection
    });
    runtime.block_on(in_turns(&store, &mut connection));

    let mut group = criterion.benchmark_group("PostgreSQL");
    group
        .sample_size(20)
        .measurement_time(Duration::from_secs(8));
    let mut sequence = Sequence(7);
    measure(&mut group, &runtime, "submit", async || {
        let stored = store.insert_experience(new(&mut sequence)).await;
        stored.expect("it is stored");
    });
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
