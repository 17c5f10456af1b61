//! One question to all kinds of memory at once: the best of experiences, entries and documentation, short
//! enough for an agent to ask often.
//!
//! Documentation is searched by another crate, which depends on this one; whoever calls [`answer`] brings its
//! candidates along.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use recall_kit_documents::tokens;
use recall_kit_shared_types::{
    ToolName,
    knowledge::SearchResult,
    recall::{RecallData, RecallFamily, RecallResult, ToolCall, recall_limits},
};
use serde_json::{Map, Value};
use uuid::Uuid;

pub use crate::validation::Recall;
use crate::{
    access::Caller,
    error::ServiceError,
    experiences::Experiences,
    indexing::{labels::EntryFilter, popularity::Exposure},
    knowledge::{
        Knowledge,
        entries::{Search, with_experiences},
    },
};

/// A result that competes for a place in the answer.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The result.
    pub result: RecallResult,
    /// The experience, if it is one.
    experience: Option<Uuid>,
    /// The score that decides its place: that of the result, which an experience's outcomes may have lowered.
    placed_by: f64,
}

impl Candidate {
    /// Creates a candidate that is not an experience.
    pub fn new(result: RecallResult) -> Self {
        Self {
            placed_by: result.score,
            result,
            experience: None,
        }
    }
}

/// Returns the best experiences and entries for a question.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn candidates(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    recall: &Recall,
) -> Result<Vec<Candidate>, ServiceError> {
    let search = Search {
        query: recall.query.clone(),
        context: None,
        limit: recall.limit,
        filter: EntryFilter {
            project: recall.project.clone(),
            ..EntryFilter::default()
        },
        environment: recall.environment.clone(),
        citations: false,
        note: None,
    };
    // The first count of tokens loads the encoding, outside the deadline of the search.
    let prepared = tokio::task::spawn_blocking(tokens::prepare).await;
    prepared.map_err(|_| ServiceError::Broken("the tokenizer"))?;
    let (entries, experiences) = knowledge
        .admission
        .run_query(|| with_experiences(knowledge, caller, search))
        .await?;
    let entries = entries
        .into_iter()
        .map(|one| Candidate::new(shown(RecallFamily::Knowledge, one)));
    let (standings, now) = (&knowledge.records.source.standings, knowledge.clock.now());
    // From the last on: outcomes lower experiences beside the other families, and none comes behind one that the
    // search has after it.
    let mut least: f64 = 0.0;
    let mut placed = Vec::with_capacity(experiences.len());
    for (id, one) in experiences.into_iter().rev() {
        let factor = f64::from(standings.factor(id, now));
        least = least.max(one.score * factor.min(1.0));
        placed.push(Candidate {
            placed_by: least,
            result: shown(RecallFamily::Experience, one),
            experience: Some(id),
        });
    }
    Ok(placed.into_iter().rev().chain(entries).collect())
}

fn shown(family: RecallFamily, found: SearchResult) -> RecallResult {
    let id = Value::from(found.id.as_str());
    RecallResult {
        family,
        open: ToolCall {
            tool: ToolName::RekallShow.to_string(),
            arguments: Map::from_iter([("id".to_owned(), id)]),
        },
        id: found.id,
        title: found.title,
        snippet: found.snippet,
        score: found.score,
        fits: None,
    }
}

/// Makes the answer of the best candidates, and counts the experiences in it as listed. Also returns these
/// experiences, each with the id that the answer has for it.
pub fn answer(
    experiences: &Experiences,
    caller: &Caller,
    recall: Recall,
    candidates: Vec<Candidate>,
) -> (RecallData, Vec<(Uuid, String)>) {
    let best = best(candidates, recall.limit);
    let ids: Vec<Option<Uuid>> = best.iter().map(|one| one.experience).collect();
    let data = within_tokens(RecallData {
        query: recall.query,
        hint: hint(best.is_empty()).to_owned(),
        results: best.into_iter().map(|one| one.result).collect(),
    });
    let listed = ids.into_iter().zip(&data.results);
    let listed: Vec<(Uuid, String)> = listed
        .filter_map(|(id, result)| Some((id?, result.id.clone())))
        .collect();
    let (popularity, now) = (&experiences.records.popularity, experiences.clock.now());
    let ids = listed.iter().map(|(id, _)| *id);
    popularity.count(ids, Exposure::Listed, caller.voice(), now);
    (data, listed)
}

/// Returns the most relevant candidates, best first; of several with one score, those that came first.
fn best(mut candidates: Vec<Candidate>, limit: u32) -> Vec<Candidate> {
    candidates.retain(|one| one.result.score >= recall_limits::LEAST_SCORE);
    candidates.sort_by(|a, b| b.placed_by.total_cmp(&a.placed_by));
    candidates.truncate(limit as usize);
    candidates
}

/// Leaves the last results out until the answer is within its tokens; the best result stays.
fn within_tokens(mut data: RecallData) -> RecallData {
    let fits = |data: &RecallData| {
        let json = serde_json::to_string(data).unwrap_or_default();
        tokens::fits(&json, recall_limits::MAX_TOKENS)
    };
    while data.results.len() > 1 && !fits(&data) {
        data.results.pop();
    }
    data
}

fn hint(is_empty: bool) -> &'static str {
    match is_empty {
        true => {
            "Nothing relevant is known. Once it is solved, offer to share it; keep what your team decides with \
             rekall_add"
        }
        false => "Make the call in `open` for the whole text, and cite what you use",
    }
}
