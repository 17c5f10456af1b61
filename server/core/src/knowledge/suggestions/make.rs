//! Makes suggestions for a new entry: one pass over all vectors, and a close look at the nearest.

use std::{collections::HashMap, sync::Arc};

use recall_kit_embed::Unrelated;
use recall_kit_search::{Allowed, IndexError, first_passage};
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
    access::reach,
    app::App,
    error::ServiceError,
    indexing::{self, damage, family::Family},
    knowledge::{
        entries::{new_id, rounded},
        labels::EntryFilter,
    },
};

/// Entries that a new one is compared with closely.
const NEIGHBOURS: usize = 32;
/// Similar entries that an answer names.
const MAX_SIMILAR: usize = 5;
/// Links that are suggested for one new entry.
const MAX_LINKS: usize = 3;

/// What came of a new entry.
#[derive(Debug, Default)]
pub struct Suggested {
    /// The entries most like it, best first.
    pub similar: Vec<SimilarEntry>,
    /// How many suggestions came or grew with it.
    pub created: u64,
}

/// An entry that another one is compared with.
struct Neighbour {
    brief: EntryBrief,
    vector: Vec<f32>,
    /// How alike they are, 0–1.
    score: f64,
}

/// What is suggested about an entry and not stored yet.
#[derive(Debug, Default)]
pub(crate) struct Proposed {
    /// Links and a generalisation.
    pub suggestions: Vec<NewSuggestion>,
    /// The entries most like it, best first.
    pub similar: Vec<SimilarEntry>,
}

/// Proposes what a new entry with this summary vector may have to do with others, so that it can be
/// stored together with that. Who stores it holds [`App::suggesting`] until the index has it, so that
/// entries that come at once see each other. What is named as similar is within reach.
///
/// *Errors*: what the database said.
pub(crate) async fn propose(
    app: &Arc<App>,
    reach: &Projects,
    (id, content): (Ulid, &EntryContent),
    summary: &[u8],
) -> Result<Proposed, ServiceError> {
    let Some(vector) = topic(app, summary) else {
        return Ok(Proposed::default());
    };
    indexing::catch_up(app, Family::Entries).await?;
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
    };
    let score = 1.0;
    let own = Neighbour {
        brief,
        vector,
        score,
    };
    about(app, reach, &own).await
}

/// Suggests what an entry, which the index has with this stored summary vector, may have to do with
/// others; says of that what is within reach.
///
/// *Errors*: what the database said; nothing is lost but suggestions.
pub(crate) async fn suggest(
    app: &Arc<App>,
    reach: &Projects,
    id: Ulid,
    summary: &[u8],
) -> Result<Suggested, ServiceError> {
    let own = app.store.entry_briefs(&[id]).await?.pop();
    let Some((vector, brief)) = topic(app, summary).zip(own) else {
        return Ok(Suggested::default());
    };
    let _one_at_a_time = app.suggesting.lock().await;
    let score = 1.0;
    let own = Neighbour {
        brief,
        vector,
        score,
    };
    let proposed = about(app, reach, &own).await?;
    let told = reach::told(app, reach, id, &proposed.suggestions);
    let (links, others): (Vec<_>, Vec<_>) = proposed
        .suggestions
        .into_iter()
        .partition(|one| one.kind == SuggestionType::Link);
    let mut created = app.store.insert_link_suggestions(&links).await?;
    for generalization in &others {
        app.store.put_cluster(generalization).await?;
        created += 1;
    }
    Ok(Suggested {
        similar: proposed.similar,
        created: created.min(told),
    })
}

/// Looks for what an entry may have to do with others: one pass over all vectors, and a close look at
/// the nearest. Suggestions are for everybody who sees their entries; what is told is within reach.
async fn about(
    app: &Arc<App>,
    reach: &Projects,
    own: &Neighbour,
) -> Result<Proposed, ServiceError> {
    let Some(embedder) = app.embedder.as_ref() else {
        return Ok(Proposed::default());
    };
    let unrelated = embedder.unrelated();
    let (mut neighbours, scale) = neighbours(app, own, unrelated, &Projects::All).await?;
    let mut suggestions = links(app, own, &neighbours)?;
    if own.brief.memory_type == MemoryType::Episodic {
        suggestions.extend(generalization(app, own, &neighbours, &scale).await?);
    }
    if !reach.is_all() {
        // How alike entries are is judged by what else there is: for this caller, what is in reach.
        (neighbours, _) = self::neighbours(app, own, unrelated, reach).await?;
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

/// Returns the valid entries within reach that are most like an entry, best first, and the scale that
/// they were judged by.
async fn neighbours(
    app: &Arc<App>,
    own: &Neighbour,
    unrelated: Option<Unrelated>,
    reach: &Projects,
) -> Result<(Vec<Neighbour>, Scale), ServiceError> {
    let (shared, reach, query) = (Arc::clone(app), reach.clone(), own.vector.clone());
    let nearest = tokio::task::spawn_blocking(move || {
        let index = shared.entries.index()?;
        // One more, as the entry itself may be among them.
        let count = NEIGHBOURS + 1;
        if reach.is_all() {
            return Ok::<_, IndexError>(index.nearest(&query, count, Allowed::Everything));
        }
        let filter = EntryFilter::default();
        let inside = shared.labels.filtered(&reach, &filter);
        let allows = |id| inside.allows(id);
        Ok(index.nearest(&query, count, Allowed::Scope(&allows)))
    });
    let nearest = nearest
        .await
        .map_err(|_| ServiceError::Broken("the search"))??;
    let scale = Scale::of(unrelated, &nearest);
    let ids = nearest.best.iter().map(|(id, _)| Ulid::from(*id));
    let ids: Vec<Ulid> = ids.filter(|id| *id != own.brief.id).collect();
    let mut neighbours = alike(app, &ids, &own.vector, &scale).await?;
    neighbours.retain(|near| near.brief.status == EntryStatus::Active);
    neighbours.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok((neighbours, scale))
}

/// Compares entries with a vector and reads those that are like it.
async fn alike(
    app: &App,
    ids: &[Ulid],
    vector: &[f32],
    scale: &Scale,
) -> Result<Vec<Neighbour>, ServiceError> {
    let mut near = topics(app, ids);
    near.retain(|_, other| scale.score(cosine(vector, other)) >= LINK_SCORE);
    if near.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Ulid> = near.keys().copied().collect();
    let briefs = damage::readable(&ids, |ids| app.store.entry_briefs(ids)).await?;
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

/// Returns what a stored summary vector says about its topic.
fn topic(app: &App, summary: &[u8]) -> Option<Vec<f32>> {
    let whole = first_passage(summary)?;
    Some(app.embedder.as_ref()?.compared(&whole))
}

/// Returns what the index knows of the topics of entries: their summaries are the first passages.
fn topics(app: &App, ids: &[Ulid]) -> HashMap<Ulid, Vec<f32>> {
    let Ok(index) = app.entries.index() else {
        return HashMap::new();
    };
    let ids: Vec<Uuid> = ids.iter().map(|id| (*id).into()).collect();
    let summaries = index.first_passages(&ids).into_iter();
    summaries.map(|(id, topic)| (id.into(), topic)).collect()
}

/// Proposes links to the nearest.
fn links(
    app: &App,
    own: &Neighbour,
    near: &[Neighbour],
) -> Result<Vec<NewSuggestion>, ServiceError> {
    let now = app.now();
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

/// Proposes a generalisation that the entry belongs to, or lets one grow by it.
async fn generalization(
    app: &App,
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
    let known = app.store.clusters_of(&ids).await?;
    // Entries of a pending generalisation count as a whole, also those that are further away.
    let pending = known
        .iter()
        .filter(|known| known.status == SuggestionStatus::Pending);
    let others: Vec<Ulid> = pending.flat_map(|known| known.entries.clone()).collect();
    members.extend(topics(app, &others));
    let new = Member {
        id: own.brief.id,
        vector: &own.vector,
    };
    let Some(grown) = cluster::grow(&new, &members, &known, scale.cosine(CLUSTER_SCORE)) else {
        return Ok(None);
    };
    let mut briefs = app.store.entry_briefs(&grown.entries).await?;
    if !briefs.iter().any(|brief| brief.id == own.brief.id) {
        briefs.push(own.brief.clone());
    }
    let now = app.now();
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
