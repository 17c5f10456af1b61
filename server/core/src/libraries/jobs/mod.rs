//! Documentation read in for people in a browser: a job, which goes on when nobody looks, is
//! followed from any page, and can be called off.
//!
//! Jobs are kept in this process alone, the last ones after their end too. Each belongs to who
//! began it; administrators see all. They end with the server.
//!
//! Security properties: no file of the server's machine is read; web addresses only where the
//! settings allow them, and never those that the internet cannot reach.

mod outcome;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;
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
use super::intake::in_words;
use crate::{
    access::{Caller, Forbidden, Scope},
    app::App,
    indexing::{self, family::Family},
    libraries::ingest::{self, IngestError, LATEST, Means, Progress, Report, Request},
};

/// Jobs that run at once.
const AT_ONCE: usize = 2;
/// Jobs that are remembered.
const REMEMBERED: usize = 20;
/// How many follow jobs at once.
const FOLLOWERS: usize = 64;

/// Every job of this server.
pub struct Jobs {
    known: Mutex<VecDeque<Arc<Job>>>,
    places: Arc<Semaphore>,
    followers: Arc<Semaphore>,
    stop: CancellationToken,
    running: TaskTracker,
}

/// The room that a job takes, or that is kept for it while its file comes in.
#[derive(Debug)]
pub struct Place(#[expect(dead_code, reason = "held, not read")] OwnedSemaphorePermit);

/// What somebody wants to be read in.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The library's name.
    pub library: String,
    /// What the library is; as before where nothing is said.
    pub description: Option<String>,
    /// The version's name; the tag or branch, or [`LATEST`], where nothing is said.
    pub version: Option<String>,
    /// The tag, branch or commit of a git repository.
    pub at: Option<String>,
    /// Whether it becomes the version that is meant where none is named.
    pub is_default: bool,
    /// A web address, or a file that was sent.
    pub source: Input,
}

/// How a job is.
#[derive(Debug, Clone)]
pub enum State {
    /// It runs.
    Running(Progress),
    /// It is done.
    Done(Arc<Outcome>),
    /// It failed, in words for who began it; nothing was changed.
    Failed(String),
    /// It was called off; nothing was changed.
    CalledOff,
}

impl State {
    /// Whether there is nothing more to come.
    pub fn is_over(&self) -> bool {
        !matches!(self, Self::Running(_))
    }
}

/// A version that is read in.
#[derive(Debug)]
pub struct Job {
    /// Its id.
    pub id: Uuid,
    /// The library's name.
    pub library: String,
    /// The version's name.
    pub version: String,
    /// The address, or the name of the file that was sent.
    pub source: String,
    /// When it was begun.
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

    /// Returns how it is.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Returns how it is, now and whenever that changes.
    pub fn follow(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Calls it off; one that is over stays what it is.
    pub fn call_off(&self) {
        self.stop.cancel();
    }

    /// Whether it was called off and is about to end.
    pub fn is_ending(&self) -> bool {
        self.stop.is_cancelled() && !self.state.borrow().is_over()
    }

    fn is_seen_by(&self, caller: &Caller) -> bool {
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
    /// Takes the place of a job; none while as many run as may.
    pub fn place(&self) -> Option<Place> {
        let places = Arc::clone(&self.places);
        places.try_acquire_owned().ok().map(Place)
    }

    /// Takes the place of somebody who follows a job; none while there are too many.
    pub fn follower(&self) -> Option<Place> {
        let places = Arc::clone(&self.followers);
        places.try_acquire_owned().ok().map(Place)
    }

    /// Finds a job; one of others is not there, but for administrators.
    pub fn find(&self, caller: &Caller, id: Uuid) -> Option<Arc<Job>> {
        let jobs = self.of(caller);
        jobs.into_iter().find(|job| job.id == id)
    }

    /// Returns the jobs that somebody sees, the last one first.
    pub fn of(&self, caller: &Caller) -> Vec<Arc<Job>> {
        let known = self.known();
        let seen = known.iter().rev().filter(|job| job.is_seen_by(caller));
        seen.cloned().collect()
    }

    /// Calls off what runs, and waits for its end.
    pub async fn end(&self) {
        self.stop.cancel();
        self.running.close();
        self.running.wait().await;
    }

    /// Remembers a job, unless one of the same library runs: two would replace each other.
    fn remember(&self, job: &Arc<Job>) -> bool {
        let mut known = self.known();
        let library = job.library.to_lowercase();
        let running = |other: &&Arc<Job>| !other.state.borrow().is_over();
        let mut running = known.iter().filter(running);
        if running.any(|other| other.library.to_lowercase() == library) {
            return false;
        }
        known.push_back(Arc::clone(job));
        if known.len() > REMEMBERED
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

/// Why a job does not begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// Who asks may not.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// A name cannot be used.
    #[error(transparent)]
    Name(IngestError),
    /// The address is none of the web.
    #[error(
        "the address must be that of a git repository, an archive or a page on the web \
         (https://…); only `recall-kit-server ingest` reads files of the server's machine"
    )]
    NotOnTheWeb,
    /// The settings allow no address of the web.
    #[error(
        "this server reads nothing from the web for people: send a file instead, or ask for \
         the setting libraries.ingest = \"urls\""
    )]
    WebOff,
    /// The library is being read in.
    #[error("{0} is being read in at this moment; wait for its end, or call it off")]
    BeingRead(String),
}

/// Begins a job in a place of its own; returns its id.
///
/// *Errors*: [`BeginError`].
pub fn begin(
    app: &Arc<App>,
    caller: &Caller,
    (place, new): (Place, NewJob),
) -> Result<Uuid, BeginError> {
    caller.require(Scope::Write)?;
    allow(app.catalogue.entries().ingest, &new.source)?;
    let request = request(new);
    request.check_names().map_err(BeginError::Name)?;
    let job = Arc::new(Job::new(caller, &request, (&app.jobs, app.now())));
    if !app.jobs.remember(&job) {
        return Err(BeginError::BeingRead(job.library.clone()));
    }
    let id = job.id;
    let running = run(Arc::clone(app), job, (place, request));
    app.jobs.running.spawn(running);
    Ok(id)
}

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

/// Runs a job to its end, whatever that is.
async fn run(app: Arc<App>, job: Arc<Job>, (place, request): (Place, Request)) {
    let (reading, of, runtime) = (Arc::clone(&app), Arc::clone(&job), Handle::current());
    // A run stays on one thread, which is not one of those that answer requests.
    let read = tokio::task::spawn_blocking(move || runtime.block_on(read(&reading, &of, request)));
    let read = read.await.unwrap_or(Err(IngestError::Broken));
    if read.is_ok() {
        app.vectors_missing.notify_one();
        indexing::catch_up_soon(&app, Family::Chunks);
    }
    // Who hears of the end finds room for the next one.
    drop(place);
    job.state.send_replace(match read {
        Ok(report) => State::Done(Arc::new(report.into())),
        Err(_) if job.stop.is_cancelled() => State::CalledOff,
        Err(error) => State::Failed(in_short(error)),
    });
}

async fn read(app: &App, job: &Job, request: Request) -> Result<Report, IngestError> {
    let describes = app.settings.ai.describe_examples;
    let means = Means {
        store: app.store.as_ref(),
        chat: app.chat.as_ref().filter(|_| describes),
        sandbox: &app.sandbox,
        now: app.now(),
        by: &job.by,
    };
    let heard = |heard: &Progress| drop(job.state.send_replace(State::Running(*heard)));
    ingest::ingest_until(&job.stop, means, request, heard).await
}

/// Says why a job failed; a fault goes to the log, since this is where it is handled.
fn in_short(error: IngestError) -> String {
    let error = in_words(error);
    if error.is_fault() {
        tracing::error!(error = chain(&error), "documentation could not be read in");
    }
    error.body().message
}

#[cfg(test)]
mod tests;
