//! Several servers, such as the team's and the public one. Queries go to all of them; the results are
//! merged by relevance and labelled with their origin. Submissions go to one of them.

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    Error, Flushed, FormattedExperience, Kept, Outbox, OutboxError, QueryRequest, QueryResults,
    RecallKitClient, Recipient, query::MIN_RELEVANCE,
};

/// The page size that servers use if a request gives none.
const DEFAULT_LIMIT: u32 = 10;
/// The largest page size of a server.
const MAX_LIMIT: u32 = 50;
/// The maximum depth of the merged list; each server has to be read up to there.
const MAX_DEPTH: u32 = 500;

/// The clients of all servers that the settings name.
#[derive(Debug)]
pub struct Servers {
    clients: Arc<[RecallKitClient]>,
    chosen: usize,
    deadline: Duration,
    /// The running queries. They continue when the caller no longer waits for the answer, within each
    /// client's own time limits, so that a connection is completely opened, or a dead one given up.
    running: Mutex<JoinSet<()>>,
}

/// A server whose answer is missing among the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// The server's name in the settings.
    pub server: String,
    /// The reason, in words for people.
    pub reason: String,
}

/// Answers of servers, each with the server's name if there are several, in the settings' order.
pub(crate) struct Answers<T> {
    pub(crate) answered: Vec<(Option<String>, T)>,
    pub(crate) unanswered: Vec<Unanswered>,
}

impl Servers {
    /// `chosen` is the index of the client that submissions go to.
    pub(crate) fn new(clients: Vec<RecallKitClient>, chosen: usize, deadline: Duration) -> Self {
        Self {
            clients: clients.into(),
            chosen,
            deadline,
            running: Mutex::default(),
        }
    }

    /// Returns the client of every server, in the settings' order.
    pub fn all(&self) -> &[RecallKitClient] {
        &self.clients
    }

    /// Returns the client of the server that submissions go to.
    pub fn chosen(&self) -> &RecallKitClient {
        let chosen = self.clients.get(self.chosen);
        chosen.expect("the settings name it, or there is only one")
    }

    /// Queries every server and merges the results by relevance. Once one server has answered, the others
    /// have until the settings' `queryDeadline`; servers that do not answer in time are named in
    /// [`QueryResults::unanswered`].
    ///
    /// *Errors*: if no server answers, the error of [`RecallKitClient::query`] of the server that
    /// submissions go to.
    pub async fn query(&self, request: impl Into<QueryRequest>) -> Result<QueryResults, Error> {
        let request = self.chosen().analyzed(request.into()).await;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        let depth = request.offset.unwrap_or(0).saturating_add(limit);
        // The chosen server rejects an invalid request with the contract's error.
        let is_invalid = !(1..=MAX_LIMIT).contains(&limit);
        if self.clients.len() == 1 || is_invalid || depth > MAX_DEPTH {
            return self.chosen().query(request).await;
        }
        let asked = request.clone();
        let answers = self
            .ask_each(move |client| best(client, asked.clone(), depth).boxed())
            .await;
        self.merged(answers, &request)
    }

    /// Asks every server; each answer has its server's place. Once one server has answered, the others have until
    /// the settings' `queryDeadline`; those that do not answer in time have `None`.
    async fn ask_each<T, F>(&self, ask: F) -> Vec<Option<Result<T, Error>>>
    where
        T: Send + 'static,
        F: for<'a> Fn(&'a RecallKitClient) -> BoxFuture<'a, Result<T, Error>>,
        F: Send + Sync + 'static,
    {
        let mut answered = self.start(ask);
        let deadline = Instant::now() + self.deadline;
        let mut answers: Vec<Option<_>> = self.clients.iter().map(|_| None).collect();
        loop {
            let has_one = answers.iter().any(|it| matches!(it, Some(Ok(_))));
            let next = tokio::select! {
                biased;
                next = answered.recv() => next,
                () = sleep_until(deadline), if has_one => None,
            };
            let Some((number, answer)) = next else {
                return answers;
            };
            if let Some(slot) = answers.get_mut::<usize>(number) {
                *slot = Some(answer);
            }
        }
    }

    /// Starts asking every server; each answer comes with the server's index.
    fn start<T, F>(&self, ask: F) -> mpsc::Receiver<(usize, Result<T, Error>)>
    where
        T: Send + 'static,
        F: for<'a> Fn(&'a RecallKitClient) -> BoxFuture<'a, Result<T, Error>>,
        F: Send + Sync + 'static,
    {
        let (answers, answered) = mpsc::channel(self.clients.len());
        let ask = Arc::new(ask);
        for number in 0..self.clients.len() {
            let (clients, ask) = (Arc::clone(&self.clients), Arc::clone(&ask));
            let answers = answers.clone();
            self.spawn(async move {
                if let Some(client) = clients.get(number) {
                    let answer = ask(client).await;
                    // The receiver is gone if the answer comes too late.
                    let _ = answers.send((number, answer)).await;
                }
            });
        }
        answered
    }

    /// Runs a call in the background; [`Servers::close`] ends it.
    fn spawn(&self, call: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn(call);
    }

    /// Asks every server, like [`Servers::query`]; with one server, its answer has no label.
    ///
    /// *Errors*: if no server answers, the error of the one that submissions go to.
    pub(crate) async fn ask<T, F>(&self, ask: F) -> Result<Answers<T>, Error>
    where
        T: Send + 'static,
        F: for<'a> Fn(&'a RecallKitClient) -> BoxFuture<'a, Result<T, Error>>,
        F: Send + Sync + 'static,
    {
        if self.clients.len() == 1 {
            let answered = vec![(None, ask(self.chosen()).await?)];
            let unanswered = Vec::new();
            return Ok(Answers {
                answered,
                unanswered,
            });
        }
        self.separated(self.ask_each(ask).await)
    }

    /// Merges the answers and returns the requested page.
    fn merged(
        &self,
        answers: Vec<Option<Result<QueryResults, Error>>>,
        request: &QueryRequest,
    ) -> Result<QueryResults, Error> {
        let Answers {
            answered,
            unanswered,
        } = self.separated(answers)?;
        let mut all = QueryResults {
            unanswered,
            ..QueryResults::default()
        };
        for (server, found) in answered {
            let server = server.unwrap_or_default();
            if server == self.chosen().label() {
                all.chosen_recall_id.clone_from(&found.recall_id);
            }
            all.add(found, &server);
        }
        let offset = request.offset.unwrap_or(0) as usize;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        all.retain_from(MIN_RELEVANCE);
        Ok(all.page(offset, limit))
    }

    /// Separates the answers, each with the name of its server, from the servers that did not answer.
    ///
    /// *Errors*: if no server answered, the error of the one that submissions go to.
    fn separated<T>(
        &self,
        mut answers: Vec<Option<Result<T, Error>>>,
    ) -> Result<Answers<T>, Error> {
        if !answers.iter().any(|it| matches!(it, Some(Ok(_)))) {
            let own = answers.get_mut(self.chosen).and_then(Option::take);
            let error = own.into_iter().chain(answers.into_iter().flatten());
            let stopped = || Error::Answer {
                server: self.chosen().label(),
                reason: "the query was stopped".to_owned(),
            };
            return Err(error.flat_map(Result::err).next().unwrap_or_else(stopped));
        }
        let (mut answered, mut unanswered) = (Vec::new(), Vec::new());
        for (client, answer) in self.clients.iter().zip(answers) {
            let server = client.label();
            let reason = match answer {
                Some(Ok(found)) => {
                    answered.push((Some(server), found));
                    continue;
                }
                Some(Err(error)) => error.to_string(),
                None => format!("no answer within {} ms", self.deadline.as_millis()),
            };
            unanswered.push(Unanswered { server, reason });
        }
        Ok(Answers {
            answered,
            unanswered,
        })
    }

    /// Asks the server that submissions go to, and waits for the answer for a limited time. The call continues
    /// after that: dropping it would kill a local server that is still starting.
    pub(crate) async fn chosen_within<T, F>(&self, limit: Duration, ask: F) -> Option<T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a RecallKitClient) -> BoxFuture<'a, T> + Send + 'static,
    {
        let (clients, chosen) = (Arc::clone(&self.clients), self.chosen);
        let (answer, answered) = oneshot::channel();
        let asking = async move {
            if let Some(client) = clients.get(chosen) {
                // The receiver is gone if the answer comes too late.
                let _ = answer.send(ask(client).await);
            }
        };
        self.spawn(asking);
        timeout(limit, answered).await.ok()?.ok()
    }

    /// Sends the experiences in the outbox to the servers they were confirmed for; with [`Recipient::Any`]
    /// the rest to the one that submissions go to. Works like [`RecallKitClient::flush`] for each server.
    ///
    /// *Errors*: like [`RecallKitClient::flush`].
    pub async fn flush(
        &self,
        outbox: &Outbox,
        recipient: Recipient,
    ) -> Result<Flushed, OutboxError> {
        let mut all = Flushed::default();
        for (number, client) in self.clients.iter().enumerate() {
            if number != self.chosen {
                all.add(client.flush(outbox, Recipient::Same).await?);
            }
        }
        // The chosen server comes last: by now the other servers have got their experiences.
        let recipient = match all.stopped_by {
            None => recipient,
            Some(_) => Recipient::Same,
        };
        all.add(self.chosen().flush(outbox, recipient).await?);
        let entries = outbox.list().await?;
        let is_ours = |entry: &Kept| self.clients.iter().any(|it| entry.is_for(it.server_url()));
        let is_elsewhere =
            |entry: &&Kept| entry.experience().is_some() && !entry.refused && !is_ours(entry);
        all.waiting = entries.len();
        all.elsewhere = entries.iter().filter(is_elsewhere).count();
        Ok(all)
    }

    /// Closes every connection.
    pub async fn close(&self) {
        let mut running =
            mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        // A running query would keep its connection from being closed.
        running.shutdown().await;
        let closing: FuturesUnordered<_> =
            self.clients.iter().map(RecallKitClient::close).collect();
        closing.collect::<()>().await;
    }
}

/// Returns the best `depth` records of a server, which it reads page by page.
async fn best(
    client: &RecallKitClient,
    request: QueryRequest,
    depth: u32,
) -> Result<QueryResults, Error> {
    let page = |offset: u32| {
        let limit = (depth - offset).min(MAX_LIMIT);
        client.query_all(request.clone().with_limit(limit).with_offset(offset))
    };
    let mut all = page(0).await?;
    loop {
        let read = u32::try_from(all.experiences.len()).unwrap_or(u32::MAX);
        if read >= depth || u64::from(read) >= all.total {
            return Ok(all);
        }
        let next = page(read).await?;
        if next.experiences.is_empty() {
            return Ok(all);
        }
        all.experiences.extend(next.experiences);
        all.standings.extend(next.standings);
        if let (Some(all), Some(next)) = (&mut all.parts, next.parts) {
            all.extend(next);
        }
    }
}

impl QueryResults {
    /// Adds the results of a server.
    fn add(&mut self, found: QueryResults, server: &str) {
        self.total += found.total;
        let labelled = found.experiences.into_iter().map(|it| FormattedExperience {
            origin: Some(server.to_owned()),
            ..it
        });
        self.experiences.extend(labelled);
        if let Some(parts) = found.parts {
            self.parts.get_or_insert_default().extend(parts);
        }
        self.standings.extend(found.standings);
    }

    /// Sorts the records, best first, and keeps one page. A record that several servers have is kept once,
    /// as the first of them returned it.
    fn page(mut self, offset: usize, limit: usize) -> Self {
        let mut seen = HashSet::new();
        let before = self.experiences.len();
        self.experiences.retain(|it| seen.insert(it.id.clone()));
        self.total -= (before - self.experiences.len()) as u64;
        // The sort is stable: of two equally relevant records the one of the earlier server comes first.
        self.experiences
            .sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
        self.experiences = self
            .experiences
            .into_iter()
            .skip(offset)
            .take(limit)
            .collect();
        self.count = self.experiences.len();
        self.found = self.count > 0;
        self
    }
}
