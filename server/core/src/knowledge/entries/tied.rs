//! Adds entries to the results of a search that it did not find but that belong to them: the context names
//! a tag that they share with the best match, and they are similar to it or linked to it.
//!
//! Neither condition is enough alone. Many entries share a tag and have nothing else in common, and an entry
//! that is similar to the best match need not be what the conversation is about.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use recall_kit_embed::Unrelated;
use recall_kit_search::{Hits, query_terms};
use recall_kit_shared_types::applicability::Environment;
use ulid::Ulid;

use super::{EntryQuery, Search, end_of, ranked};
use crate::{error::ServiceError, indexing::damage, knowledge::Knowledge};

/// The relevance of such an entry as a share of the best match's: the query itself does not match it.
const SHARE: f32 = 0.5;
/// A tag that more entries have names their kind, not their subject.
const MOST_WITH_TAG: usize = 4;
/// How far the cosine of two similar entries must be above that of unrelated entries, in standard
/// deviations. With fewer than three, most added entries were of no use.
const ALIKE: f32 = 3.3;

/// Returns the hits, best first, with the tied entries at the position of their relevance.
///
/// *Errors*: those of the database or the index.
pub(super) async fn with_tied(
    knowledge: &Arc<Knowledge>,
    asked: &EntryQuery,
    hits: &Hits,
) -> Result<Vec<(Ulid, f32)>, ServiceError> {
    let found = hits.hits.iter().map(|hit| (hit.id.into(), hit.relevance));
    let mut all: Vec<(Ulid, f32)> = found.collect();
    let Some((best, relevance)) = all.first().copied() else {
        return Ok(all);
    };
    let mut tied = with_named_tag(knowledge, asked, best).await?;
    tied.retain(|id| all.iter().all(|(found, _)| found != id));
    let relevance = SHARE * relevance;
    let at = all.iter().position(|(_, other)| *other < relevance);
    let at = at.unwrap_or(all.len());
    let tied = alike(knowledge, best, tied).await?.into_iter();
    all.splice(at..at, tied.map(|id| (id, relevance)));
    Ok(all)
}

/// Returns the entries that share a tag with the best match, if the context names that tag.
async fn with_named_tag(
    knowledge: &Arc<Knowledge>,
    asked: &EntryQuery,
    best: Ulid,
) -> Result<Vec<Ulid>, ServiceError> {
    let Some(context) = asked.search.context.as_deref().map(end_of) else {
        return Ok(Vec::new());
    };
    let context_terms: HashSet<String> = query_terms(&context).into_iter().collect();
    let mut found = Vec::new();
    for tag in tags(knowledge, &[best])
        .await?
        .remove(&best)
        .unwrap_or_default()
    {
        let words = words_of(&tag);
        let terms = query_terms(&words);
        if terms.is_empty() || !terms.iter().all(|term| context_terms.contains(term)) {
            continue;
        }
        let by_words = ranked(knowledge, &Arc::new(asked.for_words(words))).await?;
        let ids: Vec<Ulid> = by_words.hits.iter().map(|hit| hit.id.into()).collect();
        let mut tagged = tags(knowledge, &ids).await?;
        tagged.retain(|_, tags| tags.contains(&tag));
        if tagged.len() <= MOST_WITH_TAG {
            let new = ids.into_iter().filter(|id| tagged.contains_key(id));
            let new: Vec<Ulid> = new.filter(|id| !found.contains(id)).collect();
            found.extend(new);
        }
    }
    Ok(found)
}

/// Returns those of the entries that are similar to the best match, or linked to it.
async fn alike(
    knowledge: &Knowledge,
    best: Ulid,
    mut ids: Vec<Ulid>,
) -> Result<Vec<Ulid>, ServiceError> {
    if ids.is_empty() {
        return Ok(ids);
    }
    let links = knowledge.store.links_of(&[best]).await?;
    let ends = links.iter().flat_map(|link| [link.source.0, link.target.0]);
    let linked: HashSet<Ulid> = ends.collect();
    let unrelated = knowledge
        .embedding
        .model()
        .and_then(|model| model.unrelated());
    let wanted: Vec<_> = ids.iter().chain([&best]).map(|id| (*id).into()).collect();
    let passages = knowledge
        .records
        .index()?
        .first_passages(&wanted)
        .into_iter();
    let passages: HashMap<Ulid, Vec<f32>> = passages.map(|(id, one)| (id.into(), one)).collect();
    let is_alike = |id: &Ulid| {
        let (own, other) = passages.get(id).zip(passages.get(&best))?;
        let cosine: f32 = own.iter().zip(other).map(|(a, b)| a * b).sum();
        let Unrelated { mean, deviation } = unrelated?;
        Some(cosine >= mean + ALIKE * deviation)
    };
    ids.retain(|id| linked.contains(id) || is_alike(id).unwrap_or(false));
    Ok(ids)
}

/// Reads the tags of entries, in lower case.
async fn tags(
    knowledge: &Knowledge,
    ids: &[Ulid],
) -> Result<HashMap<Ulid, Vec<String>>, ServiceError> {
    let briefs = damage::readable(ids, |ids| knowledge.store.entry_briefs(ids)).await?;
    let tags = briefs.into_iter().map(|one| {
        let tags = one.tags.iter().map(|tag| tag.to_lowercase());
        (one.id, tags.collect())
    });
    Ok(tags.collect())
}

/// Returns the words of a tag such as `connection-pool`.
fn words_of(tag: &str) -> String {
    tag.replace(['-', '_'], " ")
}

impl EntryQuery {
    /// Returns a purely lexical search for words, among the same entries.
    fn for_words(&self, words: String) -> Self {
        Self {
            search: Search {
                environment: Environment::default(),
                query: words,
                context: None,
                ..self.search.clone()
            },
            projects: self.projects.clone(),
            query: None,
            context: None,
        }
    }
}
