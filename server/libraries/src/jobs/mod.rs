//! Ingest jobs of the web pages. A job runs in the background, its progress can be followed from any page,
//! and it can be cancelled.
//!
//! Jobs are kept in memory only, the last ones also after their end. A job is visible to the caller who
//! started it and to administrators. All jobs end with the server.
//!
//! Security properties: no file of the server's machine is read. Web addresses are read only if the
//! settings allow it, and never those that are not reachable from the public internet.

mod outcome;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
use recall_kit_core::{
    access::{Caller, Forbidden, Scope},
    indexing,
};
use recall_kit_settings::IngestSources;
use recall_kit_sources::{Input, SourceOptions, is_web_address};
use recall_kit_telemetry::chain;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

pub use self::outcome::Outcome;
use crate::{
    Libraries,
    ingest::{self, IngestError, LATEST, Progress, Report, Request},
    ingest_for_client::in_words,
};

/// The most jobs that run at once.
const AT_ONCE: usize = 2;
/// The most jobs that are kept in the list.
const MAX_KNOWN: usize = 20;
/// The most pages that follow jobs at once.
const FOLLOWERS: usize = 64;

/// Every job of this server.
pub struct Jobs {
    known: Mutex<VecDeque<Arc<Job>>>,
    places: Arc<Semaphore>,
    followers: Arc<Semaphore>,
    stop: CancellationToken,
    running: TaskTracker,
}

/// A permit to run a job, which is also held while its file is uploaded, or to follow one.
#[derive(Debug)]
pub struct Place(#[expect(dead_code, reason = "held, not read")] OwnedSemaphorePermit);

/// A job to be started.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The library's name.
    pub library: String,
    /// The library's description; unchanged when `None`.
    pub description: Option<String>,
    /// The version's name; when `None`, the tag or branch, or else [`LATEST`].
    pub version: Option<String>,
    /// The tag, branch or commit of a git repository.
    pub at: Option<String>,
    /// Whether it becomes the library's default version.
    pub is_default: bool,
    /// A web address, or an uploaded file.
    pub source: Input,
}

/// The state of a job.
#[derive(Debug, Clone)]
pub enum State {
    /// It runs.
    Running(Progress),
    /// It is done.
    Done(Arc<Outcome>),
    /// It failed, with a message for the caller; nothing was changed.
    Failed(String),
    /// It was cancelled; nothing was changed.
    CalledOff,
}

impl State {
    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        !matches!(self, Self::Running(_))
    }
}

/// A job that ingests a version.
#[derive(Debug)]
pub struct Job {
    /// Its id.
    pub id: Uuid,
    /// The library's name.
    pub library: String,
    /// The version's name.
    pub version: String,
    /// The address, or the name of the uploaded file.
    pub source: String,
    /// When it was started.
    pub begun: Timestamp,
    by: Caller,
    stop: CancellationToken,
    state: watch::Sender<State>,
}

impl Job {
    fn new(caller: &Caller, request: &Request, (jobs, now): (&Jobs, Timestamp)) -> Self {
        Self {
            id: Uuid::new_v4(),
            library: request.library.clone(),
            version: request.version.clone(),
            source: request.source.shown(),
            begun: now,
            by: caller.clone(),
            stop: jobs.stop.child_token(),
            state: watch::Sender::new(State::Running(Progress::default())),
        }
    }

    /// Returns its current state.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Returns a receiver of its state and of every change.
    pub fn follow(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Cancels it; has no effect on a job that is over.
    pub fn call_off(&self) {
        self.stop.cancel();
    }

    /// Whether it was cancelled but has not ended yet.
    pub fn is_ending(&self) -> bool {
        self.stop.is_cancelled() && !self.state.borrow().is_over()
    }

    fn is_visible_to(&self, caller: &Caller) -> bool {
        let is_own = (caller.user, caller.key) == (self.by.user, self.by.key);
        caller.scope == Scope::Admin || is_own && (caller.user.is_some() || caller.key.is_some())
    }
}

impl Default for Jobs {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
            followers: Arc::new(Semaphore::new(FOLLOWERS)),
            stop: CancellationToken::new(),
            running: TaskTracker::new(),
        }
    }
}

impl Jobs {
    /// Takes a permit to run a job; `None` while the limit is reached.
    pub fn place(&self) -> Option<Place> {
        let places = Arc::clone(&self.places);
        places.try_acquire_owned().ok().map(Place)
    }

    /// Takes a permit to follow a job; `None` while there are too many followers.
    pub fn follower(&self) -> Option<Place> {
        let places = Arc::clone(&self.followers);
        places.try_acquire_owned().ok().map(Place)
    }

    /// Finds a job that the caller may see.
    pub fn find(&self, caller: &Caller, id: Uuid) -> Option<Arc<Job>> {
        let jobs = self.of(caller);
        jobs.into_iter().find(|job| job.id == id)
    }

    /// Returns the jobs that the caller may see, newest first.
    pub fn of(&self, caller: &Caller) -> Vec<Arc<Job>> {
        let known = self.known();
        let seen = known.iter().rev().filter(|job| job.is_visible_to(caller));
        seen.cloned().collect()
    }

    /// Cancels the running jobs, and waits for their end.
    pub async fn end(&self) {
        self.stop.cancel();
        self.running.close();
        self.running.wait().await;
    }

    /// Adds a job to the list, unless one for the same library is running: they would replace each
    /// other's version.
    fn add(&self, job: &Arc<Job>) -> bool {
        let mut known = self.known();
        let library = job.library.to_lowercase();
        let running = |other: &&Arc<Job>| !other.state.borrow().is_over();
        let mut running = known.iter().filter(running);
        if running.any(|other| other.library.to_lowercase() == library) {
            return false;
        }
        known.push_back(Arc::clone(job));
        if known.len() > MAX_KNOWN
            && let Some(oldest) = known.iter().position(|old| old.state.borrow().is_over())
        {
            known.remove(oldest);
        }
        true
    }

    fn known(&self) -> MutexGuard<'_, VecDeque<Arc<Job>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a job was not started.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// The caller lacks the scope.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// A name cannot be used.
    #[error(transparent)]
    Name(IngestError),
    /// The address is not a web address.
    #[error(
        "the address must be that of a git repository, an archive or a page on the web \
         (https://…); only `recall-kit-server ingest` reads files of the server's machine"
    )]
    NotOnTheWeb,
    /// The settings do not allow web addresses.
    #[error(
        "this server does not ingest from the web: upload a file instead, or ask for \
    the setting libraries.ingest = \"urls\""
    )]
    WebOff,
    /// Another job ingests the library.
    #[error("{0} is being ingested; wait until that is done, or cancel it")]
    BeingRead(String),
}

/// Starts a job that holds a permit; returns its id.
///
/// *Errors*: [`BeginError`].
pub fn begin(
    libraries: &Arc<Libraries>,
    caller: &Caller,
    (place, new): (Place, NewJob),
) -> Result<Uuid, BeginError> {
    caller.require(Scope::Write)?;
    let (app, jobs) = (&libraries.app, &libraries.jobs);
    allow(app.catalogue.entries().ingest, &new.source)?;
    let request = request(new);
    request.check_names().map_err(BeginError::Name)?;
    let job = Arc::new(Job::new(caller, &request, (jobs, app.clock.now())));
    if !jobs.add(&job) {
        return Err(BeginError::BeingRead(job.library.clone()));
    }
    let id = job.id;
    let running = run(Arc::clone(libraries), job, (place, request));
    jobs.running.spawn(running);
    Ok(id)
}

/// Checks that the settings allow a source.
///
/// *Errors*: the settings do not allow the source.
fn allow(allowed: IngestSources, source: &Input) -> Result<(), BeginError> {
    match source {
        Input::Sent(_) => Ok(()),
        Input::Typed(address) if !is_web_address(address) => Err(BeginError::NotOnTheWeb),
        Input::Typed(_) if allowed == IngestSources::Off => Err(BeginError::WebOff),
        Input::Typed(_) => Ok(()),
    }
}

fn request(new: NewJob) -> Request {
    let version = new.version.or_else(|| new.at.clone());
    Request {
        library: new.library,
        description: new.description,
        version: version.unwrap_or_else(|| LATEST.to_owned()),
        at: new.at,
        is_default: new.is_default,
        source: new.source,
        options: SourceOptions::default(),
    }
}

/// Runs a job and sets its final state.
async fn run(libraries: Arc<Libraries>, job: Arc<Job>, (place, request): (Place, Request)) {
    let (reading, of, runtime) = (Arc::clone(&libraries), Arc::clone(&job), Handle::current());
    // A run stays on one blocking thread, so that it does not occupy threads that serve requests.
    let read = tokio::task::spawn_blocking(move || runtime.block_on(read(&reading, &of, request)));
    let read = read.await.unwrap_or(Err(IngestError::Broken));
    if read.is_ok() {
        libraries.app.embedding.request_backfill();
        indexing::catch_up_soon(&libraries.app.chunks);
    }
    // The permit is released before the final state is visible, so that the next job can start.
    drop(place);
    job.state.send_replace(match read {
        Ok(report) => State::Done(Arc::new(report.into())),
        Err(_) if job.stop.is_cancelled() => State::CalledOff,
        Err(error) => State::Failed(message_of(error)),
    });
}

async fn read(libraries: &Libraries, job: &Job, request: Request) -> Result<Report, IngestError> {
    let means = libraries.means(&job.by);
    let report = |progress: &Progress| drop(job.state.send_replace(State::Running(*progress)));
    ingest::ingest_until(&job.stop, means, request, report).await
}

/// Returns the message for a failed job; a fault of the server is logged here.
fn message_of(error: IngestError) -> String {
    let error = in_words(error);
    if error.is_fault() {
        tracing::error!(error = chain(&error), "documentation could not be ingested");
    }
    error.body().message
}

#[cfg(test)]
mod tests;
