//! Makes suggestions for a new entry: one pass over all vectors, and a close look at the nearest.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use recall_kit_shared_types::knowledge::{EntryStatus, MemoryType, SimilarEntry, SuggestionType};
use ulid::Ulid;

use super::{
    alike::{CLUSTER_SCORE, LINK_SCORE, Scale, cosine},
    cluster::{self, Member},
    reason,
};
use crate::{
    app::App,
    error::ServiceError,
    search::first_passage,
    service::entries::{new_id, rounded},
    store::{EntryBrief, NewSuggestion, SuggestionStatus},
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

/// Suggests what an entry, which the index has with this stored summary vector, may have to do with
/// others.
///
/// *Errors*: what the database said; nothing is lost but suggestions.
pub(in super::super) async fn suggest(
    app: &Arc<App>,
    id: Ulid,
    summary: &[u8],
) -> Result<Suggested, ServiceError> {
    let Some((vector, embedder)) = topic(app, summary).zip(app.embedder.as_ref()) else {
        return Ok(Suggested::default());
    };
    let _one_at_a_time = app.suggesting.lock().await;
    let (shared, query) = (Arc::clone(app), vector.clone());
    let nearest = tokio::task::spawn_blocking(move || {
        // One more, as the entry itself is among them.
        shared.entries.index.nearest(&query, NEIGHBOURS + 1)
    });
    let nearest = nearest
        .await
        .map_err(|_| ServiceError::Broken("the search"))?;
    let scale = Scale::of(embedder.unrelated(), &nearest);
    let mut ids: HashSet<Ulid> = nearest.best.iter().map(|(id, _)| (*id).into()).collect();
    ids.insert(id);
    let mut neighbours = compared(app, ids.into_iter().collect(), &vector, &scale).await?;
    let own = neighbours.iter().position(|near| near.brief.id == id);
    let Some(own) = own.map(|at| neighbours.swap_remove(at)) else {
        return Ok(Suggested::default());
    };
    neighbours.retain(|near| near.brief.status == EntryStatus::Active);
    neighbours.retain(|near| near.score >= LINK_SCORE);
    neighbours.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut created = link(app, &own, &neighbours).await?;
    if own.brief.memory_type == MemoryType::Episodic {
        created += u64::from(generalize(app, &own, &neighbours, &scale).await?);
    }
    let similar = neighbours.into_iter().take(MAX_SIMILAR);
    let similar = similar.map(|near| SimilarEntry {
        id: near.brief.id.to_string(),
        title: near.brief.title,
        score: rounded(near.score),
    });
    Ok(Suggested {
        similar: similar.collect(),
        created,
    })
}

/// Reads entries and compares them with a vector.
async fn compared(
    app: &App,
    ids: Vec<Ulid>,
    vector: &[f32],
    scale: &Scale,
) -> Result<Vec<Neighbour>, ServiceError> {
    let mut vectors = vectors(app, &ids).await?;
    let briefs = app.store.entry_briefs(&ids).await?;
    let compared = briefs.into_iter().filter_map(|brief| {
        let other = vectors.remove(&brief.id)?;
        Some(Neighbour {
            score: scale.score(cosine(vector, &other)),
            vector: other,
            brief,
        })
    });
    Ok(compared.collect())
}

/// Returns what a stored summary vector says about its topic.
fn topic(app: &App, summary: &[u8]) -> Option<Vec<f32>> {
    let whole = first_passage(summary)?;
    Some(app.embedder.as_ref()?.topic(&whole))
}

async fn vectors(app: &App, ids: &[Ulid]) -> Result<HashMap<Ulid, Vec<f32>>, ServiceError> {
    let vectors = app.store.entry_vectors(ids).await?;
    let whole = vectors
        .into_iter()
        .filter_map(|(id, vectors)| Some((id, topic(app, &vectors.summary)?)));
    Ok(whole.collect())
}

/// Stores links to the nearest, and returns how many are new.
async fn link(app: &App, own: &Neighbour, near: &[Neighbour]) -> Result<u64, ServiceError> {
    let now = app.now();
    let links = near.iter().take(MAX_LINKS).map(|near| {
        Ok(NewSuggestion {
            id: new_id(now)?,
            kind: SuggestionType::Link,
            entries: vec![own.brief.id, near.brief.id],
            score: rounded(near.score),
            reason: reason::for_link(&own.brief, &near.brief, near.score),
            created_at: now,
        })
    });
    let links: Vec<NewSuggestion> = links.collect::<Result<_, ServiceError>>()?;
    Ok(app.store.insert_link_suggestions(&links).await?)
}

/// Stores a generalisation that the entry belongs to, or lets one grow by it; returns whether.
async fn generalize(
    app: &App,
    own: &Neighbour,
    near: &[Neighbour],
    scale: &Scale,
) -> Result<bool, ServiceError> {
    let episodic = near
        .iter()
        .filter(|near| near.brief.memory_type == MemoryType::Episodic);
    let mut members: HashMap<Ulid, Vec<f32>> = episodic
        .map(|near| (near.brief.id, near.vector.clone()))
        .collect();
    if members.is_empty() {
        return Ok(false);
    }
    let mut ids: Vec<Ulid> = members.keys().copied().collect();
    ids.push(own.brief.id);
    let known = app.store.clusters_of(&ids).await?;
    // Entries of a pending generalisation count as a whole, also those that are further away.
    let pending = known
        .iter()
        .filter(|known| known.status == SuggestionStatus::Pending);
    let others: Vec<Ulid> = pending.flat_map(|known| known.entries.clone()).collect();
    members.extend(vectors(app, &others).await?);
    let new = Member {
        id: own.brief.id,
        vector: &own.vector,
    };
    let Some(grown) = cluster::grow(&new, &members, &known, scale.cosine(CLUSTER_SCORE)) else {
        return Ok(false);
    };
    let briefs = app.store.entry_briefs(&grown.entries).await?;
    let now = app.now();
    let suggestion = NewSuggestion {
        id: match grown.pending {
            Some(id) => id,
            None => new_id(now)?,
        },
        kind: SuggestionType::Generalize,
        score: rounded(scale.score(grown.cosine)),
        reason: reason::for_generalization(&briefs),
        entries: grown.entries,
        created_at: now,
    };
    app.store.put_cluster(&suggestion).await?;
    Ok(true)
}
