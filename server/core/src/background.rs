//! Background tasks: storing counts, extending the index on disk, hashing, computing missing
//! vectors, and following the writes of other servers on the same database.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use recall_kit_store::StoreError;
use recall_kit_telemetry::chain;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    experiences::{self, Experiences, insights},
    indexing::{self, applicability, popularity},
    knowledge,
    vectors::{
        backfill, chunk_vectors,
        embedding_pass::{Pass, Refusals},
        turn::Turn,
    },
};

/// How long storing the last counts and closing the database may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);
/// Counts are stored this many times for each round of maintenance.
const MAINTENANCE_EVERY: u32 = 5;
/// Counts are stored this many times for each purge of deleted experiences and old queries.
const PURGE_EVERY: u32 = 60;
/// How often experiences without a hash are looked for.
const HASH_INTERVAL: Duration = Duration::from_secs(60);
/// Pause between two rounds of indexing what other servers write.
const EXTERNAL_WRITES_PAUSE: Duration = Duration::from_millis(20);
/// How often the progress of computing vectors is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// How often records without a vector are looked for when no notification arrived.
const BACKFILL_INTERVAL: Duration = Duration::from_secs(60);

/// The tasks of a running application.
#[derive(Debug)]
pub struct BackgroundTasks {
    tasks: Vec<JoinHandle<()>>,
    stop: CancellationToken,
}

impl BackgroundTasks {
    /// Starts the tasks. They end when `stop` is cancelled.
    pub fn spawn(app: &Arc<App>, stop: &CancellationToken) -> Self {
        let until_stop = |task: BoxFuture<'static, ()>| {
            let stop = stop.clone();
            tokio::spawn(async move {
                stop.run_until_cancelled(task).await;
            })
        };
        let (following, embedding) = (Arc::clone(app), Arc::clone(app));
        let (counting, hashing) = (Arc::clone(app), Arc::clone(app));
        let (stop_counting, stop_hashing) = (stop.clone(), stop.clone());
        let tasks = vec![
            until_stop(Box::pin(
                async move { follow_external_writes(&following).await },
            )),
            until_stop(Box::pin(async move { run_backfill(&embedding).await })),
            // These finish the round they are in.
            tokio::spawn(async move { run_housekeeping(&counting, &stop_counting).await }),
            tokio::spawn(async move { hash_missing(&hashing.experiences, &stop_hashing).await }),
        ];
        Self {
            tasks,
            stop: stop.clone(),
        }
    }

    /// Adds a task of another crate, which ends when the token of [`BackgroundTasks::spawn`] is cancelled. The
    /// database stays open until it has ended.
    pub fn add(&mut self, task: JoinHandle<()>) {
        self.tasks.push(task);
    }

    /// Ends the tasks, stores pending counts and closes the database, within `CLOSE_TIMEOUT`: a database
    /// that does not answer must not keep the program from ending.
    pub async fn close(self, app: &Arc<App>) {
        self.stop.cancel();
        let closing = async {
            for task in self.tasks {
                task.await.ok();
            }
            for records in app.searchable() {
                if let Err(error) = popularity::flush(records).await {
                    tracing::warn!(error = chain(&error), "the last counts could not be stored");
                }
            }
            store_questions(app).await;
            if let Err(error) = app.access.keys.flush_uses(app.clock.now()).await {
                tracing::warn!(
                    error = chain(&error),
                    "the last uses of API keys could not be stored"
                );
            }
            app.store.close().await;
        };
        if tokio::time::timeout(CLOSE_TIMEOUT, closing).await.is_err() {
            tracing::warn!("the database did not close in time");
        }
    }
}

/// Stores counts and maintains the database and the index. A round that has begun is finished, so that
/// no counts are lost.
async fn run_housekeeping(app: &Arc<App>, stop: &CancellationToken) {
    // Without this, a server that stops soon would make the next start read every row again.
    write_to_disk(app).await;
    let mut rounds = 0_u32;
    while sleep_or_stop(popularity::FLUSH_INTERVAL, stop).await {
        store_counts(app).await;
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(MAINTENANCE_EVERY) {
            store_questions(app).await;
            maintain(app).await;
        }
        if rounds.is_multiple_of(PURGE_EVERY) {
            purge(app).await;
        }
    }
}

/// Writes the part of each index that is only in memory to disk.
async fn write_to_disk(app: &Arc<App>) {
    for records in app.searchable() {
        indexing::write_down(records).await;
    }
}

/// Hashes the experiences that older programs stored without a hash. A million take minutes; counts are
/// stored meanwhile.
async fn hash_missing(experiences: &Experiences, stop: &CancellationToken) {
    loop {
        hash_experiences(experiences, stop).await;
        if !sleep_or_stop(HASH_INTERVAL, stop).await {
            return;
        }
    }
}

/// Hashes them one transaction at a time, so that submissions can run in between.
async fn hash_experiences(experiences: &Experiences, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        match experiences::hash_some(experiences).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(error = chain(&error), "experiences could not be hashed");
                return;
            }
        }
    }
}

/// Computes missing vectors, when a record without one arrives and at intervals.
async fn run_backfill(app: &Arc<App>) {
    let mut refusals = Refusals::default();
    loop {
        if let Err(error) = backfill(app, &mut refusals).await {
            tracing::warn!(
                error = chain(&error),
                "missing vectors could not be computed"
            );
        }
        let requested = app.embedding.backfill_requested();
        tokio::time::timeout(BACKFILL_INTERVAL, requested)
            .await
            .ok();
    }
}

/// Computes vectors for every experience, entry and chunk that has none of the configured model, unless
/// another process is doing so. A record that the model rejects is skipped; the next pass tries it
/// again.
///
/// *Errors*: those of the database.
pub async fn backfill(app: &App, refusals: &mut Refusals) -> Result<(), StoreError> {
    let Some(embedder) = app.embedding.model_in_use() else {
        return Ok(());
    };
    let Some(_turn) = Turn::try_take(app.index_folder()) else {
        return Ok(());
    };
    let mut pass = Pass::new(embedder.as_ref(), refusals).passing_over(&app.embedding.fresh);
    knowledge::backfill::backfill(&app.knowledge, &mut pass).await?;
    let (mut logged, mut logged_at) = (0, Instant::now());
    let log = |records: u64| {
        let left = app.experiences.records.status().without_vector;
        tracing::info!(records, left, "vectors of records computed");
    };
    let made = backfill::embed_missing(app.store.as_ref(), &mut pass, |made| {
        if logged_at.elapsed() >= LOG_INTERVAL {
            log(made - logged);
            (logged, logged_at) = (made, Instant::now());
        }
    })
    .await?;
    if made > logged {
        log(made - logged);
    }
    // Chunks come last since there may be many, and experiences and entries are searched first.
    chunk_vectors::backfill(app.store.as_ref(), &mut pass).await
}

/// Indexes what other servers write to the same database soon after they write it. Otherwise the next
/// query would have to do so, and its caller would wait.
async fn follow_external_writes(app: &Arc<App>) {
    let Some(mut written) = app.store.written_by_others() else {
        return;
    };
    while written.changed().await.is_ok() {
        for records in app.searchable() {
            indexing::catch_up_soon(records);
        }
        // When another server writes without pause, one round indexes many writes.
        tokio::time::sleep(EXTERNAL_WRITES_PAUSE).await;
    }
}

/// Sleeps; returns `false` when the program is to stop.
async fn sleep_or_stop(time: Duration, stop: &CancellationToken) -> bool {
    stop.run_until_cancelled(tokio::time::sleep(time))
        .await
        .is_some()
}

/// Stores query counts. Failures are logged and tried again in the next round.
async fn store_counts(app: &Arc<App>) {
    for records in app.searchable() {
        if let Err(error) = popularity::flush(records).await {
            tracing::warn!(error = chain(&error), "query counts could not be stored");
        }
    }
}

/// Stores the queries for the insights. Failures are logged and tried again in the next round.
async fn store_questions(app: &Arc<App>) {
    if let Err(error) = insights::flush(&app.insights).await {
        tracing::warn!(error = chain(&error), "queries could not be stored");
    }
    if let Err(error) = insights::recalls::flush(&app.insights).await {
        tracing::warn!(error = chain(&error), "recalls could not be stored");
    }
}

/// Does one round of the other maintenance. Failures are logged and tried again in the next round.
async fn maintain(app: &Arc<App>) {
    let read = async {
        for records in app.searchable() {
            popularity::refresh(records).await?;
        }
        app.outcomes.refresh().await?;
        let applicability = &app.experiences.records.source.applicability;
        applicability.refresh(app.store.as_ref()).await?;
        app.embedding.check_model(app.store.as_ref()).await
    };
    if let Err(error) = read.await {
        tracing::warn!(
            error = chain(&error),
            "counts and standings could not be read"
        );
    }
    if let Err(error) = app.access.keys.flush_due_uses(app.clock.now()).await {
        tracing::warn!(
            error = chain(&error),
            "the last uses of API keys could not be stored"
        );
    }
    if let Err(error) = app.access.tidy_up().await {
        tracing::warn!(
            error = chain(&error),
            "expired sessions could not be removed"
        );
    }
    // Index what other programs stored bit by bit, instead of leaving all of it to the next query.
    for records in app.searchable() {
        if let Err(error) = indexing::catch_up(records).await {
            tracing::warn!(error = chain(&error), "the index could not catch up");
        }
    }
    applicability::reading::read_round(&app.experiences.records.source).await;
    write_to_disk(app).await;
}

/// Removes experiences deleted long ago and old queries. Failures are logged and tried again.
async fn purge(app: &Arc<App>) {
    match experiences::purge(&app.experiences).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "deleted experiences were removed permanently"),
        Err(error) => tracing::warn!(
            error = chain(&error),
            "deleted experiences could not be removed"
        ),
    }
    if let Err(error) = insights::forget(&app.insights).await {
        tracing::warn!(error = chain(&error), "old queries could not be removed");
    }
    if let Err(error) = insights::recalls::forget(&app.insights).await {
        tracing::warn!(error = chain(&error), "old recalls could not be removed");
    }
}
