//! A query as an agent puts it, and the results as an agent reads them.
//!
//! Source: client protocol, section "Query Flow".

#[cfg(test)]
mod tests;

use std::fmt;

use recall_kit_shared_types::{
    ExperienceRecord, QueryExperiencesData, QueryExperiencesRequest, RelevanceParts,
};
use serde::{Deserialize, Serialize};

use crate::{
    Unanswered, keywords::extract_keywords, sanitizer::ConfiguredSanitizer,
    summarize::code::cut_code,
};

/// What to look for; `Debug` shows how long the text is, not the text, which may carry secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct QueryRequest {
    /// What was written, to the letter: the sanitizer needs its quotes and colons.
    text: String,
    /// Whether the text is a need in natural language, not keywords already.
    pub(crate) is_need: bool,
    /// Whether the AI had its say already.
    pub(crate) is_analyzed: bool,
    /// How many records to return, 1–50; the server's 10 when left out.
    pub limit: Option<u32>,
    /// How many of the best records to skip.
    pub offset: Option<u32>,
    /// Whether to say what each relevance is made of.
    pub parts: bool,
}

impl QueryRequest {
    /// Asks with keywords exactly as they are.
    pub fn keywords(keywords: impl Into<String>) -> Self {
        Self {
            text: keywords.into(),
            is_need: false,
            is_analyzed: false,
            limit: None,
            offset: None,
            parts: false,
        }
    }

    /// Asks with a need in natural language; its keywords are extracted on this machine.
    pub fn from_text(text: impl Into<String>) -> Self {
        let is_need = true;
        Self {
            is_need,
            ..Self::keywords(text)
        }
    }

    /// Returns at most `limit` records.
    pub fn with_limit(self, limit: u32) -> Self {
        let limit = Some(limit);
        Self { limit, ..self }
    }

    /// Skips the `offset` best records.
    pub fn with_offset(self, offset: u32) -> Self {
        let offset = Some(offset);
        Self { offset, ..self }
    }

    /// Asks what each relevance is made of, besides; see [`QueryResults::parts`].
    pub fn with_parts(self) -> Self {
        let parts = true;
        Self { parts, ..self }
    }

    /// Asks with these keywords in the place of the text.
    pub(crate) fn with_keywords(self, keywords: String) -> Self {
        Self {
            text: keywords,
            is_need: false,
            ..self
        }
    }

    /// Asks no AI for keywords any more.
    pub(crate) fn without_analysis(self) -> Self {
        let is_analyzed = true;
        Self {
            is_analyzed,
            ..self
        }
    }

    /// Returns what was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Makes the arguments of the call. The keywords leave this machine, so they are sanitized
    /// like a submission, but names of variables stay, which are often what is looked for: first
    /// as they were written, where a secret still stands between its quotes, and once more after
    /// extraction, which moves words together.
    pub(crate) fn into_wire(self, sanitizer: &ConfiguredSanitizer) -> QueryExperiencesRequest {
        let groups = sanitizer.settings().lookup_groups();
        let clean = |text: &str| sanitizer.leaving_one(&groups, text);
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

/// The protocol's answer to an agent.
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
    /// What the relevance of each is made of, where that was asked for and the server says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<RelevanceParts>>,
    /// Of several servers those that did not answer, so that their records are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
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
    /// The code of the context.
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
    /// Of several servers the one it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// The least relevance of a record that a query returns. What is less is shown as 0.00 and is no answer.
pub(crate) const LEAST_RELEVANCE: f64 = 0.005;

impl QueryResults {
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
        }
    }
}
