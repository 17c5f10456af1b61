//! What is said at each moment of a session, and what is remembered of it.
//!
//! | moment | says | tokens |
//! |---|---|---|
//! | a session starts | what the memory knows of the project's packages | 150 |
//! | a prompt holds an error | what solved it | 400 |
//! | a command failed | what solved it, once for an error; at the second failure the next records | 700 |
//! | the command works again | nothing | 0 |
//! | a turn ends | one line to the user, once | 0 |

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use recall_kit_client::{
    ClientConfig, FormattedExperience, OutcomesMode, QueryRequest, QueryResults, Servers,
    outcomes::OutcomeKind,
};

use super::{
    adoption::{self, Candidate, Seen},
    command,
    context::{self, Context},
    failure::{self, Failure},
    hash::{Hash, hash},
    packages, reports,
    session::{Place, Session, Store},
    turn,
};
use crate::{
    args::GlobalArgs,
    hosts::{Answer, Event, Moment, Ran, Status},
    words::{Words, filled},
};

/// The minimum relevance of a record at a failure: the agent did not ask for it, so it has to be more likely an answer than
/// not.
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
/// The fewest tokens for which records are looked for.
const MIN_TOKENS: usize = 120;
/// The number of records that are looked at for the packages of a project.
const PACKAGE_RECORDS: u32 = 20;
/// The maximum time until a query is answered.
const QUERY_DEADLINE: Duration = Duration::from_millis(1600);
/// The largest page of a server.
const MAX_LIMIT: u32 = 50;

/// An event, with the settings and the state of the session.
pub(super) struct Hooked<'a> {
    global: &'a GlobalArgs,
    config: ClientConfig,
    event: &'a Event,
    /// `None` if the host names no session, so that nothing can be remembered.
    memory: Option<Memory<'a>>,
}

/// The state of the event's session.
struct Memory<'a> {
    store: Store,
    session: &'a str,
}

impl Memory<'_> {
    /// Changes the state; `None` if it cannot be used, and then nothing is said.
    fn update<T>(&self, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.store.update(self.session, change).ok()
    }
}

impl<'a> Hooked<'a> {
    /// Reads the settings; `None` if they cannot be used.
    pub(super) fn new(global: &'a GlobalArgs, event: &'a Event) -> Option<Self> {
        let config = global.read_config().ok()?.config;
        let memory = match &event.session {
            Some(session) => Some(Memory {
                store: Store::of_user()?,
                session,
            }),
            None => None,
        };
        Some(Self {
            global,
            config,
            event,
            memory,
        })
    }

    /// Handles the event, unless another hook was told about it, too.
    pub(super) async fn handle(&self) -> Option<Answer> {
        let call = self.call();
        if let Some(memory) = &self.memory {
            // A session starts once, also if it is resumed.
            let is_id = self.event.call.is_some() || self.event.moment == Moment::Start;
            let is_new = memory.update(|session| session.is_new(call, is_id, now()))?;
            is_new.then_some(())?;
        }
        match &self.event.moment {
            Moment::Start => self.start().await,
            Moment::Prompt(prompt) => self.prompt(prompt).await,
            Moment::Command(ran) => self.command(ran).await,
            Moment::Edit(text) => {
                self.done(text);
                None
            }
            Moment::Stop(transcript) => self.stop(transcript.as_deref()),
        }
    }

    /// Returns what stands for the event: the id of the call, or what happened.
    fn call(&self) -> Hash {
        let what = match (&self.event.call, &self.event.moment) {
            (Some(id), _) => id.clone(),
            (None, Moment::Start) => "start".to_owned(),
            (None, Moment::Prompt(text)) => format!("prompt {text}"),
            (None, Moment::Command(ran)) => format!("command {} {}", ran.line, ran.output),
            (None, Moment::Edit(text)) => format!("edit {text}"),
            (None, Moment::Stop(_)) => "stop".to_owned(),
        };
        hash(&what)
    }

    async fn start(&self) -> Option<Answer> {
        let packages = packages::of(self.event.folder.as_deref()?);
        (!packages.is_empty()).then_some(())?;
        let left = self.reserve(START_TOKENS)?;
        let request = QueryRequest::keywords(packages.join(" ")).with_limit(PACKAGE_RECORDS);
        let found = self.query(request, 0.0).await.unwrap_or_default();
        let found = found.experiences;
        let about = |record: &FormattedExperience| {
            packages
                .iter()
                .any(|package| packages::names(&record.title, package))
        };
        let records: Vec<_> = found.into_iter().filter(about).take(MAX_RECORDS).collect();
        let context = context::titles(&records, &self.origin(), left, START_BYTES);
        self.say(left, context, &records, None)
    }

    async fn prompt(&self, prompt: &str) -> Option<Answer> {
        let found = failure::in_prompt(prompt);
        let error = found.as_ref().map(|failure| hash(&failure.fingerprint));
        if let Some(memory) = &self.memory {
            let is_wanted = memory.update(|session| {
                session.learn(adoption::hashes(prompt));
                error.is_some_and(|error| session.may_recall(error))
            })?;
            is_wanted.then_some(())?;
        }
        self.recall(&found?, PROMPT_TOKENS, MIN_PROMPT_RELEVANCE, None)
            .await
    }

    async fn command(&self, ran: &Ran) -> Option<Answer> {
        let Some(failure) = failure::of(ran) else {
            let seen = self.works(ran);
            self.report(seen).await;
            return None;
        };
        let place = self.place(&ran.line);
        let error = hash(&failure.fingerprint);
        if let Some(memory) = &self.memory {
            let (is_wanted, refuted) = memory.update(|session| {
                let open = session.fail(place, error);
                let recall_id = open.recall_id.clone();
                let candidates = open.candidates.iter_mut();
                let refuted: Vec<Seen> = candidates
                    .filter_map(|candidate| {
                        let fails = candidate.fails_again();
                        fails.then(|| candidate.seen(OutcomeKind::DidNotWork, recall_id.as_ref()))
                    })
                    .collect();
                session.learn(adoption::hashes(&ran.line));
                session.learn(adoption::hashes(&failure.message));
                (session.may_recall(error), refuted)
            })?;
            self.report(refuted).await;
            is_wanted.then_some(())?;
        }
        self.recall(&failure, FAILURE_TOKENS, MIN_RELEVANCE, Some(place))
            .await
    }

    /// Records a command that did not fail: it may solve failures, and it may be what a record advises. Returns what was seen
    /// to come of records.
    fn works(&self, ran: &Ran) -> Vec<Seen> {
        let is_viewer = command::is_viewer(&ran.line);
        if ran.line.is_empty() || is_viewer {
            return Vec::new();
        }
        self.done(&ran.line);
        let (Some(memory), false) = (&self.memory, ran.status == Status::Failed) else {
            return Vec::new();
        };
        let place = self.place(&ran.line);
        let shown = failure::fingerprints(&ran.output);
        let shown = shown.iter().map(|error| hash(error)).collect();
        let seen = memory.update(|session| {
            let mut seen = Vec::new();
            for open in session.succeed(place, &shown) {
                session.solved = session.solved.saturating_add(open.is_effort().into());
                let recall_id = open.recall_id.as_ref();
                let helped = adoption::helped(&open.candidates);
                seen.extend(helped.map(|(candidate, outcome)| candidate.seen(outcome, recall_id)));
                let first = open.candidates.first();
                session.asked_about = first.map(|candidate| candidate.id.clone());
            }
            seen
        });
        seen.unwrap_or_default()
    }

    /// Reports what was seen to come of records, if the settings say so.
    async fn report(&self, seen: Vec<Seen>) {
        if seen.is_empty() || self.config.outcomes != OutcomesMode::Observe {
            return;
        }
        if let Some(servers) = self.servers() {
            reports::send(&servers, seen).await;
        }
    }

    /// Records what the agent ran or wrote.
    fn done(&self, text: &str) {
        let Some(memory) = &self.memory else { return };
        let terms = adoption::hashes(text);
        memory.update(|session| {
            for open in &mut session.open {
                open.steps = open.steps.saturating_add(1);
                for candidate in &mut open.candidates {
                    candidate.use_terms(&terms);
                }
            }
            session.learn(terms);
        });
    }

    /// Tells the user once how to share, if something was solved that took effort; or, if the settings say so, how to say
    /// whether the record that was shown for it helped.
    fn stop(&self, transcript: Option<&Path>) -> Option<Answer> {
        let turn = transcript.and_then(turn::read);
        let has_shared = turn.as_ref().is_some_and(turn::Turn::has_shared);
        let (is_offered, record) = match &self.memory {
            Some(memory) => memory.update(|session| {
                let is_solved = session.solved > 0 && !session.is_offered && !has_shared;
                session.is_offered |= is_solved;
                (is_solved, session.asked_about.clone())
            })?,
            None => (turn.is_some_and(|turn| turn.is_solved()), None),
        };
        let words = Words::from_locale().agents;
        let record = record.filter(|_| self.config.outcomes == OutcomesMode::Ask);
        let message = match record {
            Some(id) => filled(words.ask_outcome, &[&id]),
            None => words.share.to_owned(),
        };
        is_offered.then_some(Answer::Message(message))
    }

    /// Looks for records about an error and shows those that were not shown before.
    async fn recall(
        &self,
        failure: &Failure,
        max_tokens: usize,
        min_relevance: f64,
        place: Option<Place>,
    ) -> Option<Answer> {
        let left = self.reserve(max_tokens)?;
        let shown = match &self.memory {
            Some(memory) => memory.update(|session| session.shown())?,
            None => 0,
        };
        let limit = u32::try_from(MAX_RECORDS + shown)
            .unwrap_or(MAX_LIMIT)
            .min(MAX_LIMIT);
        let request = QueryRequest::from_text(failure.message.clone()).with_limit(limit);
        let results = self.query(request, min_relevance).await.unwrap_or_default();
        let (found, recall_id) = (results.experiences, results.recall_id);
        let known = match &self.memory {
            Some(memory) => memory.update(|session| {
                let known = found.iter().filter(|record| session.has_shown(&record.id));
                known.map(|record| record.id.clone()).collect::<Vec<_>>()
            })?,
            None => Vec::new(),
        };
        let fresh = found
            .into_iter()
            .filter(|record| !known.contains(&record.id));
        let records: Vec<_> = fresh.take(MAX_RECORDS).collect();
        let context = context::records(&records, &self.origin(), left);
        let failure = place.map(|place| Shown {
            place,
            error: hash(&failure.fingerprint),
            recall_id,
        });
        self.say(left, context, &records, failure)
    }

    /// Reserves tokens, so that a hook that runs at the same time does not use them, too. Returns how many there are; `None` if
    /// too few are left.
    fn reserve(&self, wanted: usize) -> Option<usize> {
        let most = self.config.hooks.tokens_per_session as usize;
        let Some(memory) = &self.memory else {
            let left = wanted.min(most);
            return (left >= MIN_TOKENS).then_some(left);
        };
        memory.update(|session| {
            let left = most.saturating_sub(session.tokens).min(wanted);
            let is_enough = left >= MIN_TOKENS;
            session.tokens += if is_enough { left } else { 0 };
            is_enough.then_some(left)
        })?
    }

    /// Says what was found, and remembers it. Tokens that were reserved and are not used are returned.
    fn say(
        &self,
        reserved: usize,
        context: Option<Context>,
        records: &[FormattedExperience],
        failure: Option<Shown>,
    ) -> Option<Answer> {
        let used = context.as_ref().map_or(0, |context| context.tokens);
        let shown = context.as_ref().map_or(0, |context| context.shown);
        let shown = records.get(..shown).unwrap_or_default();
        let is_observed = self.config.outcomes != OutcomesMode::Off;
        if let Some(memory) = &self.memory {
            memory.update(|session| {
                session.tokens = session.tokens.saturating_sub(reserved.saturating_sub(used));
                for record in shown {
                    session.show(&record.id);
                }
                if let Some(failure) = failure.filter(|_| is_observed) {
                    let candidates = candidates(shown, session);
                    if let Some(open) = session.open_at(failure.place, failure.error) {
                        open.candidates.extend(candidates);
                        open.recall_id = failure.recall_id.or(open.recall_id.take());
                    }
                }
            })?;
        }
        context.map(|context| Answer::Context(context.text))
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
        let folder = self.event.folder.clone().unwrap_or_default();
        Place {
            family: hash(&command::family(line)),
            folder: hash(&folder.to_string_lossy()),
        }
    }
}

/// The failure for which records are shown.
struct Shown {
    place: Place,
    error: Hash,
    /// The server's id of the query.
    recall_id: Option<String>,
}

/// Returns what the records bring that the session does not have.
fn candidates(records: &[FormattedExperience], session: &Session) -> Vec<Candidate> {
    let solution = |record: &FormattedExperience| match &record.code {
        Some(code) => format!("{}\n```\n{code}\n```", record.solution),
        None => record.solution.clone(),
    };
    let all: Vec<String> = records.iter().map(solution).collect();
    let both = records.iter().zip(&all);
    both.map(|(record, solution)| {
        Candidate::of(
            &record.id,
            record.origin.as_deref(),
            solution,
            &|term| session.knows(term),
            &all,
        )
    })
    .collect()
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
