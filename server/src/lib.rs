//! The RecallKit server: shared memory for AI coding agents.
//!
//! A call walks `transports` → `tools` → `service` → `search`, `embed`, `store`. This file starts the
//! server, runs its background tasks and stops it.

pub mod app;
pub mod chat;
pub mod doctor;
pub mod error;
pub mod metrics;
pub mod private_files;
pub mod probe;
pub mod reload;
pub mod request_id;
pub mod service;
pub mod settings;
pub mod telemetry;
pub mod tools;
pub mod transports;
mod web;

use std::{sync::Arc, time::Duration};

use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    error::{StartError, chain},
    service::{
        backfill, embedding_pass::Refusals, experiences, family::Family, indexing, insights,
        libraries, popularity, vectors,
    },
    settings::Settings,
    tools::{Features, watch},
};

/// How long storing what is left may take at the end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);
/// So many times counts are stored before the rest of the housekeeping is done.
const TIDY_EVERY: u32 = 5;
/// So many times counts are stored before what was deleted long ago is looked for.
const PURGE_EVERY: u32 = 60;
/// How often experiences without a hash are looked for.
const HASH_INTERVAL: Duration = Duration::from_secs(60);
/// Between two rounds of taking in what other servers write.
const HEARING_PAUSE: Duration = Duration::from_millis(20);
/// How often records without a vector are looked for when nothing rang.
const BACKFILL_INTERVAL: Duration = Duration::from_secs(60);

/// Serves every HTTP face on a listener until `stop` is cancelled; then finishes what runs, stores
/// counts and closes the database.
///
/// *Errors*: [`StartError`], in words for the person who started the program.
pub async fn serve(
    settings: Settings,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), StartError> {
    let app = App::open(settings).await?;
    serve_app(app, listener, stop).await
}

/// Serves an opened application like [`serve`].
pub async fn serve_app(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), StartError> {
    let features = Features::new(Arc::clone(&app));
    let housekeeping = keep_house(&features, &stop);
    let served = transports::serve_http(features, listener, stop.clone()).await;
    close(&app, housekeeping, stop).await;
    served
}

/// Serves one peer on standard input and output until its input ends or `stop` is cancelled.
///
/// *Errors*: as [`serve`].
pub async fn serve_stdio(app: Arc<App>, stop: CancellationToken) -> Result<(), StartError> {
    let features = Features::new(Arc::clone(&app));
    let housekeeping = keep_house(&features, &stop);
    let served = transports::stdio::serve(
        features,
        tokio::io::stdin(),
        tokio::io::stdout(),
        stop.clone(),
    )
    .await;
    close(&app, housekeeping, stop).await;
    served
}

/// Starts what goes on besides the calls: storing counts and uses of keys, extending the index on
/// disk, hashing and giving vectors to records that have none, hearing of what other servers write,
/// watching resources; and ends what is read in for people.
fn keep_house(features: &Arc<Features>, stop: &CancellationToken) -> [JoinHandle<()>; 6] {
    let app = features.app();
    let (counting, embedding, hearing) = (Arc::clone(app), Arc::clone(app), Arc::clone(app));
    let (hashing, stop_hashing) = (Arc::clone(app), stop.clone());
    let (stop_counting, stop_embedding, stop_hearing) = (stop.clone(), stop.clone(), stop.clone());
    let (watching, stop_watching) = (Arc::clone(features), stop.clone());
    let (reading, stop_reading) = (Arc::clone(app), stop.clone());
    [
        tokio::spawn(async move {
            stop_hearing
                .run_until_cancelled(hear_of_others(&hearing))
                .await;
        }),
        tokio::spawn(async move {
            stop_watching
                .run_until_cancelled(watch::resources(watching))
                .await;
        }),
        tokio::spawn(async move { count(&counting, &stop_counting).await }),
        tokio::spawn(async move { hash(&hashing, &stop_hashing).await }),
        tokio::spawn(async move {
            let embedding = give_vectors(&embedding);
            stop_embedding.run_until_cancelled(embedding).await;
        }),
        tokio::spawn(async move {
            stop_reading.cancelled().await;
            reading.jobs.end().await;
        }),
    ]
}

/// Stores counts and tidies up; a round that began is finished, so that no counts are lost.
async fn count(app: &Arc<App>, stop: &CancellationToken) {
    // A server that stops soon must not leave the next start all the rows to read again.
    write_down(app).await;
    let mut rounds = 0_u32;
    while passes(popularity::FLUSH_INTERVAL, stop).await {
        store_counts(app).await;
        rounds = rounds.wrapping_add(1);
        if rounds.is_multiple_of(TIDY_EVERY) {
            store_questions(app).await;
            tidy_up(app).await;
        }
        if rounds.is_multiple_of(PURGE_EVERY) {
            purge(app).await;
        }
    }
}

/// Brings what grew in memory to the disk.
async fn write_down(app: &Arc<App>) {
    for family in Family::ALL {
        indexing::write_down(app, family).await;
    }
}

/// Hashes the experiences that older programs left without a hash, now and then. A million take minutes,
/// and counts are stored meanwhile.
async fn hash(app: &App, stop: &CancellationToken) {
    loop {
        hash_experiences(app, stop).await;
        if !passes(HASH_INTERVAL, stop).await {
            return;
        }
    }
}

/// Hashes what has no hash, a transaction at a time so that submits come in between.
async fn hash_experiences(app: &App, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        match experiences::hash_some(app).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(error = chain(&error), "experiences could not be hashed");
                return;
            }
        }
    }
}

/// Gives vectors to records that have none, when they come and now and then.
async fn give_vectors(app: &Arc<App>) {
    let mut refusals = Refusals::default();
    loop {
        if let Err(error) = backfill::backfill(app, &mut refusals).await {
            tracing::warn!(
                error = chain(&error),
                "records could not be given their vectors"
            );
        }
        let rung = app.vectors_missing.notified();
        tokio::time::timeout(BACKFILL_INTERVAL, rung).await.ok();
    }
}

/// Takes in what other servers on the database write, soon after they did; a query would do so
/// otherwise, and its asker wait.
async fn hear_of_others(app: &Arc<App>) {
    let Some(mut written) = app.store.written_by_others() else {
        return;
    };
    while written.changed().await.is_ok() {
        for family in Family::ALL {
            indexing::catch_up_soon(app, family);
        }
        // Of those who write without pause one round takes in many.
        tokio::time::sleep(HEARING_PAUSE).await;
    }
}

/// Waits; `false` when the program is to stop.
async fn passes(time: Duration, stop: &CancellationToken) -> bool {
    stop.run_until_cancelled(tokio::time::sleep(time))
        .await
        .is_some()
}

/// Stores what was counted; what fails is logged and tried again in the next round.
async fn store_counts(app: &Arc<App>) {
    for family in Family::ALL {
        if let Err(error) = popularity::flush(app, family).await {
            tracing::warn!(error = chain(&error), "query counts could not be stored");
        }
    }
}

/// Stores what was asked, likewise.
async fn store_questions(app: &Arc<App>) {
    if let Err(error) = insights::flush(app).await {
        tracing::warn!(error = chain(&error), "what was asked could not be stored");
    }
}

/// One round of other housekeeping, likewise.
async fn tidy_up(app: &Arc<App>) {
    let read = async {
        for family in Family::ALL {
            popularity::refresh(app, family).await?;
        }
        vectors::check_model(app).await
    };
    if let Err(error) = read.await {
        tracing::warn!(error = chain(&error), "query counts could not be read");
    }
    if let Err(error) = app.keys.flush_due_uses(app.now()).await {
        tracing::warn!(
            error = chain(&error),
            "the last uses of API keys could not be stored"
        );
    }
    if let Err(error) = app.people.tidy_up(app.store.as_ref(), app.now()).await {
        tracing::warn!(
            error = chain(&error),
            "sessions that are over could not be removed"
        );
    }
    // What other programs store is taken in bit by bit, not all of it by the next query.
    for family in Family::ALL {
        if let Err(error) = indexing::catch_up(app, family).await {
            tracing::warn!(error = chain(&error), "the index could not catch up");
        }
    }
    write_down(app).await;
}

/// Removes what was deleted, replaced or asked long ago, likewise.
async fn purge(app: &Arc<App>) {
    match experiences::purge(app).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(purged, "deleted experiences were removed for good"),
        Err(error) => tracing::warn!(
            error = chain(&error),
            "deleted experiences could not be removed"
        ),
    }
    match libraries::purge(app).await {
        Ok(0) => {}
        Ok(purged) => tracing::info!(
            purged,
            "what was left of replaced documentation was removed"
        ),
        Err(error) => tracing::warn!(
            error = chain(&error),
            "what is left of replaced documentation could not be removed"
        ),
    }
    if let Err(error) = insights::forget(app).await {
        tracing::warn!(
            error = chain(&error),
            "old questions could not be forgotten"
        );
    }
}

/// Stores what is left and closes the database, within a time: a database that does not answer must
/// not keep the program from ending.
async fn close(app: &Arc<App>, housekeeping: [JoinHandle<()>; 6], stop: CancellationToken) {
    stop.cancel();
    let closing = async {
        for task in housekeeping {
            task.await.ok();
        }
        for family in Family::ALL {
            if let Err(error) = popularity::flush(app, family).await {
                tracing::warn!(error = chain(&error), "the last counts could not be stored");
            }
        }
        store_questions(app).await;
        if let Err(error) = app.keys.flush_uses(app.now()).await {
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
