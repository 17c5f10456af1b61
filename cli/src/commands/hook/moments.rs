//! What is said at each moment of a session, and what is remembered of it.
//!
//! | moment | says | tokens |
//! |---|---|---|
//! | a session starts | what the memory knows of the project's packages | 150 |
//! | a prompt holds an error | what solved it | 400 |
//! | a command failed | what solved it, once for an error; at the second failure the next records | 700 |
//! | the command works again | nothing | 0 |
//! | a turn ends | one line to the user, once | 0 |

#[cfg(test)]
mod tests;

use std::{path::Path, time::Duration};

use recall_kit_client::{
    ClientConfig, FormattedExperience, OutcomesMode, QueryRequest, QueryResults, Servers,
};

use super::{
    adoption::{self, Seen, Use},
    command::{self, Main},
    context::{self, Context},
    failure::{self, Ended, Failure},
    hash::Hash,
    reports::Reports,
    session::{EndedEpisode, Part, Place, Session},
    session_state::SessionState,
    turn,
};
use crate::{
    args::GlobalArgs,
    hosts::{Answer, Event, Host, Moment, Ran},
    words::{Words, filled},
};

/// The minimum relevance of a record at a failure: the agent did not ask for it, so it has to be more likely an answer
/// than not.
const MIN_RELEVANCE: f64 = 0.5;
/// The same at a prompt, where the user may want something else.
const MIN_PROMPT_RELEVANCE: f64 = 0.7;
/// The maximum number of records.
const MAX_RECORDS: usize = 3;
/// The most tokens at a failure, at a prompt and at the start of a session.
const FAILURE_TOKENS: usize = 700;
const PROMPT_TOKENS: usize = 400;
const START_TOKENS: usize = 150;
/// The size of what is said at the start of a session. *Unit*: bytes.
const START_BYTES: usize = 400;
/// The number of records that are looked at for the packages of a project.
const PACKAGE_RECORDS: u32 = 20;
/// The maximum time until a query is answered.
const QUERY_DEADLINE: Duration = Duration::from_millis(1600);
/// The largest page of a server.
const MAX_LIMIT: u32 = 50;

/// An event, with the settings and the state of the session.
pub(super) struct Hooked<'a> {
    global: &'a GlobalArgs,
    pub(super) config: ClientConfig,
    host: &'static Host,
    pub(super) event: &'a Event,
    state: SessionState,
    /// The hash of the call, which is the same for every hook that is told about it.
    call: Hash,
}

impl<'a> Hooked<'a> {
    /// Reads the settings; `None` if they or the state of the session cannot be used.
    pub(super) fn new(
        global: &'a GlobalArgs,
        host: &'static Host,
        event: &'a Event,
    ) -> Option<Self> {
        let config = global.read_config().ok()?.config;
        let state = SessionState::of(event)?;
        let call = state.hasher().hash(&call(event));
        Some(Self {
            global,
            config,
            host,
            event,
            state,
            call,
        })
    }

    /// Returns whether the host passes on such an answer to this event. If not, nothing is looked for and nothing is
    /// used up.
    fn takes(&self, answer: fn(String) -> Answer) -> bool {
        (self.host.output)(self.event, &answer(String::new())).is_some()
    }

    /// Handles the event, unless another hook was told about it, too. What is to be reported is added to `reports`
    /// before anything that may take time.
    pub(super) async fn handle(&self, reports: &mut Reports) -> Option<Answer> {
        // A session starts once, also if it is resumed.
        let is_id = self.event.call.is_some() || self.event.moment == Moment::Start;
        let server = reports.servers.as_ref().map(|servers| {
            let url = servers.chosen().server_url().to_string();
            self.state.hasher().hash(&url)
        });
        let (is_first, is_new) = self.state.update(|session| {
            session.host = self.host.word();
            session.report_to(server);
            let is_first = session.is_untouched();
            (is_first, session.is_new(self.call, is_id, self.state.now))
        })?;
        is_new.then_some(())?;
        if let Some(server) = server.filter(|_| is_first) {
            self.report_stopped(server, reports);
        }
        match &self.event.moment {
            Moment::Start => self.start().await,
            Moment::Prompt(prompt) => self.prompt(prompt).await,
            Moment::Command(ran) => self.command(ran, reports).await,
            Moment::Edit(text) => {
                self.act(text, Use::Done);
                None
            }
            Moment::Stop(transcript) => self.stop(transcript.as_deref(), reports),
        }
    }

    /// Returns the servers for the reports of what was seen; `None` if the settings want none.
    pub(super) fn reporting(&self) -> Option<Servers> {
        let is_observed = self.config.outcomes == OutcomesMode::Observe;
        is_observed.then(|| self.servers())?
    }

    async fn start(&self) -> Option<Answer> {
        self.takes(Answer::Context).then_some(())?;
        let packages = recall_kit_environment::public_names(self.event.folder.as_deref()?);
        (!packages.is_empty()).then_some(())?;
        let left = self.begin(None, START_TOKENS)?;
        // The session may be resumed when the server is there again.
        let mut undo = Undo::new(self, true);
        let request = QueryRequest::keywords(packages.join(" ")).with_limit(PACKAGE_RECORDS);
        let found = self.query(request, 0.0).await?;
        let about = |record: &FormattedExperience| {
            packages
                .iter()
                .any(|package| recall_kit_environment::is_named(&record.title, package))
        };
        let records = found.experiences.into_iter().filter(about);
        let records: Vec<_> = records.take(MAX_RECORDS).collect();
        let context = context::titles(&records, &self.origin(), left, START_BYTES);
        let tokens = context.as_ref().map_or(0, |context| context.tokens);
        // A title is no record: its solution is still to be shown when the error occurs.
        self.state
            .update(|session| session.end(self.call, None, tokens))?;
        undo.is_needed = false;
        context.map(|context| Answer::Context(context.text))
    }

    async fn prompt(&self, prompt: &str) -> Option<Answer> {
        let terms = adoption::hashes(self.state.hasher(), prompt);
        self.state.update(|session| session.learn(terms))?;
        let failure = failure::in_prompt(prompt)?;
        self.recall(&failure, PROMPT_TOKENS, MIN_PROMPT_RELEVANCE, None)
            .await
    }

    async fn command(&self, ran: &Ran, reports: &mut Reports) -> Option<Answer> {
        match failure::ended(ran) {
            Ended::Failed(failure) => {
                let place = self.place(&ran.line);
                self.failed(ran, &failure, &place, reports)?;
                self.recall(&failure, FAILURE_TOKENS, MIN_RELEVANCE, Some(&place))
                    .await
            }
            Ended::NotRun => None,
            _ if ran.line.is_empty() || command::is_viewer(&ran.line) => None,
            Ended::Worked { mains, is_certain } => {
                self.act(&ran.line, Use::Done);
                self.works(ran, mains, is_certain, reports);
                None
            }
            Ended::Silently | Ended::Unknown => {
                self.act(&ran.line, Use::Tried);
                None
            }
        }
    }

    /// Records a command that failed: it may be what a record advises, too.
    fn failed(
        &self,
        ran: &Ran,
        failure: &Failure,
        place: &Place,
        reports: &mut Reports,
    ) -> Option<()> {
        let hasher = self.state.hasher();
        let error = hasher.hash(&failure.fingerprint);
        let run = adoption::hashes(hasher, &ran.line);
        let said = adoption::hashes(hasher, &failure.message);
        let now = self.state.now_ms;
        let (refuted, ended) = self.state.update(|session| {
            session.act(run, Use::Tried);
            session.learn(said);
            let failed = session.fail(place, error, now);
            let forgotten = failed.forgotten.into_iter();
            let ended = forgotten.filter_map(|open| session.ended(open, false, now));
            (failed.refuted, ended.collect())
        })?;
        reports.seen = refuted;
        self.report(ended, reports);
        Some(())
    }

    /// Records commands that worked: they may solve failures. What came of records is reported only if it is certain
    /// that they worked.
    fn works(&self, ran: &Ran, mains: Vec<Main>, is_certain: bool, reports: &mut Reports) {
        let place = self.place_of(&ran.line, mains);
        let shown = failure::fingerprints(&ran.output);
        let shown = shown
            .iter()
            .map(|error| self.state.hasher().hash(error))
            .collect();
        let recorded = self.state.update(|session| {
            let (mut seen, mut ended) = (Vec::new(), Vec::new());
            for open in session.succeed(&place, &shown) {
                session.solved = session.solved.saturating_add(open.is_effort().into());
                let helped = adoption::helped(open.candidates()).filter(|_| is_certain);
                seen.extend(helped.map(|(candidate, outcome)| Seen {
                    environment: open.environment().cloned(),
                    ..candidate.seen(outcome)
                }));
                if let Some(first) = open.candidates().first() {
                    session.asked_about = Some(first.id.clone());
                }
                ended.extend(session.ended(open, true, self.state.now_ms));
            }
            (seen, ended)
        });
        if let Some((seen, ended)) = recorded {
            reports.seen = seen;
            self.report(ended, reports);
        }
    }

    /// Adds episodes that ended to the reports.
    fn report(&self, ended: Vec<EndedEpisode>, reports: &mut Reports) {
        let episodes = ended.into_iter();
        let episodes = episodes.map(|episode| episode.report(self.host.word()));
        reports.episodes.extend(episodes);
    }

    /// Adds what was counted for the server in other sessions that just stopped.
    fn report_stopped(&self, server: Hash, reports: &mut Reports) {
        let stopped = self.state.stopped(server).into_iter();
        let stopped = stopped.map(|(host, episode)| episode.report(host));
        reports.episodes.extend(stopped);
    }

    /// Records what the agent ran or wrote.
    fn act(&self, text: &str, how: Use) {
        let terms = adoption::hashes(self.state.hasher(), text);
        self.state.update(|session| session.act(terms, how));
    }

    /// Tells the user once how to share, if something was solved that took effort. Before that, and if the settings say
    /// so, also once how to say whether a record helped that was shown for what was solved. Ends the episodes that are
    /// given up.
    fn stop(&self, transcript: Option<&Path>, reports: &mut Reports) -> Option<Answer> {
        let now = self.state.now_ms;
        let given_up = self.state.update(|session| session.give_up(now))?;
        self.report(given_up, reports);
        self.takes(Answer::Message).then_some(())?;
        let turn = transcript.and_then(turn::read);
        let has_shared = turn.as_ref().is_some_and(turn::Turn::has_shared);
        let is_named = self.event.session.is_some();
        let can_ask = self.config.outcomes == OutcomesMode::Ask;
        let words = Words::from_locale().agents;
        let message = self.state.update(|session| {
            let record = session.asked_about.clone();
            if let Some(id) = record.filter(|_| can_ask && !session.is_asked) {
                session.is_asked = true;
                return Some(filled(words.ask_outcome, &[&id]));
            }
            // Without an id of the session, the transcript knows better what belongs to it.
            let is_solved = match &turn {
                Some(turn) if !is_named => turn.is_solved(),
                _ => session.solved > 0 && !has_shared,
            };
            let is_offered = is_solved && !session.is_offered;
            session.is_offered |= is_offered;
            is_offered.then(|| words.share.to_owned())
        })?;
        message.map(Answer::Message)
    }

    /// Looks for records about an error and shows those that were not shown before.
    async fn recall(
        &self,
        failure: &Failure,
        max_tokens: usize,
        min_relevance: f64,
        place: Option<&Place>,
    ) -> Option<Answer> {
        self.takes(Answer::Context).then_some(())?;
        let error = self.state.hasher().hash(&failure.fingerprint);
        let left = self.begin(Some(error), max_tokens)?;
        let mut undo = Undo::new(self, false);
        let shown = self.state.update(|session| session.shown())?;
        let limit = u32::try_from(MAX_RECORDS + shown)
            .unwrap_or(MAX_LIMIT)
            .min(MAX_LIMIT);
        let environment = self.environment().await;
        let request = QueryRequest::from_text(failure.message.clone()).with_limit(limit);
        let request = request.with_environment(environment.clone());
        let results = self.query(request, min_relevance).await?;
        let (found, recall_id) = (results.experiences, results.recall_id);
        let chosen_id = recall_id.clone().or(results.chosen_recall_id);
        let is_fresh =
            |session: &Session, record: &FormattedExperience| !session.has_shown(&record.id);
        let records: Vec<FormattedExperience> = self.state.update(|session| {
            let fresh = found.into_iter().filter(|record| is_fresh(session, record));
            fresh.take(MAX_RECORDS).collect()
        })?;
        let context = context::records(&records, &self.origin(), left);
        let shown = context.as_ref().map_or(0, |context| context.shown);
        let shown = records.get(..shown).unwrap_or_default();
        let watched = match self.config.outcomes {
            OutcomesMode::Off => Vec::new(),
            _ => self.candidates(shown),
        };
        let tokens = context.as_ref().map_or(0, |context| context.tokens);
        self.state.update(|session| {
            session.end(self.call, Some(error), tokens);
            shown.iter().for_each(|record| session.show(&record.id));
            if !shown.is_empty() {
                session.show_for(error, chosen_id);
            }
            session.watch(place, error, watched, recall_id.as_deref());
            if let (Some(place), Some(environment)) = (place, environment) {
                session.observe(place, error, environment);
            }
        })?;
        undo.is_needed = false;
        context.map(|context: Context| Answer::Context(context.text))
    }

    /// Begins a recall: reserves tokens, so that a hook that runs at the same time does not use them, too. Returns how
    /// many there are; `None` if there are too few, or there were enough recalls for the error.
    fn begin(&self, error: Option<Hash>, wanted: usize) -> Option<usize> {
        let most = self.config.hooks.tokens_per_session as usize;
        let now = self.state.now;
        self.state
            .update(|session| session.begin(self.call, error, wanted, most, now))?
    }

    /// Returns what records bring; a record's code belongs to its solution.
    fn candidates(&self, records: &[FormattedExperience]) -> Vec<adoption::Candidate> {
        let solution = |record: &FormattedExperience| match &record.code {
            Some(code) => format!("{}\n```\n{code}\n```", record.solution),
            None => record.solution.clone(),
        };
        let all = records.iter();
        let all: Vec<_> = all
            .map(|record| {
                (
                    record.id.as_str(),
                    record.origin.as_deref(),
                    solution(record),
                )
            })
            .collect();
        adoption::candidates(self.state.hasher(), &all)
    }

    async fn query(&self, request: QueryRequest, min_relevance: f64) -> Option<QueryResults> {
        let servers = self.servers()?;
        // It ends before the whole hook does, so that reserved tokens are returned.
        let answered = tokio::time::timeout(QUERY_DEADLINE, servers.query(request));
        let mut results = answered.await.ok()?.ok()?;
        results.retain_from(min_relevance);
        Some(results)
    }

    fn servers(&self) -> Option<Servers> {
        self.global.servers(self.config.clone()).ok()
    }

    /// Returns the name of the only server.
    fn origin(&self) -> String {
        let url = self
            .config
            .server
            .url
            .parse::<recall_kit_client::ServerUrl>();
        match url {
            Ok(recall_kit_client::ServerUrl::Local) => "this machine".to_owned(),
            Ok(url) => url.to_string(),
            Err(_) => String::new(),
        }
    }

    fn place(&self, line: &str) -> Place {
        self.place_of(line, command::mains(line))
    }

    /// Returns where these commands of a line ran.
    fn place_of(&self, line: &str, mains: Vec<Main>) -> Place {
        let hasher = self.state.hasher();
        let folder = self.event.folder.clone().unwrap_or_default();
        let folder = command::folder(line, &folder);
        let parts = mains.iter().map(|main| Part::of(&main.family, hasher));
        Place::new(parts.collect(), hasher.hash(&folder.to_string_lossy()))
    }
}

/// Takes a recall back that does not come to its end: without an answer, or because the time is up.
struct Undo<'a> {
    hooked: &'a Hooked<'a>,
    /// Whether the event counts as new when it comes again.
    forgets: bool,
    is_needed: bool,
}

impl<'a> Undo<'a> {
    fn new(hooked: &'a Hooked<'a>, forgets: bool) -> Self {
        Self {
            hooked,
            forgets,
            is_needed: true,
        }
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        if !self.is_needed {
            return;
        }
        let call = self.hooked.call;
        self.hooked.state.update(|session| {
            session.cancel(call);
            if self.forgets {
                session.forget(call);
            }
        });
    }
}

/// Returns what stands for the event: the id of the call, or what happened.
fn call(event: &Event) -> String {
    match (&event.call, &event.moment) {
        (Some(id), _) => id.clone(),
        (None, Moment::Start) => "start".to_owned(),
        (None, Moment::Prompt(text)) => format!("prompt {text}"),
        (None, Moment::Command(ran)) => format!("command {} {}", ran.line, ran.output),
        (None, Moment::Edit(text)) => format!("edit {text}"),
        (None, Moment::Stop(_)) => "stop".to_owned(),
    }
}
