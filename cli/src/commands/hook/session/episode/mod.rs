//! Episodes: how often a command failed with an error, and whether it came to work again. They are counted for the
//! server's statistics, and hold ids, counts and the name of a well-known program.

#[cfg(test)]
mod tests;

use recall_kit_client::episodes::{ReportEpisodeRequest, episode_limits};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    super::{command, hash::Hash},
    Open, Session,
};

/// How long after its last failure an episode is given up when a turn ends. *Unit*: milliseconds.
const GIVE_UP_AFTER: i64 = 30 * 60 * 1000;

/// What is counted of a failure until its episode ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Episode {
    /// The UUID with which it is reported, so that it is stored once.
    id: String,
    /// When it failed first, and when it failed last. *Unit*: milliseconds since 1970.
    began: i64,
    failed: i64,
    failures: u64,
    /// The commands and edits since it failed first.
    commands: u64,
}

impl Episode {
    /// Begins an episode, which has no failure yet.
    pub(super) fn begin(now: i64) -> Self {
        Self {
            id: Uuid::new_v4().to_string(),
            began: now,
            ..Self::default()
        }
    }

    /// Counts a failure.
    pub(super) fn fail(&mut self, now: i64) {
        self.failed = now;
        self.failures = self.failures.saturating_add(1);
    }

    /// Counts a command or an edit.
    pub(super) fn act(&mut self) {
        self.commands = self.commands.saturating_add(1);
    }

    fn is_given_up(&self, now: i64) -> bool {
        // A clock that was set back does not keep it open.
        now.abs_diff(self.failed) >= GIVE_UP_AFTER.unsigned_abs()
    }
}

/// An episode that ended.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct EndedEpisode {
    episode: Episode,
    /// The program that failed, or a word for all that are not well known.
    program: &'static str,
    recall_id: Option<String>,
    has_recovered: bool,
    /// When it ended. *Unit*: milliseconds since 1970.
    at: i64,
}

impl EndedEpisode {
    /// Returns what is reported of it, by a hook of this host. What is more than a server accepts is the most that it
    /// accepts; a clock that was set back counts as no time.
    pub(in super::super) fn report(self, host: String) -> ReportEpisodeRequest {
        // The command that works again is not in between.
        let commands = self.episode.commands;
        let between = commands.saturating_sub(self.has_recovered.into());
        let ms = u64::try_from(self.at.saturating_sub(self.episode.began)).unwrap_or_default();
        ReportEpisodeRequest {
            id: self.episode.id,
            recall_id: self.recall_id,
            host,
            family: self.program.to_owned(),
            failures: self.episode.failures.clamp(1, episode_limits::MAX_COUNT),
            recovered: self.has_recovered,
            ms: ms.min(episode_limits::MAX_MS),
            commands: between.min(episode_limits::MAX_COUNT),
        }
    }
}

impl Session {
    /// Notes the server that the session reports to; `None` if its settings want no reports. What was counted before for
    /// another server, or without reports, is not reported.
    pub(in super::super) fn report_to(&mut self, server: Option<Hash>) {
        if self.server == server {
            return;
        }
        self.server = server;
        for open in &mut self.open {
            open.episode = None;
        }
        // No other server knows the recalls.
        for (_, recall_id) in &mut self.first_shown {
            *recall_id = None;
        }
    }

    /// Returns whether the session reports to this server.
    pub(super) fn reports_to(&self, server: Hash) -> bool {
        self.server == Some(server)
    }

    /// Ends the episodes that failed last so long ago that nobody seems to work on them. Their failures stay open,
    /// since the command may still come to work; if it fails again, that begins another episode.
    pub(in super::super) fn give_up(&mut self, now: i64) -> Vec<EndedEpisode> {
        let given_up = self.given_up(now).into_iter();
        given_up
            .filter_map(|open| self.ended(open, false, now))
            .collect()
    }

    /// The same for another session, if it seems to have stopped: nothing happened in it for as long. Nobody knows when it
    /// stopped, so its episodes end with their last failures.
    pub(in super::super) fn stop(&mut self, now: i64) -> Vec<EndedEpisode> {
        let seconds = now.div_euclid(1000);
        let is_recent = |(_, at): &(Hash, i64)| {
            at.abs_diff(seconds) < GIVE_UP_AFTER.div_euclid(1000).unsigned_abs()
        };
        if self.calls.back().is_some_and(is_recent) {
            return Vec::new();
        }
        let given_up = self.given_up(now).into_iter();
        let ended = given_up.filter_map(|open| {
            let at = open.episode.as_ref()?.failed;
            self.ended(open, false, at)
        });
        ended.collect()
    }

    /// Returns whether something is counted for a report about a failure that is not solved yet.
    pub(in super::super) fn has_episodes(&self) -> bool {
        self.server.is_some() && self.open.iter().any(|open| open.episode.is_some())
    }

    /// Takes the episodes that are given up from their failures.
    fn given_up(&mut self, now: i64) -> Vec<Open> {
        let given_up = self.open.iter_mut().filter_map(|open| {
            let episode = open.episode.as_ref()?;
            let mut ended = open.clone();
            ended.episode = episode.is_given_up(now).then(|| open.episode.take())?;
            Some(ended)
        });
        given_up.collect()
    }

    /// Returns the episode of a failure that is not open any more. There is none if it was given up before, or if
    /// records were shown by a recall of which no id is known: it would count as one without a recall.
    pub(in super::super) fn ended(
        &self,
        open: Open,
        has_recovered: bool,
        now: i64,
    ) -> Option<EndedEpisode> {
        let program = open.program();
        let mut recalls = self.first_shown.iter();
        let first = recalls.find(|(error, _)| *error == open.fingerprint);
        let recall_id = match first {
            Some((_, id)) => Some(id.clone()?),
            None => None,
        };
        Some(EndedEpisode {
            episode: open.episode?,
            program,
            recall_id,
            has_recovered,
            at: now,
        })
    }
}

impl Open {
    /// Returns the public name of the program that failed; of several programs nobody knows which one it was.
    fn program(&self) -> &'static str {
        let mut names = self.place.parts.iter().map(|part| part.program.as_str());
        let first = names.next().unwrap_or_default();
        match names.all(|name| name == first) {
            true => command::public_name(first),
            false => command::OTHER,
        }
    }
}
