//! Querying and submitting experiences.
//!
//! Source: seeds contract, sections "Query Experiences" and "Submit Experience".

pub mod answer_turns;
mod changes;
pub mod insights;
pub mod relevance;
pub mod row_cache;
mod shown;

use std::{collections::HashSet, sync::Arc, time::Duration};

use recall_kit_fair_queue::Urgency;
use recall_kit_fair_queue::flow;
use recall_kit_search::{Hits, Index, IndexError, Parts};
use recall_kit_shared_types::{
    PublicationStatus, QueryExperiencesData, RelevanceParts, SubmitExperienceData,
};
use recall_kit_store::{ExperienceContent, IdempotencyKey, NewExperience, SubmittedExperience};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

pub(crate) use self::changes::kept_since;
pub use self::{
    changes::{
        Edited, ExperienceList, delete, edit, hash_some, hide, list, purge, restore, unhide,
    },
    shown::{Shown, as_json, as_markdown, count_opened, inspect, show, similar},
};
use crate::{
    access::Caller,
    app::App,
    detached,
    error::ServiceError,
    experiences::row_cache::Rows,
    indexing::{
        self,
        family::{Engine, Family},
        popularity::Look,
    },
    vectors::{
        fresh_vectors::Promise,
        query_vectors::{EmbeddedQuery, embed_query},
    },
};

/// Queries answered at once. Enough for a model at an endpoint to be asked for many; few enough for
/// all of them to keep their deadline where a core or two embed and rank them one after the other.
pub const QUERIES_AT_ONCE: usize = 128;
/// How long a query may wait until it is its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);

/// A query that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// What to look for; not blank.
    pub keywords: String,
    /// 1–50.
    pub limit: u32,
    /// Records to skip.
    pub offset: u32,
}

/// What was found, and what its relevances are made of where that was asked for.
type Answer = (QueryExperiencesData, Vec<RelevanceParts>);

/// What was found, before it is copied into an answer.
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
    /// What was changed of what was sent, in words.
    pub notes: Vec<String>,
    /// The client's key, so that a repeated call stores once.
    pub idempotency_key: Option<String>,
}

/// Finds the best experiences for a query.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else what the database or the index said.
pub async fn query(app: &Arc<App>, query: Query) -> Result<QueryExperiencesData, ServiceError> {
    let (data, _) = counted(app, query, relevance::is_logged()).await?;
    Ok(data)
}

/// Finds as [`query`] does, and says what the relevance of each is made of.
///
/// *Errors*: those of [`query`].
pub async fn explained_query(
    app: &Arc<App>,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    counted(app, query, true).await
}

/// Finds as [`explained_query`] does, for somebody who looks around: it counts nothing.
///
/// *Errors*: those of [`query`].
pub async fn look_up(
    app: &Arc<App>,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    let found = in_turn(app, found(app, &query, true)).await?;
    Ok(found.answer(app, &query).await)
}

/// Answers, and counts what it answers with.
async fn counted(app: &Arc<App>, query: Query, with_parts: bool) -> Result<Answer, ServiceError> {
    let found = in_turn(app, found(app, &query, with_parts)).await?;
    let voice = flow::current().voice();
    app.experiences
        .popularity
        .count(found.rows.ids(), Look::Listed, voice, app.now());
    Ok(found.answer(app, &query).await)
}

/// Answers a query when it is its turn, and within its deadline.
pub(crate) async fn in_turn<T>(
    app: &App,
    answer: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, ServiceError> {
    // Waiting for a turn is the others' time, not this query's: a crowd makes it later, not fail.
    let turn = app.query_turns.turn(Urgency::Urgent, 1);
    let _turn = tokio::time::timeout(TURN_TIMEOUT, turn)
        .await
        .map_err(|_| ServiceError::Timeout(TURN_TIMEOUT))?;
    let deadline = app.settings.query_timeout();
    tokio::time::timeout(deadline, answer)
        .await
        .map_err(|_| ServiceError::Timeout(deadline))?
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
    /// Makes the answer, in its turn if it is large.
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

/// Finds and ranks, and says what places each hit where that is wanted.
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
            let asked = query.for_index(embedding.as_deref(), now);
            let found = database.found(app, &asked).await?;
            on_a_thread(move || {
                found.ranked(&query.for_index(embedding.as_deref(), now), with_parts)
            })
            .await
        }
    }
}

/// Ranks: here where it is quick, else on a thread of its own, as a large index takes milliseconds
/// and others are waiting.
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
    on_a_thread(move || index.search(&query.for_index(embedding.as_deref(), now))).await
}

/// Ranks as [`search_in_memory`] does, and says what places each hit.
async fn search_with_parts(
    app: &App,
    index: &Arc<Index>,
    query: Query,
    embedding: Option<Arc<EmbeddedQuery>>,
) -> Result<(Hits, Vec<Parts>), ServiceError> {
    let now = app.now().as_second();
    let index = Arc::clone(index);
    on_a_thread(move || index.search_with_parts(&query.for_index(embedding.as_deref(), now))).await
}

/// Searches where nobody else waits for the processor.
pub(crate) async fn on_a_thread<T: Send + 'static>(
    search: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, ServiceError> {
    let searched = tokio::task::spawn_blocking(search).await;
    Ok(searched.map_err(|_| ServiceError::Broken("the search"))??)
}

impl Query {
    /// The query as the index takes it.
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

/// Stores a new experience; the next query finds it by its words, and by its meaning soon after. One that
/// says what a visible experience says is not stored: experiences belong to everybody, so whoever
/// submits may see that one.
///
/// *Errors*: [`recall_kit_store::StoreError::KeyReused`] for a known key with other content, else what
/// the database said.
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
        // Acknowledged means stored: the author need not wait until searches let the index have it.
        indexing::catch_up_soon(&app, Family::Experiences);
        match stored.is_known {
            true => tracing::info!(experience.id = %stored.id, "experience is known already"),
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

/// Tells content apart: SHA-256 over every field with its length.
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
