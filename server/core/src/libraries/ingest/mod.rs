//! Reading documentation into a library: a source's files → read and cut on every core → stored →
//! published as a version in one step.
//!
//! Until it is published nobody sees any of it, and a version that was there stays as it is. Files
//! that are stored already, of whatever version, are not read again. What an interrupted run left
//! behind is removed by the next one, a day later.

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
use crate::{
    access::{
        Caller,
        audit::{Action, Deed, Subject},
    },
    chat::Chat,
};

/// The version of a library where none is named and the source has none.
pub const LATEST: &str = "latest";
/// Files that wait to be read.
const WAITING: usize = 64;
/// Chunks that are stored together, about.
const BATCH_CHUNKS: usize = 500;
/// How often a run is tried whose files other runs remove.
const TRIES: u32 = 3;
/// After so long what belongs to no version was left behind, not just stored.
const LEFT_BEHIND: SignedDuration = SignedDuration::from_hours(24);

/// What is to be read in.
#[derive(Debug, Clone)]
pub struct Request {
    /// The library's name.
    pub library: String,
    /// What the library is; as before where nothing is said.
    pub description: Option<String>,
    /// The version's name.
    pub version: String,
    /// The tag, branch or commit of a git repository.
    pub at: Option<String>,
    /// Whether it becomes the version that is meant where none is named.
    pub is_default: bool,
    /// The source.
    pub source: Input,
    /// How the source is opened.
    pub options: SourceOptions,
}

/// Why nothing was read in; what was there before is there still.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A name cannot be used.
    #[error("{0}")]
    Name(String),
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// There is nothing in it.
    #[error("{source_name} holds no documentation that can be read{}", first(.left))]
    Nothing {
        /// The source.
        source_name: String,
        /// What was passed over.
        left: Vec<Left>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was called off.
    #[error("reading was called off")]
    Cancelled,
    /// A part of the program broke down.
    #[error("reading broke down")]
    Broken,
}

/// Says of what was passed over the first, for errors.
fn first(left: &[Left]) -> String {
    match left {
        [] => String::new(),
        [only] => format!("; {only}"),
        [one, others @ ..] => format!("; {one}; {} more passed over", others.len()),
    }
}

/// What a version is read in with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// Where it goes.
    pub store: &'a dyn Store,
    /// What writes titles and descriptions of examples; extraction does where there is none.
    pub chat: Option<&'a Chat>,
    /// What reads files that could bring a reader down.
    pub sandbox: &'a Sandbox,
    /// The moment of its ingest.
    pub now: Timestamp,
    /// Who has it read in.
    pub by: &'a Caller,
}

/// Returns what describes examples, where the settings ask for it.
pub fn describer(settings: &AiSettings) -> Option<Chat> {
    Chat::of(settings).filter(|_| settings.describe_examples)
}

/// Reads a version in and publishes it; `heard` hears how far it is after every few files.
///
/// *Errors*: [`IngestError`]; nothing is changed then. Dropped before it is done it changes nothing
/// either.
pub async fn ingest(
    means: Means<'_>,
    request: Request,
    heard: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    ingest_until(&CancellationToken::new(), means, request, heard).await
}

/// As [`ingest`], until `stop` is cancelled: what was stored is removed then, and nothing goes on.
///
/// *Errors*: [`IngestError::Cancelled`] then; else as of [`ingest`].
pub async fn ingest_until(
    stop: &CancellationToken,
    means: Means<'_>,
    mut request: Request,
    heard: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    request.check_names()?;
    // Also what is dropped before its end lets git and the network go.
    request.options.stop = stop.child_token();
    let _end = request.options.stop.clone().drop_guard();
    published(means, request, heard).await
}

/// Reads and publishes. Where another run, which failed or replaced a version, removed files that this
/// one found, it is done again: what is there still is not read twice.
async fn published(
    means: Means<'_>,
    request: Request,
    mut heard: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    let mut tries = 1;
    loop {
        match publish_once(means, request.clone(), &mut heard).await {
            Err(IngestError::Store(StoreError::FileGone(_))) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

async fn publish_once(
    means: Means<'_>,
    request: Request,
    heard: impl FnMut(&Progress),
) -> Result<Report, IngestError> {
    let started = Instant::now();
    let Means {
        store,
        chat,
        sandbox,
        now,
        by,
    } = means;
    let _end = EndIdle(sandbox);
    store.discard_files(&[], now - LEFT_BEHIND).await?;
    let mut reading = Reading {
        store,
        sandbox,
        describer: chat.map(|chat| Describer::new(store, chat, now)),
        now,
        heard,
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
    let deed = Deed::new(Action::LibraryIngested).to(Subject::Library, &request.library);
    let new = NewVersion {
        event: Some(deed.saying(&request.version).by(by, now)),
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

/// Ends the processes of a sandbox that wait, when a run is over or dropped.
struct EndIdle<'a>(&'a Sandbox);

impl Drop for EndIdle<'_> {
    fn drop(&mut self) {
        self.0.end_idle();
    }
}

/// Takes back what a run stored that failed, and returns why it did.
async fn discarded(
    store: &dyn Store,
    stored: &[u64],
    now: Timestamp,
    error: IngestError,
) -> IngestError {
    // What the database cannot remove now it removes with the next run.
    store.discard_files(stored, now - LEFT_BEHIND).await.ok();
    error
}

impl Request {
    /// Checks the names that it gives.
    ///
    /// *Errors*: [`IngestError::Name`] when one is blank, too long or holds control or invisible
    /// characters, and for
    /// a version that no address can name.
    pub fn check_names(&self) -> Result<(), IngestError> {
        check_words("library's name", &self.library, MAX_NAME_CHARS)?;
        check_words("version's name", &self.version, MAX_NAME_CHARS)?;
        // Programs take these segments of a path out before they ask for it.
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
/// *Errors*: [`IngestError::Name`] when it is blank, too long or holds control or invisible characters.
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
        "must not hold control characters".to_owned()
    } else if without_invisible(words) != words {
        "must not hold invisible characters".to_owned()
    } else {
        return Ok(());
    };
    Err(IngestError::Name(format!("the {what} {wrong}")))
}

/// A run, and what it came by so far.
struct Reading<'a, H> {
    store: &'a dyn Store,
    sandbox: &'a Sandbox,
    describer: Option<Describer<'a>>,
    now: Timestamp,
    heard: H,
    /// How many files there will be; set before the first comes, if it can be said.
    total: Arc<OnceLock<usize>>,
    report: Report,
    /// The version's files.
    files: Vec<u64>,
    /// Those of them that were not there before.
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
            self.take(file?, &mut batch).await?;
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

    /// Takes in what became of a file.
    async fn take(&mut self, file: Read, batch: &mut Vec<NewDocsFile>) -> Result<(), IngestError> {
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
        (self.heard)(&self.report.progress(total));
        Ok(())
    }

    async fn store_batch(&mut self, batch: &mut Vec<NewDocsFile>) -> Result<(), IngestError> {
        if batch.is_empty() {
            return Ok(());
        }
        // What another run stored meanwhile is that run's to take back.
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

/// Counts the files of the source where that is possible, walks through it and hands them on; ends when nobody takes them any more.
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
        // Of one name there is one file.
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

/// The tags of a git repository, oldest version first; none of anything else.
///
/// *Errors*: the source cannot be read.
pub async fn tags(source: &str, options: &SourceOptions) -> Result<Vec<String>, IngestError> {
    let (source, options) = (source.to_owned(), options.clone());
    let tags = tokio::task::spawn_blocking(move || Source::open(&source, &options)?.tags());
    Ok(tags.await.map_err(|_| IngestError::Broken)??)
}
