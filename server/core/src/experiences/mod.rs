//! Querying and submitting experiences.

mod changes;
pub mod insights;
pub mod relevance;
pub mod row_cache;
mod shown;

use std::{collections::HashSet, sync::Arc};

use recall_kit_fair_queue::flow;
use recall_kit_search::{Hits, Index, Parts};
use recall_kit_shared_types::{
    PublicationStatus, QueryExperiencesData, RelevanceParts, SubmitExperienceData,
};
use recall_kit_store::{ExperienceContent, IdempotencyKey, NewExperience, SubmittedExperience};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

pub use self::{
    changes::{
        Edited, ExperienceList, delete, edit, hash_some, hide, list, purge, restore, unhide,
    },
    shown::{Shown, as_json, as_markdown, count_opened, inspect, show, similar},
};
use crate::{
    access::Caller,
    admission::{answer_turns, run_query, spawn_search},
    app::App,
    detached,
    error::ServiceError,
    experiences::row_cache::Rows,
    indexing::{
        self,
        family::{Engine, Family},
        popularity::Exposure,
    },
    vectors::{
        fresh_vectors::Promise,
        query_vectors::{EmbeddedQuery, embed_query},
    },
};

/// A query that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The search text; not blank.
    pub keywords: String,
    /// The most records to return, 1–50.
    pub limit: u32,
    /// Records to skip.
    pub offset: u32,
}

/// The response, and the parts of each relevance if they were requested.
type Answer = (QueryExperiencesData, Vec<RelevanceParts>);

/// The results of a search, before they are copied into a response.
struct Found {
    rows: Rows,
    total: u64,
    parts: Vec<RelevanceParts>,
}

/// A submission that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The texts.
    pub content: ExperienceContent,
    /// What validation changed in the texts, for the caller.
    pub notes: Vec<String>,
    /// The client's key, so that a repeated call stores once.
    pub idempotency_key: Option<String>,
}

/// Returns the best experiences for a query.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn query(app: &Arc<App>, query: Query) -> Result<QueryExperiencesData, ServiceError> {
    let (data, _) = counted(app, query, relevance::is_logged()).await?;
    Ok(data)
}

/// Like [`query`], but also returns the parts of each relevance.
///
/// *Errors*: those of [`query`].
pub async fn explained_query(
    app: &Arc<App>,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    counted(app, query, true).await
}

/// Like [`explained_query`], but for browsing: it does not count the returned records.
///
/// *Errors*: those of [`query`].
pub async fn look_up(
    app: &Arc<App>,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    let found = run_query(app, found(app, &query, true)).await?;
    Ok(found.answer(app, &query).await)
}

/// Answers a query, and counts the records that it returns.
async fn counted(app: &Arc<App>, query: Query, with_parts: bool) -> Result<Answer, ServiceError> {
    let found = run_query(app, found(app, &query, with_parts)).await?;
    let voice = flow::current().voice();
    app.experiences
        .popularity
        .count(found.rows.ids(), Exposure::Listed, voice, app.now());
    Ok(found.answer(app, &query).await)
}

async fn found(app: &Arc<App>, query: &Query, with_parts: bool) -> Result<Found, ServiceError> {
    indexing::catch_up(app, Family::Experiences).await?;
    let embedding = embed_query(app, &query.keywords).await;
    let (hits, parts) = search(app, query.clone(), embedding, with_parts).await?;
    let mut parts = relevance::shown_parts(&hits.hits, &parts);
    if with_parts {
        relevance::log(&hits, &parts);
    }
    let rows = row_cache::rows(app, &hits.hits).await?;
    if parts.len() > rows.count() {
        let returned: HashSet<String> = rows.ids().map(|id| id.to_string()).collect();
        parts.retain(|part| returned.contains(&part.id));
    }
    Ok(Found {
        rows,
        total: hits.total,
        parts,
    })
}

impl Found {
    /// Builds the response; waits for a turn first if it is large.
    async fn answer(self, app: &App, query: &Query) -> Answer {
        answer_turns::wait_if_large(app, self.rows.bytes()).await;
        let data = QueryExperiencesData {
            experiences: self.rows.records(),
            total: self.total,
            limit: query.limit,
            offset: query.offset,
        };
        (data, self.parts)
    }
}

/// Searches and ranks; also returns the parts of each hit's rank if `with_parts` is set.
async fn search(
    app: &Arc<App>,
    query: Query,
    embedding: Option<Arc<EmbeddedQuery>>,
    with_parts: bool,
) -> Result<(Hits, Vec<Parts>), ServiceError> {
    match &app.experiences.engine {
        Engine::Memory(index) if with_parts => {
            search_with_parts(app, index, query, embedding).await
        }
        Engine::Memory(index) => {
            let hits = search_in_memory(app, index, query, embedding).await?;
            Ok((hits, Vec::new()))
        }
        Engine::Database(database) => {
            let now = app.now().as_second();
            let index_query = query.for_index(embedding.as_deref(), now);
            let found = database.found(app, &index_query).await?;
            spawn_search(move || {
                found.ranked(&query.for_index(embedding.as_deref(), now), with_parts)
            })
            .await
        }
    }
}

/// Ranks on this thread if that is quick, else on a blocking thread, since a large index takes
/// milliseconds and would block other tasks.
async fn search_in_memory(
    app: &App,
    index: &Arc<Index>,
    query: Query,
    embedding: Option<Arc<EmbeddedQuery>>,
) -> Result<Hits, ServiceError> {
    let now = app.now().as_second();
    if let Some(searched) = index.search_if_quick(&query.for_index(embedding.as_deref(), now)) {
        return Ok(searched?);
    }
    let index = Arc::clone(index);
    spawn_search(move || index.search(&query.for_index(embedding.as_deref(), now))).await
}

/// Like [`search_in_memory`], but also returns the parts of each hit's rank.
async fn search_with_parts(
    app: &App,
    index: &Arc<Index>,
    query: Query,
    embedding: Option<Arc<EmbeddedQuery>>,
) -> Result<(Hits, Vec<Parts>), ServiceError> {
    let now = app.now().as_second();
    let index = Arc::clone(index);
    spawn_search(move || index.search_with_parts(&query.for_index(embedding.as_deref(), now))).await
}

impl Query {
    /// Converts the query to the index's type.
    fn for_index<'a>(
        &'a self,
        embedding: Option<&'a EmbeddedQuery>,
        now: i64,
    ) -> recall_kit_search::Query<'a> {
        recall_kit_search::Query {
            text: &self.keywords,
            embedding: embedding.map(|embedded| embedded.vector.as_slice()),
            everyday: embedding.map_or(0.0, |embedded| embedded.everyday),
            turns: None,
            language: embedding
                .map(|embedded| embedded.language)
                .unwrap_or_default(),
            now,
            offset: self.offset as usize,
            limit: self.limit as usize,
            context: None,
            allowed: recall_kit_search::Allowed::Everything,
        }
    }
}

/// Stores a new experience. The next query finds it by its words, and soon after by its meaning. If a
/// visible experience has the same content, nothing is stored and the id of that one is returned:
/// every caller may see all experiences.
///
/// *Errors*: [`recall_kit_store::StoreError::KeyReused`] for a known key with other content, else
/// those of the database.
pub async fn submit(
    app: &Arc<App>,
    caller: &Caller,
    submission: Submission,
) -> Result<SubmitExperienceData, ServiceError> {
    let Submission {
        content,
        notes,
        idempotency_key,
    } = submission;
    let id = Uuid::now_v7();
    let promise = Promise::new(app, id);
    let to_embed = promise.is_some().then(|| content.clone());
    let new = NewExperience {
        id,
        idempotency: idempotency_key.map(|key| IdempotencyKey {
            key: caller.idempotency_key(key),
            fingerprint: fingerprint(&content),
        }),
        content,
        vector: None,
        created_at: app.now(),
    };
    let app = Arc::clone(app);
    let stored = detached::run("the submission", async move {
        let stored = app.store.insert_experience(new).await?;
        if stored.id == id
            && let (Some(promise), Some(content)) = (promise, to_embed)
        {
            promise.keep(content);
        }
        // Acknowledged means stored: the caller does not wait until the record is indexed.
        indexing::catch_up_soon(&app, Family::Experiences);
        match stored.is_known {
            true => tracing::info!(experience.id = %stored.id, "experience was already stored"),
            false => tracing::info!(experience.id = %stored.id, "experience stored"),
        }
        Ok(stored)
    });
    let SubmittedExperience { id, is_known } = stored.await?;
    Ok(SubmitExperienceData {
        id: id.to_string(),
        status: PublicationStatus::Published,
        message: match is_known {
            true => format!("Already shared as {id}; nothing was stored twice"),
            false => "Experience record created and published successfully".to_owned(),
        },
        notes,
    })
}

/// Returns the SHA-256 over every field with its length, which distinguishes contents.
fn fingerprint(content: &ExperienceContent) -> [u8; 32] {
    let mut hash = Sha256::new();
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let fields = [
        content.title.clone(),
        content.problem_description.clone(),
        optional(&content.root_cause),
        content.solution.clone(),
        optional(&content.context),
    ];
    for field in fields.iter().chain(&content.keywords) {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field.as_bytes());
    }
    hash.finalize().into()
}
