//! Queries, and the results in the form in which agents get them.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt};

use jiff::Timestamp;
use recall_kit_applicability::{Claim, Claims};
use recall_kit_shared_types::{
    ExperienceRecord, QueryExperiencesData, QueryExperiencesRequest, RelevanceParts,
    applicability::{ApplicabilityById, Applies, Environment, Verdict},
    outcomes::{RecallStandings, Standing, StandingState},
};
use serde::{Deserialize, Serialize};

use crate::{
    Unanswered, keywords::extract_keywords, sanitizer::ConfiguredSanitizer,
    summarize::code::cut_code,
};

/// A query. `Debug` shows the length of the text, not the text itself, which may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct QueryRequest {
    /// The unchanged text: the sanitizer needs its quotes and colons.
    text: String,
    /// Whether the text is natural language, from which keywords have to be extracted.
    pub(crate) is_need: bool,
    /// Whether the AI was already called for it.
    pub(crate) is_analyzed: bool,
    /// How many records to return, 1–50; the server's 10 when left out.
    pub limit: Option<u32>,
    /// How many of the best records to skip.
    pub offset: Option<u32>,
    /// Whether to return the parts of each relevance.
    pub parts: bool,
    /// In which environment the problem occurred.
    environment: Option<Environment>,
}

impl QueryRequest {
    /// Creates a query with keywords, which are used as they are.
    pub fn keywords(keywords: impl Into<String>) -> Self {
        Self {
            text: keywords.into(),
            is_need: false,
            is_analyzed: false,
            limit: None,
            offset: None,
            parts: false,
            environment: None,
        }
    }

    /// Creates a query from natural language; its keywords are extracted on this machine.
    pub fn from_text(text: impl Into<String>) -> Self {
        let is_need = true;
        Self {
            is_need,
            ..Self::keywords(text)
        }
    }

    /// Limits the result to `limit` records.
    pub fn with_limit(self, limit: u32) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }

    /// Skips the `offset` best records.
    pub fn with_offset(self, offset: u32) -> Self {
        let offset = Some(offset);
        Self { offset, ..self }
    }

    /// Also requests the parts of each relevance; see [`QueryResults::parts`].
    pub fn with_parts(self) -> Self {
        let parts = true;
        Self { parts, ..self }
    }

    /// Says in which environment the problem occurred. It leaves this machine only if the settings want it, and if the
    /// sanitizer finds no secret in it.
    pub fn with_environment(self, environment: impl Into<Option<Environment>>) -> Self {
        let environment = environment.into();
        Self {
            environment,
            ..self
        }
    }

    /// Returns in which environment the problem occurred.
    pub(crate) fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// Replaces the text by these keywords.
    pub(crate) fn with_keywords(self, keywords: String) -> Self {
        Self {
            text: keywords,
            is_need: false,
            ..self
        }
    }

    /// Marks the query so that the AI is not called for it again.
    pub(crate) fn without_analysis(self) -> Self {
        let is_analyzed = true;
        Self {
            is_analyzed,
            ..self
        }
    }

    /// Returns the unchanged text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the arguments of the call. The keywords leave this machine, so they are sanitized like a
    /// submission, except that names of variables stay, because queries are often about them. The text is
    /// sanitized twice: as it was written, where a secret still has its quotes, and again after the
    /// extraction, which can put words next to each other.
    pub(crate) fn into_wire(self, sanitizer: &ConfiguredSanitizer) -> QueryExperiencesRequest {
        let groups = sanitizer.settings().lookup_groups();
        let clean = |text: &str| sanitizer.sanitize_outgoing_text(&groups, text);
        let mut keywords = clean(&self.text);
        if self.is_need {
            keywords = clean(&extract_keywords(&keywords));
        }
        QueryExperiencesRequest {
            keywords,
            limit: self.limit,
            offset: self.offset,
        }
    }
}

impl fmt::Debug for QueryRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryRequest")
            .field("text", &self.text.len())
            .field("is_need", &self.is_need)
            .field("limit", &self.limit)
            .field("offset", &self.offset)
            .field("parts", &self.parts)
            .finish()
    }
}

impl From<&str> for QueryRequest {
    fn from(text: &str) -> Self {
        Self::from_text(text)
    }
}

impl From<String> for QueryRequest {
    fn from(text: String) -> Self {
        Self::from_text(text)
    }
}

/// The results of a query, as agents get them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryResults {
    /// Whether anything was found.
    pub found: bool,
    /// How many experiences follow.
    pub count: usize,
    /// The experiences, best first.
    pub experiences: Vec<FormattedExperience>,
    /// How many records match in all, on this page and others.
    pub total: u64,
    /// The parts of each relevance, if they were requested and the server returns them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<RelevanceParts>>,
    /// With several servers: those that did not answer, so that their records are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
    /// The id of the query at the server, for outcomes; only programs need it.
    #[serde(skip)]
    pub recall_id: Option<String>,
    /// With several servers: the id of the query at the one that submissions go to; episodes are reported with it.
    #[serde(skip)]
    pub chosen_recall_id: Option<String>,
    /// What the outcomes of the experiences add up to, by their ids; [`FormattedExperience::standing`] says it in
    /// words.
    #[serde(skip)]
    pub standings: BTreeMap<String, Standing>,
}

/// A solved problem, formatted for an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FormattedExperience {
    /// The problem in one line.
    pub title: String,
    /// What happened.
    pub problem: String,
    /// What solved it.
    pub solution: String,
    /// The code that was part of the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Lower-case keywords.
    pub keywords: Vec<String>,
    /// 0–1: how well it fits the query.
    pub relevance: f64,
    /// The record's id.
    pub id: String,
    /// Why it happened, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// The context without its code: versions, surroundings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How often queries returned this record.
    pub query_count: u64,
    /// ISO 8601, UTC.
    pub created_at: String,
    /// With several servers: the name of the server that the record is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Whether it helped others, such as `worked 4×, last 12 days ago, 2 people`, if anybody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
    /// Where it applies, such as `react <19`, if that is known and the query had an environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applies: Vec<String>,
    /// How it fits the environment of the query, such as `stated for react <19; you have 19.1`, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fits: Option<String>,
}

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;
/// The most statements about where an experience applies that an agent gets.
const MAX_APPLIES_SHOWN: usize = 4;

/// What the server says of where the experiences of a result apply, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Fits {
    pub(crate) judged: ApplicabilityById,
    pub(crate) applies: BTreeMap<String, Vec<Applies>>,
}

impl Fits {
    /// Returns how an experience fits, if the server says more than that it does not know.
    pub(crate) fn why(&self, id: &str) -> Option<String> {
        let judged = self.judged.get(id)?;
        (judged.verdict != Verdict::Unknown).then(|| judged.why.clone())
    }
}

/// The minimum relevance of a record that a query returns. A lower one would be shown as 0.00 and is not an
/// answer.
pub(crate) const MIN_RELEVANCE: f64 = 0.005;

impl QueryResults {
    /// Adds the standings that the server sent.
    pub(crate) fn with_standings(mut self, recall: Option<RecallStandings>) -> Self {
        let Some(recall) = recall else { return self };
        let now = Timestamp::now();
        for experience in &mut self.experiences {
            let standing = recall.standings.get(&experience.id);
            experience.standing = standing.and_then(|standing| sentence(standing, now));
        }
        self.recall_id = Some(recall.recall_id);
        self.standings = recall.standings;
        self
    }

    /// Adds how the experiences fit the environment of the query, as the server judged it.
    pub(crate) fn with_applicability(mut self, fits: Fits) -> Self {
        for experience in &mut self.experiences {
            experience.fits = fits.why(&experience.id);
            let applies = fits.applies.get(&experience.id);
            let claims = applies.map(Claims::read_known);
            let claims = claims.iter().flatten().take(MAX_APPLIES_SHOWN);
            experience.applies = claims.map(Claim::to_string).collect();
        }
        self
    }

    /// Leaves out the records below this relevance. *Range*: 0–1.
    pub fn retain_from(&mut self, relevance: f64) {
        let before = self.experiences.len();
        self.experiences.retain(|it| it.relevance >= relevance);
        self.count = self.experiences.len();
        self.found = self.count > 0;
        self.total = self.total.saturating_sub((before - self.count) as u64);
    }
}

impl From<QueryExperiencesData> for QueryResults {
    fn from(data: QueryExperiencesData) -> Self {
        let experiences: Vec<_> = data.experiences.into_iter().map(Into::into).collect();
        Self {
            found: !experiences.is_empty(),
            count: experiences.len(),
            experiences,
            total: data.total,
            parts: None,
            unanswered: Vec::new(),
            recall_id: None,
            chosen_recall_id: None,
            standings: BTreeMap::new(),
        }
    }
}

impl From<ExperienceRecord> for FormattedExperience {
    fn from(record: ExperienceRecord) -> Self {
        let (context, code) = match record.context.as_deref() {
            Some(context) => cut_code(context),
            None => (None, None),
        };
        Self {
            title: record.title,
            problem: record.problem_description,
            solution: record.solution,
            code,
            keywords: record.keywords,
            relevance: record.relevance_score,
            id: record.id,
            root_cause: record.root_cause,
            context,
            query_count: record.query_count,
            created_at: record.created_at,
            origin: None,
            standing: None,
            applies: Vec::new(),
            fits: None,
        }
    }
}

/// Returns the sentence in which agents read a standing; `None` if nobody said whether it helped.
fn sentence(standing: &Standing, now: Timestamp) -> Option<String> {
    let counts = [
        ("worked", standing.worked),
        ("worked with changes", standing.worked_with_changes),
        ("did not work", standing.did_not_work),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut parts: Vec<String> = counts
        .map(|(what, count)| format!("{what} {count}×"))
        .collect();
    if parts.is_empty() {
        return None;
    }
    if let Ok(last) = standing.last_at.parse::<Timestamp>() {
        let days = now.as_second().saturating_sub(last.as_second()) / SECONDS_PER_DAY;
        parts.push(match days {
            ..=0 => "last today".to_owned(),
            1 => "last 1 day ago".to_owned(),
            days => format!("last {days} days ago"),
        });
    }
    parts.push(match standing.voices {
        1 => "1 person".to_owned(),
        voices => format!("{voices} people"),
    });
    let state = match standing.state {
        StandingState::New | StandingState::Fresh => None,
        state => Some(state.as_str().to_owned()),
    };
    parts.extend(state);
    Some(parts.join(", "))
}
