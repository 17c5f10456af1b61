//! Ingesting documentation into a library: the files of a source are read and cut into chunks on every
//! core, stored, and published as a version in one step.
//!
//! Nothing is visible before it is published, and an existing version stays as it is until then. Files that
//! are stored already, for any version, are not read again. What an interrupted run left behind is removed
//! by the first run that starts a day later.

mod examples;
mod read;
mod report;
#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    ops::ControlFlow,
    sync::{Arc, OnceLock},
    time::Instant,
};

use futures::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use recall_kit_core::{
    access::{
        Caller,
        audit::{Action, PendingEvent, Subject},
    },
    chat::Chat,
};
use recall_kit_documents::sandbox::Sandbox;
use recall_kit_sanitizer::without_invisible;
use recall_kit_settings::AiSettings;
use recall_kit_shared_types::libraries::library_limits::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use recall_kit_sources::{
    Described, Input, Source, SourceError, SourceFile, SourceOptions, Walked,
};
use recall_kit_store::{NewDocsFile, NewVersion, Store, StoreError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use self::report::{Left, Progress, Report};
use self::{
    examples::Describer,
    read::{Read, With, read},
};

/// The name of a version if neither the request nor the source has one.
pub const LATEST: &str = "latest";
/// The most files that wait to be read.
const WAITING: usize = 64;
/// Approximate number of chunks that are stored together.
const BATCH_CHUNKS: usize = 500;
/// How often a run is tried if other runs remove its files.
const TRIES: u32 = 3;
/// Files that belong to no version for so long were left behind by an interrupted run.
const LEFT_BEHIND: SignedDuration = SignedDuration::from_hours(24);

/// What to ingest.
#[derive(Debug, Clone)]
pub struct Request {
    /// The library's name.
    pub library: String,
    /// The library's description; unchanged when `None`.
    pub description: Option<String>,
    /// The version's name.
    pub version: String,
    /// The tag, branch or commit of a git repository.
    pub at: Option<String>,
    /// Whether it becomes the library's default version.
    pub is_default: bool,
    /// The source.
    pub source: Input,
    /// How the source is opened.
    pub options: SourceOptions,
}

/// Why nothing was ingested; existing versions are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A name cannot be used.
    #[error("{0}")]
    Name(String),
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The source has no readable documentation.
    #[error("{source_name} contains no documentation that can be read{}", first(.left))]
    Nothing {
        /// The source.
        source_name: String,
        /// The files that were skipped.
        left: Vec<Left>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was cancelled.
    #[error("ingesting was cancelled")]
    Cancelled,
    /// A task panicked or was cancelled.
    #[error("ingesting stopped unexpectedly")]
    Broken,
}

/// Formats the first skipped file and the number of others, for errors.
fn first(left: &[Left]) -> String {
    match left {
        [] => String::new(),
        [only] => format!("; {only}"),
        [one, others @ ..] => format!("; {one}; {} more skipped", others.len()),
    }
}

/// The dependencies of an ingest.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The database.
    pub store: &'a dyn Store,
    /// The model that writes titles and descriptions of examples; without one they are extracted.
    pub chat: Option<&'a Chat>,
    /// Reads risky files.
    pub sandbox: &'a Sandbox,
    /// The time of the ingest.
    pub now: Timestamp,
    /// The caller.
    pub by: &'a Caller,
}

/// Returns the model that describes examples, if the settings enable that.
pub fn describer(settings: &AiSettings) -> Option<Chat> {
    Chat::of(settings).filter(|_| settings.describe_examples)
}

/// Ingests a version and publishes it; `progress` is called after every few files.
///
/// *Errors*: [`IngestError`]; nothing is changed then. If the future is dropped before it is done,
/// nothing is changed either.
pub async fn ingest(
    means: Means<'_>,
    request: Request,
    progress: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    ingest_until(&CancellationToken::new(), means, request, progress).await
}

/// Like [`ingest`], but ends when `stop` is cancelled: files that were stored are then removed.
///
/// *Errors*: [`IngestError::Cancelled`] then; else those of [`ingest`].
pub async fn ingest_until(
    stop: &CancellationToken,
    means: Means<'_>,
    mut request: Request,
    progress: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    request.check_names()?;
    // The guard also stops git and the network if this future is dropped early.
    request.options.stop = stop.child_token();
    let _stop_guard = request.options.stop.clone().drop_guard();
    published(means, request, progress).await
}

/// Ingests and publishes. If another run, which failed or replaced a version, removed files that this one
/// found stored, it is repeated; files that are still stored are not read again.
async fn published(
    means: Means<'_>,
    request: Request,
    mut progress: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    let mut tries = 1;
    loop {
        match publish_once(means, request.clone(), &mut progress).await {
            Err(IngestError::Store(StoreError::FileGone(_))) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

async fn publish_once(
    means: Means<'_>,
    request: Request,
    progress: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    let started = Instant::now();
    let Means {
        store,
        chat,
        sandbox,
        now,
        by,
    } = means;
    let _end_idle = EndIdle(sandbox);
    store.discard_files(&[], now - LEFT_BEHIND).await?;
    let mut reading = Reading {
        store,
        sandbox,
        describer: chat.map(|chat| Describer::new(store, chat, now)),
        now,
        progress,
        total: Arc::default(),
        report: Report::default(),
        files: Vec::new(),
        stored: Vec::new(),
    };
    let described = match reading.read_unless_stopped(&request).await {
        Ok(described) => described,
        Err(error) => return Err(discarded(store, &reading.stored, now, error).await),
    };
    let Reading {
        mut report,
        files,
        stored,
        ..
    } = reading;
    let pending = PendingEvent::new(Action::LibraryIngested).to(Subject::Library, &request.library);
    let new = NewVersion {
        event: Some(pending.saying(&request.version).by(by, now)),
        library: request.library,
        description: request.description,
        version: request.version.clone(),
        is_default: request.is_default,
        source: described.origin,
        at: request.at,
        revision: described.commit.clone(),
        files,
        ingested_at: now,
    };
    report.library_id = match store.publish_version(&new).await {
        Ok(library) => library,
        Err(gone @ StoreError::FileGone(_)) => return Err(gone.into()),
        Err(error) => return Err(discarded(store, &stored, now, error.into()).await),
    };
    report.version = request.version;
    report.revision = described.commit;
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

/// Ends the idle processes of a sandbox when it is dropped.
struct EndIdle<'a>(&'a Sandbox);

impl Drop for EndIdle<'_> {
    fn drop(&mut self) {
        self.0.end_idle();
    }
}

/// Removes the files that a failed run stored, and returns its error.
async fn discarded(
    store: &dyn Store,
    stored: &[u64],
    now: Timestamp,
    error: IngestError,
) -> IngestError {
    // Files that cannot be removed now are removed by a later run.
    store.discard_files(stored, now - LEFT_BEHIND).await.ok();
    error
}

impl Request {
    /// Checks its names and its description.
    ///
    /// *Errors*: [`IngestError::Name`] if one is blank, too long or contains control or invisible
    /// characters, and for a version that no address can name.
    pub fn check_names(&self) -> Result<(), IngestError> {
        check_words("library's name", &self.library, MAX_NAME_CHARS)?;
        check_words("version's name", &self.version, MAX_NAME_CHARS)?;
        // Clients remove these segments from the path of an address before they send it.
        if matches!(self.version.as_str(), "." | "..") {
            let words = "the version's name must not be \".\" or \"..\": no address could name it";
            return Err(IngestError::Name(words.to_owned()));
        }
        match &self.description {
            Some(description) => check_description(description),
            None => Ok(()),
        }
    }
}

/// Checks a library's description.
///
/// *Errors*: [`IngestError::Name`] if it is blank, too long or contains control or invisible characters.
pub fn check_description(description: &str) -> Result<(), IngestError> {
    check_words("description", description, MAX_DESCRIPTION_CHARS)
}

fn check_words(what: &str, words: &str, most: usize) -> Result<(), IngestError> {
    let length = words.chars().count();
    let wrong = if words.trim().is_empty() {
        "must not be blank".to_owned()
    } else if length > most {
        format!("has {length} characters; {most} are allowed")
    } else if words.chars().any(char::is_control) {
        "must not contain control characters".to_owned()
    } else if without_invisible(words) != words {
        "must not contain invisible characters".to_owned()
    } else {
        return Ok(());
    };
    Err(IngestError::Name(format!("the {what} {wrong}")))
}

/// A run with its results so far.
struct Reading<'a, H> {
    store: &'a dyn Store,
    sandbox: &'a Sandbox,
    describer: Option<Describer<'a>>,
    now: Timestamp,
    progress: H,
    /// The number of files of the source; set before the first file is read, if it is known.
    total: Arc<OnceLock<usize>>,
    report: Report,
    /// The version's files.
    files: Vec<u64>,
    /// Those of them that this run stored.
    stored: Vec<u64>,
}

impl<H: FnMut(&Progress)> Reading<'_, H> {
    async fn read_unless_stopped(&mut self, request: &Request) -> Result<Described, IngestError> {
        let stop = &request.options.stop;
        let read = stop.run_until_cancelled(self.read_all(request)).await;
        read.unwrap_or(Err(IngestError::Cancelled))
    }

    async fn read_all(&mut self, request: &Request) -> Result<Described, IngestError> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let walked = tokio::task::spawn_blocking({
            let (request, total) = (request.clone(), Arc::clone(&self.total));
            move || walk(&request, &total, &sender)
        });
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let files = stream::unfold(receiver, async |mut receiver| {
            let file = receiver.recv().await?;
            Some((file, receiver))
        });
        let describer = self.describer.take();
        let describer = describer.as_ref();
        let with = With {
            store: self.store,
            sandbox: self.sandbox,
            describer,
        };
        let read = files.map(|file| read(with, file));
        let read = read.buffered(2 * cores);
        let mut read = std::pin::pin!(read);
        let mut batch = Vec::new();
        while let Some(file) = read.next().await {
            self.add(file?, &mut batch).await?;
        }
        self.store_batch(&mut batch).await?;
        let (described, walked) = walked.await.map_err(|_| IngestError::Broken)??;
        self.report.skip(walked.skipped);
        self.report.described = describer.map_or(0, Describer::described);
        self.report.not_described = describer.and_then(Describer::failure);
        if self.report.chunks == 0 {
            return Err(IngestError::Nothing {
                source_name: described.origin,
                left: std::mem::take(&mut self.report.left),
            });
        }
        Ok(described)
    }

    /// Adds the result of reading a file.
    async fn add(&mut self, file: Read, batch: &mut Vec<NewDocsFile>) -> Result<(), IngestError> {
        match file {
            Read::Left(left) => self.report.left.push(left),
            Read::Known { file, chunks } => {
                self.report.count(&chunks);
                self.report.unchanged += 1;
                self.files.push(file);
            }
            Read::New { file, note } => {
                self.report.count(&file.chunks);
                self.report.notes.extend(note);
                batch.push(file);
            }
        }
        let waiting: usize = batch.iter().map(|file| file.chunks.len()).sum();
        if waiting >= BATCH_CHUNKS {
            self.store_batch(batch).await?;
        }
        let total = self.total.get().map(|total| *total as u64);
        (self.progress)(&self.report.progress(total));
        Ok(())
    }

    async fn store_batch(&mut self, batch: &mut Vec<NewDocsFile>) -> Result<(), IngestError> {
        if batch.is_empty() {
            return Ok(());
        }
        // Files that another run stored meanwhile are removed by that run if it fails.
        let hashes: Vec<[u8; 32]> = batch.iter().map(|file| file.hash).collect();
        let known = self.store.docs_files(&hashes).await?;
        let known: HashSet<u64> = known.into_iter().map(|(_, file)| file).collect();
        let stored = self.store.insert_docs_files(batch, self.now).await?;
        batch.clear();
        let own = stored.iter().filter(|file| !known.contains(file));
        self.stored.extend(own);
        self.files.extend(stored);
        Ok(())
    }
}

/// Counts the files of the source if that is possible, walks through it and sends the files; ends when the
/// receiver is dropped.
fn walk(
    request: &Request,
    total: &OnceLock<usize>,
    files: &mpsc::Sender<SourceFile>,
) -> Result<(Described, Walked), IngestError> {
    let source = Source::of(&request.source, &request.options)?;
    let at = request.at.as_deref();
    let described = source.described(at)?;
    if let Some(count) = source.count(at) {
        total.get_or_init(|| count);
    }
    let mut seen = HashSet::new();
    let walked = source.walk(at, &mut |file| {
        // Only the first file with a path is used.
        if !seen.insert(file.path.clone()) {
            return ControlFlow::Continue(());
        }
        match files.blocking_send(file) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    if walked.stopped {
        return Err(IngestError::Cancelled);
    }
    Ok((described, walked))
}

/// Returns the tags of a git repository, oldest version first; empty for other sources.
///
/// *Errors*: the source cannot be read.
pub async fn tags(source: &str, options: &SourceOptions) -> Result<Vec<String>, IngestError> {
    let (source, options) = (source.to_owned(), options.clone());
    let tags = tokio::task::spawn_blocking(move || Source::open(&source, &options)?.tags());
    Ok(tags.await.map_err(|_| IngestError::Broken)??)
}
