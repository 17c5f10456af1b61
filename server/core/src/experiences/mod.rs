//! Querying and submitting experiences.

pub mod applicability;
mod changes;
mod fresh_vectors;
pub mod insights;
pub mod outcomes;
mod promotions;
mod relevance;
mod row_cache;
mod shown;

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use recall_kit_fair_queue::flow;
use recall_kit_shared_types::{
    PublicationStatus, QueryExperiencesData, RelevanceParts, SubmitExperienceData,
};
use recall_kit_store::{
    ExperienceContent, IdempotencyKey, NewExperience, QuestionFamily, Store, SubmittedExperience,
};
use recall_kit_telemetry::metrics::Metrics;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

pub use self::{
    changes::{Edited, ExperienceList, delete, edit, hide, list, restore, unhide},
    shown::{Shown, as_json, as_markdown, count_opened, inspect, show, similar},
};
pub(crate) use self::{
    changes::{hash_some, purge},
    promotions::{promoted, promoted_from, promoted_to},
    shown::markdown,
};
use self::{
    fresh_vectors::Promise,
    insights::{Answered, QueryLog},
    row_cache::{RowCache, Rows},
};
pub use crate::validation::{Query, Submission};
use crate::{
    access::Caller,
    admission::{Admission, answer_turns},
    clock::Clock,
    detached,
    error::ServiceError,
    indexing::{
        self, Records, Source,
        applicability::reading,
        popularity::Exposure,
        search::{ExperienceSearch, search},
    },
    vectors::{Embedding, query_vectors::embed_query},
};

/// Experiences, and what querying, submitting and changing them needs.
pub struct Experiences {
    /// The experiences as searchable records.
    pub records: Arc<Records>,
    /// Cache of rows that were returned recently.
    rows: RowCache,
    /// Queries for the insights that are not stored yet.
    query_log: Arc<QueryLog>,
    store: Arc<dyn Store>,
    embedding: Arc<Embedding>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) clock: Clock,
}

impl Experiences {
    /// Creates the state of experiences over their searchable records.
    pub(crate) fn new(
        records: Arc<Records>,
        admission: &Arc<Admission>,
        query_log: &Arc<QueryLog>,
        metrics: &Arc<Metrics>,
    ) -> Arc<Self> {
        let Source {
            store,
            clock,
            embedding,
            ..
        } = records.source.clone();
        Arc::new(Self {
            records,
            rows: RowCache::new(Arc::clone(metrics)),
            query_log: Arc::clone(query_log),
            store,
            embedding,
            admission: Arc::clone(admission),
            clock,
        })
    }

    /// Notes an answered query for the insights.
    fn note(&self, text: &str, answer: &QueryExperiencesData, took: Duration) {
        let best = answer.experiences.first();
        let answered = Answered {
            results: answer.total,
            relevance: best.map(|best| best.relevance_score),
            took,
        };
        let family = QuestionFamily::Experiences;
        self.query_log.note(family, text, answered);
    }
}

/// The response, and the parts of each relevance if they were requested.
type Answer = (QueryExperiencesData, Vec<RelevanceParts>);

/// The results of a search, before they are copied into a response.
struct Found {
    rows: Rows,
    total: u64,
    parts: Vec<RelevanceParts>,
}

/// Returns the best experiences for a query of an agent, which counts for the popularity of these experiences
/// and for the insights.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database or the index.
pub async fn query(
    experiences: &Experiences,
    query: Query,
) -> Result<QueryExperiencesData, ServiceError> {
    let (data, _) = counted(experiences, query, relevance::is_logged()).await?;
    Ok(data)
}

/// Like [`query`], but also returns the parts of each relevance.
///
/// *Errors*: those of [`query`].
pub async fn explained_query(
    experiences: &Experiences,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    counted(experiences, query, true).await
}

/// Like [`explained_query`], but for browsing: it counts neither the returned records nor the query.
///
/// *Errors*: those of [`query`].
pub async fn look_up(
    experiences: &Experiences,
    query: Query,
) -> Result<(QueryExperiencesData, Vec<RelevanceParts>), ServiceError> {
    let find = || found(experiences, &query, true);
    let found = experiences.admission.run_query(find).await?;
    Ok(found.answer(experiences, &query).await)
}

/// Answers a query, and counts it and the records that it returns.
async fn counted(
    experiences: &Experiences,
    query: Query,
    with_parts: bool,
) -> Result<Answer, ServiceError> {
    let started = Instant::now();
    let find = || found(experiences, &query, with_parts);
    let found = experiences.admission.run_query(find).await?;
    let (ids, voice) = (found.rows.ids(), flow::current().voice());
    let popularity = &experiences.records.popularity;
    popularity.count(ids, Exposure::Listed, voice, experiences.clock.now());
    let answer = found.answer(experiences, &query).await;
    // Requests for further pages of results are the same query.
    if query.offset == 0 {
        experiences.note(&query.keywords, &answer.0, started.elapsed());
    }
    Ok(answer)
}

/// Searches, and reads the rows of the page.
async fn found(
    experiences: &Experiences,
    query: &Query,
    with_parts: bool,
) -> Result<Found, ServiceError> {
    let wanted = ExperienceSearch {
        text: query.keywords.clone(),
        query: embed_query(&experiences.embedding, &query.keywords).await,
        context: None,
        surroundings: applicability::surroundings(experiences, &query.keywords, &query.environment),
        offset: query.offset,
        limit: query.limit,
        left_out: HashSet::new(),
    };
    let (hits, parts) = search(&experiences.records, wanted, with_parts).await?;
    let mut parts = relevance::shown_parts(&hits.hits, &parts);
    if with_parts {
        relevance::log(&hits, &parts);
    }
    let rows = row_cache::rows(experiences, &hits.hits).await?;
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
    async fn answer(self, experiences: &Experiences, query: &Query) -> Answer {
        answer_turns::wait_if_large(&experiences.admission, self.rows.bytes()).await;
        let data = QueryExperiencesData {
            experiences: self.rows.records(),
            total: self.total,
            limit: query.limit,
            offset: query.offset,
        };
        (data, self.parts)
    }
}

/// Stores a new experience. The next query finds it by its words, and soon after by its meaning. If a
/// visible experience has the same content, nothing is stored and the id of that one is returned:
/// every caller may see all experiences.
///
/// *Errors*: [`recall_kit_store::StoreError::KeyReused`] for a known key with other content, else
/// those of the database.
pub async fn submit(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    submission: Submission,
) -> Result<SubmitExperienceData, ServiceError> {
    let Submission {
        content,
        notes,
        idempotency_key,
    } = submission;
    let id = Uuid::now_v7();
    let promise = Promise::new(experiences, id);
    let to_embed = promise.is_some().then(|| content.clone());
    let new = NewExperience {
        id,
        idempotency: idempotency_key.map(|key| IdempotencyKey {
            key: caller.idempotency_key(key),
            fingerprint: fingerprint(&content),
        }),
        content,
        vector: None,
        created_at: experiences.clock.now(),
        author: caller.user.or(caller.key),
    };
    let experiences = Arc::clone(experiences);
    let stored = detached::run("the submission", async move {
        let stored = experiences.store.insert_experience(new).await?;
        if stored.id == id
            && let (Some(promise), Some(content)) = (promise, to_embed)
        {
            promise.keep(content);
        }
        // Acknowledged means stored: the caller does not wait until the record is indexed.
        indexing::catch_up_soon(&experiences.records);
        reading::read_soon(&experiences.records.source);
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
    if let Some(applies) = &content.applies {
        hash.update(serde_json::to_vec(applies).unwrap_or_default());
    }
    hash.finalize().into()
}
