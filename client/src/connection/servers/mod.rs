//! Several servers, such as the team's and the public one: asked together, merged by relevance,
//! labelled by origin. What is shared goes to one of them.

#[cfg(test)]
mod tests;

use std::{
    collections::HashSet,
    mem,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::{StreamExt as _, stream::FuturesUnordered};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    Error, Flushed, FormattedExperience, Kept, Outbox, OutboxError, QueryRequest, QueryResults,
    RecallKitClient, Recipient, query::LEAST_RELEVANCE,
};

/// The server's own page, where none is asked for.
const DEFAULT_LIMIT: u32 = 10;
/// What one call of a server returns at most.
const MAX_LIMIT: u32 = 50;
/// How deep the merged list goes; each server has to be read up to there.
const MAX_DEPTH: u32 = 500;

/// A client of each server that the settings name; of one, where they name one.
#[derive(Debug)]
pub struct Servers {
    clients: Arc<[RecallKitClient]>,
    chosen: usize,
    deadline: Duration,
    /// What servers are being asked. It goes on when nobody waits for the answer any more, within
    /// each client's own limits, so that a connection is made to its end, and a dead one given up.
    asking: Mutex<JoinSet<()>>,
}

/// A server whose answer is missing among the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unanswered {
    /// What the settings call it.
    pub server: String,
    /// Why, for a person.
    pub reason: String,
}

impl Servers {
    /// `chosen` counts the clients from 0.
    pub(crate) fn new(clients: Vec<RecallKitClient>, chosen: usize, deadline: Duration) -> Self {
        Self {
            clients: clients.into(),
            chosen,
            deadline,
            asking: Mutex::default(),
        }
    }

    /// Returns the client of every server, in the settings' order.
    pub fn all(&self) -> &[RecallKitClient] {
        &self.clients
    }

    /// Returns the client of the server that submissions go to.
    pub fn chosen(&self) -> &RecallKitClient {
        let chosen = self.clients.get(self.chosen);
        chosen.expect("the settings name it, or there is but one")
    }

    /// Asks every server and merges what they found by relevance. Once one has answered, the others
    /// have until the settings' `queryDeadline`; who does not answer is named in
    /// [`QueryResults::unanswered`].
    ///
    /// *Errors*: as [`RecallKitClient::query`] where no server answers: that of the server which
    /// submissions go to.
    pub async fn query(&self, request: impl Into<QueryRequest>) -> Result<QueryResults, Error> {
        let request = self.chosen().analyzed(request.into()).await;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        let depth = request.offset.unwrap_or(0).saturating_add(limit);
        // What no server would answer the chosen one refuses in the contract's words.
        let is_refused = !(1..=MAX_LIMIT).contains(&limit);
        if self.clients.len() == 1 || is_refused || depth > MAX_DEPTH {
            return self.chosen().query(request).await;
        }
        let mut asked = self.ask_all(&request, depth);
        let late = Instant::now() + self.deadline;
        let mut answers: Vec<Option<_>> = self.clients.iter().map(|_| None).collect();
        loop {
            let has_one = answers.iter().any(|it| matches!(it, Some(Ok(_))));
            let answered = tokio::select! {
                biased;
                answered = asked.recv() => answered,
                () = sleep_until(late), if has_one => None,
            };
            let Some((number, answer)) = answered else {
                break;
            };
            if let Some(slot) = answers.get_mut::<usize>(number) {
                *slot = Some(answer);
            }
        }
        self.merged(answers, &request)
    }

    /// Asks every server for its best `depth` records; each answer comes with the server's place.
    fn ask_all(
        &self,
        request: &QueryRequest,
        depth: u32,
    ) -> mpsc::Receiver<(usize, Result<QueryResults, Error>)> {
        let (answers, asked) = mpsc::channel(self.clients.len());
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        while asking.try_join_next().is_some() {}
        for number in 0..self.clients.len() {
            let (clients, request) = (Arc::clone(&self.clients), request.clone());
            let answers = answers.clone();
            asking.spawn(async move {
                if let Some(client) = clients.get(number) {
                    let answer = best(client, request, depth).await;
                    // Nobody waits for what comes too late.
                    let _ = answers.send((number, answer)).await;
                }
            });
        }
        asked
    }

    /// Merges the answers and cuts the page out of them.
    fn merged(
        &self,
        mut answers: Vec<Option<Result<QueryResults, Error>>>,
        request: &QueryRequest,
    ) -> Result<QueryResults, Error> {
        if !answers.iter().any(|it| matches!(it, Some(Ok(_)))) {
            let own = answers.get_mut(self.chosen).and_then(Option::take);
            let error = own.into_iter().chain(answers.into_iter().flatten());
            let broken_off = || Error::Answer {
                server: self.chosen().label(),
                reason: "the query broke off".to_owned(),
            };
            return Err(error
                .flat_map(Result::err)
                .next()
                .unwrap_or_else(broken_off));
        }
        let mut all = QueryResults::default();
        for (client, answer) in self.clients.iter().zip(answers) {
            let server = client.label();
            match answer {
                Some(Ok(found)) => all.add(found, &server),
                Some(Err(error)) => all.unanswered.push(Unanswered {
                    server,
                    reason: error.to_string(),
                }),
                None => all.unanswered.push(Unanswered {
                    server,
                    reason: format!("no answer within {} ms", self.deadline.as_millis()),
                }),
            }
        }
        let offset = request.offset.unwrap_or(0) as usize;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        all.retain_from(LEAST_RELEVANCE);
        Ok(all.page(offset, limit))
    }

    /// Sends what waits in the outbox to the servers it was confirmed for; with [`Recipient::Any`]
    /// the rest to the one that submissions go to. As [`RecallKitClient::flush`], per server.
    ///
    /// *Errors*: as [`RecallKitClient::flush`].
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
        // Last, and once: what is meant for the others has gone to them.
        let recipient = match all.stopped_by {
            None => recipient,
            Some(_) => Recipient::Same,
        };
        all.add(self.chosen().flush(outbox, recipient).await?);
        let kept = outbox.list().await?;
        let is_ours = |kept: &Kept| self.clients.iter().any(|it| kept.is_for(it.server_url()));
        let is_elsewhere =
            |kept: &&Kept| kept.experience().is_some() && !kept.refused && !is_ours(kept);
        all.waiting = kept.len();
        all.elsewhere = kept.iter().filter(is_elsewhere).count();
        Ok(all)
    }

    /// Closes every connection.
    pub async fn close(&self) {
        let mut asking =
            mem::take(&mut *self.asking.lock().unwrap_or_else(PoisonError::into_inner));
        // Whoever still uses a connection would keep it from being closed.
        asking.shutdown().await;
        let closing: FuturesUnordered<_> =
            self.clients.iter().map(RecallKitClient::close).collect();
        closing.collect::<()>().await;
    }
}

/// The best `depth` records of a server, page by page.
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
        if let (Some(all), Some(next)) = (&mut all.parts, next.parts) {
            all.extend(next);
        }
    }
}

impl QueryResults {
    /// Adds what a server found.
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
    }

    /// Puts the best first and keeps one page. What two servers have is the first one's.
    fn page(mut self, offset: usize, limit: usize) -> Self {
        let mut seen = HashSet::new();
        let before = self.experiences.len();
        self.experiences.retain(|it| seen.insert(it.id.clone()));
        self.total -= (before - self.experiences.len()) as u64;
        // Stable: of two that fit as well, the one of the server that is named first.
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
