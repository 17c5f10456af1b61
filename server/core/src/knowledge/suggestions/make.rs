//! Makes suggestions for a new entry: one pass over all vectors, then a closer comparison of the nearest.

use std::{collections::HashMap, sync::Arc};

use recall_kit_embed::Unrelated;
use recall_kit_search::{Allowed, first_passage};
use recall_kit_shared_types::knowledge::{EntryStatus, MemoryType, SimilarEntry, SuggestionType};
use recall_kit_store::{
    EXCERPT_CHARS, EntryBrief, EntryContent, NewSuggestion, Projects, SuggestionStatus,
};
use ulid::Ulid;
use uuid::Uuid;

use super::{
    alike::{CLUSTER_SCORE, LINK_SCORE, Scale, cosine},
    cluster::{self, Member},
    reason::{GeneralizationReason, LinkReason},
};
use crate::{
    error::ServiceError,
    indexing::{self, damage, labels::EntryFilter, project_scope, search::spawn_search},
    knowledge::{Knowledge, new_id, values::rounded},
};

/// How many nearest entries are compared closely.
const NEIGHBOURS: usize = 32;
/// The most similar entries that a response names.
const MAX_SIMILAR: usize = 5;
/// The most links that are suggested for one new entry.
const MAX_LINKS: usize = 3;

/// The suggestions made for a new entry.
#[derive(Debug, Default)]
pub struct Suggested {
    /// The entries most similar to it, best first.
    pub similar: Vec<SimilarEntry>,
    /// How many suggestions were created or extended.
    pub created: u64,
}

/// An entry that another one is compared with.
struct Neighbour {
    brief: EntryBrief,
    vector: Vec<f32>,
    /// Their similarity, 0–1.
    score: f64,
}

/// Suggestions about an entry that are not stored yet.
#[derive(Debug, Default)]
pub(crate) struct Proposed {
    /// Links and a generalisation.
    pub suggestions: Vec<NewSuggestion>,
    /// The entries most similar to it, best first.
    pub similar: Vec<SimilarEntry>,
}

/// Returns suggestions for a new entry with this summary vector, to be stored together with the entry. The
/// caller holds `Knowledge::suggesting` until the entry is indexed, so that concurrent additions see each
/// other. Only entries that the caller may see are named as similar.
///
/// *Errors*: those of the database.
pub(crate) async fn propose(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    (id, content): (Ulid, &EntryContent),
    summary: &[u8],
) -> Result<Proposed, ServiceError> {
    let Some(vector) = topic(knowledge, summary) else {
        return Ok(Proposed::default());
    };
    indexing::catch_up(&knowledge.records).await?;
    let brief = EntryBrief {
        id,
        kind: content.kind,
        title: content.title.clone(),
        excerpt: content
            .content
            .chars()
            .take(EXCERPT_CHARS as usize)
            .collect(),
        tags: content.tags.clone(),
        project: content.project.clone(),
        status: EntryStatus::Active,
        memory_type: content.memory_type,
        citations: Vec::new(),
    };
    let score = 1.0;
    let own = Neighbour {
        brief,
        vector,
        score,
    };
    about(knowledge, projects, &own).await
}

/// Makes and stores suggestions for an indexed entry with this stored summary vector; returns those that
/// the caller may see.
///
/// *Errors*: those of the database; only suggestions are lost then.
pub(crate) async fn suggest(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: Ulid,
    summary: &[u8],
) -> Result<Suggested, ServiceError> {
    let own = knowledge.store.entry_briefs(&[id]).await?.pop();
    let Some((vector, brief)) = topic(knowledge, summary).zip(own) else {
        return Ok(Suggested::default());
    };
    let _guard = knowledge.suggesting.lock().await;
    let score = 1.0;
    let own = Neighbour {
        brief,
        vector,
        score,
    };
    let proposed = about(knowledge, projects, &own).await?;
    let visible =
        project_scope::count_visible(&knowledge.labels, projects, id, &proposed.suggestions);
    let (links, others): (Vec<_>, Vec<_>) = proposed
        .suggestions
        .into_iter()
        .partition(|one| one.kind == SuggestionType::Link);
    let mut created = knowledge.store.insert_link_suggestions(&links).await?;
    for generalization in &others {
        knowledge.store.put_cluster(generalization).await?;
        created += 1;
    }
    Ok(Suggested {
        similar: proposed.similar,
        created: created.min(visible),
    })
}

/// Finds suggestions for an entry: one pass over all vectors, then a closer comparison of the nearest.
/// Suggestions may involve any entries; the similar entries that are returned are visible to the caller.
async fn about(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    own: &Neighbour,
) -> Result<Proposed, ServiceError> {
    let Some(embedder) = knowledge.embedding.model() else {
        return Ok(Proposed::default());
    };
    let unrelated = embedder.unrelated();
    let (mut neighbours, scale) = neighbours(knowledge, own, unrelated, &Projects::All).await?;
    let mut suggestions = links(knowledge, own, &neighbours)?;
    if own.brief.memory_type == MemoryType::Episodic {
        suggestions.extend(generalization(knowledge, own, &neighbours, &scale).await?);
    }
    if !projects.is_all() {
        // The scale depends on all compared entries: for this caller, on the visible ones.
        (neighbours, _) = self::neighbours(knowledge, own, unrelated, projects).await?;
    }
    let similar = neighbours.into_iter().take(MAX_SIMILAR);
    let similar = similar.map(|near| SimilarEntry {
        id: near.brief.id.to_string(),
        title: near.brief.title,
        score: rounded(near.score),
    });
    Ok(Proposed {
        suggestions,
        similar: similar.collect(),
    })
}

/// Returns the active, visible entries that are most similar to an entry, best first, and the scale that
/// was used.
async fn neighbours(
    knowledge: &Arc<Knowledge>,
    own: &Neighbour,
    unrelated: Option<Unrelated>,
    projects: &Projects,
) -> Result<(Vec<Neighbour>, Scale), ServiceError> {
    let (shared, projects, query) = (Arc::clone(knowledge), projects.clone(), own.vector.clone());
    let nearest = spawn_search(move || {
        let index = shared.records.index()?;
        // One more, since the entry itself may be among them.
        let count = NEIGHBOURS + 1;
        if projects.is_all() {
            return Ok(index.nearest(&query, count, Allowed::Everything));
        }
        let filter = EntryFilter::default();
        let visible = shared.labels.filtered(&projects, &filter);
        let allows = |id| visible.allows(id);
        Ok(index.nearest(&query, count, Allowed::Scope(&allows)))
    });
    let nearest = nearest.await?;
    let scale = Scale::of(unrelated, &nearest);
    let ids = nearest.best.iter().map(|(id, _)| Ulid::from(*id));
    let ids: Vec<Ulid> = ids.filter(|id| *id != own.brief.id).collect();
    let mut neighbours = alike(knowledge, &ids, &own.vector, &scale).await?;
    neighbours.retain(|near| near.brief.status == EntryStatus::Active);
    neighbours.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok((neighbours, scale))
}

/// Compares entries with a vector and reads those that are similar.
async fn alike(
    knowledge: &Knowledge,
    ids: &[Ulid],
    vector: &[f32],
    scale: &Scale,
) -> Result<Vec<Neighbour>, ServiceError> {
    let mut near = topics(knowledge, ids);
    near.retain(|_, other| scale.score(cosine(vector, other)) >= LINK_SCORE);
    if near.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Ulid> = near.keys().copied().collect();
    let briefs = damage::readable(&ids, |ids| knowledge.store.entry_briefs(ids)).await?;
    let alike = briefs.into_iter().filter_map(|brief| {
        let vector_of = near.remove(&brief.id)?;
        Some(Neighbour {
            score: scale.score(cosine(vector, &vector_of)),
            vector: vector_of,
            brief,
        })
    });
    Ok(alike.collect())
}

/// Returns the compared form of the first passage of a stored summary vector.
fn topic(knowledge: &Knowledge, summary: &[u8]) -> Option<Vec<f32>> {
    let passage = first_passage(summary)?;
    Some(knowledge.embedding.model()?.compared(&passage))
}

/// Returns the first passages of entries from the index; these are their summaries.
fn topics(knowledge: &Knowledge, ids: &[Ulid]) -> HashMap<Ulid, Vec<f32>> {
    let Ok(index) = knowledge.records.index() else {
        return HashMap::new();
    };
    let ids: Vec<Uuid> = ids.iter().map(|id| (*id).into()).collect();
    let summaries = index.first_passages(&ids).into_iter();
    summaries.map(|(id, topic)| (id.into(), topic)).collect()
}

/// Returns suggestions of links to the nearest entries.
fn links(
    knowledge: &Knowledge,
    own: &Neighbour,
    near: &[Neighbour],
) -> Result<Vec<NewSuggestion>, ServiceError> {
    let now = knowledge.clock.now();
    let links = near.iter().take(MAX_LINKS).map(|near| {
        let score = rounded(near.score);
        Ok(NewSuggestion {
            id: new_id(now)?,
            kind: SuggestionType::Link,
            entries: vec![own.brief.id, near.brief.id],
            score,
            reason: LinkReason::of(&own.brief, &near.brief, score).to_string(),
            created_at: now,
        })
    });
    links.collect()
}

/// Returns a suggestion of a generalisation with the entry: a new one, or a pending one that it extends.
async fn generalization(
    knowledge: &Knowledge,
    own: &Neighbour,
    near: &[Neighbour],
    scale: &Scale,
) -> Result<Option<NewSuggestion>, ServiceError> {
    let episodic = near
        .iter()
        .filter(|near| near.brief.memory_type == MemoryType::Episodic);
    let mut members: HashMap<Ulid, Vec<f32>> = episodic
        .map(|near| (near.brief.id, near.vector.clone()))
        .collect();
    if members.is_empty() {
        return Ok(None);
    }
    let mut ids: Vec<Ulid> = members.keys().copied().collect();
    ids.push(own.brief.id);
    let known = knowledge.store.clusters_of(&ids).await?;
    // All entries of a pending generalisation are compared, including those that are further away.
    let pending = known
        .iter()
        .filter(|known| known.status == SuggestionStatus::Pending);
    let others: Vec<Ulid> = pending.flat_map(|known| known.entries.clone()).collect();
    members.extend(topics(knowledge, &others));
    let new = Member {
        id: own.brief.id,
        vector: &own.vector,
    };
    let Some(grown) = cluster::grow(&new, &members, &known, scale.cosine(CLUSTER_SCORE)) else {
        return Ok(None);
    };
    let mut briefs = knowledge.store.entry_briefs(&grown.entries).await?;
    if !briefs.iter().any(|brief| brief.id == own.brief.id) {
        briefs.push(own.brief.clone());
    }
    let now = knowledge.clock.now();
    Ok(Some(NewSuggestion {
        id: match grown.pending {
            Some(id) => id,
            None => new_id(now)?,
        },
        kind: SuggestionType::Generalize,
        score: rounded(scale.score(grown.cosine)),
        reason: GeneralizationReason::of(&briefs).to_string(),
        entries: grown.entries,
        created_at: now,
    }))
}
