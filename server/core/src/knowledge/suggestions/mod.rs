//! Suggestions: links between similar entries, and generalisations of several entries about the same
//! thing. Lists pending ones, and accepts or rejects them.

mod alike;
mod cluster;
mod command;
mod make;
mod reason;

use std::{collections::HashMap, sync::Arc};

use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    knowledge::{
        AcceptData, CreatedLink, EntryName, GeneralizeSuggestion, LinkSuggestion, RejectData,
        RelationType, SuggestGeneralizeData, SuggestLinksData, SuggestionType,
    },
};
use recall_kit_store::{AuditEvent, EntryBrief, NewLink, Projects, Suggestion, SuggestionStatus};
use recall_kit_telemetry::chain;
use ulid::Ulid;

pub(crate) use self::make::{Proposed, propose, suggest};
pub use self::{
    make::Suggested,
    reason::{GeneralizationReason, Likeness, LinkReason},
};
use super::{links, new_id, values::shown_time};
use crate::{
    access::{
        Caller,
        audit::{Action, PendingEvent, Subject},
    },
    error::ServiceError,
    indexing::project_scope,
    knowledge::Knowledge,
    validation::refused,
    vectors::Embedding,
};

/// Returns the best pending links that the caller may see.
///
/// *Errors*: `EMBEDDINGS_DISABLED`, `MODEL_NOT_AVAILABLE`; those of the database.
pub async fn pending_links(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    limit: u32,
) -> Result<SuggestLinksData, ServiceError> {
    check_model(&knowledge.embedding).await?;
    let kind = SuggestionType::Link;
    let (pending, total_pending) = pending(knowledge, &caller.projects, kind, limit).await?;
    let suggestions = pending.into_iter().filter_map(|pending| {
        let (id, score, created_at) = (pending.id, pending.score, pending.created_at);
        let mut names = names(pending.entries).into_iter();
        Some(LinkSuggestion {
            id: id.to_string(),
            entry_a: names.next()?,
            entry_b: names.next()?,
            score,
            reason: pending.reason,
            created_at: shown_time(created_at),
        })
    });
    Ok(SuggestLinksData {
        suggestions: suggestions.collect(),
        total_pending,
    })
}

/// Returns the best pending generalisations that the caller may see.
///
/// *Errors*: as [`pending_links`].
pub async fn pending_generalizations(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    limit: u32,
) -> Result<SuggestGeneralizeData, ServiceError> {
    check_model(&knowledge.embedding).await?;
    let kind = SuggestionType::Generalize;
    let (pending, total_pending) = pending(knowledge, &caller.projects, kind, limit).await?;
    let suggestions = pending.into_iter().map(|pending| GeneralizeSuggestion {
        id: pending.id.to_string(),
        entries: names(pending.entries),
        score: pending.score,
        reason: pending.reason,
        created_at: shown_time(pending.created_at),
    });
    Ok(SuggestGeneralizeData {
        suggestions: suggestions.collect(),
        total_pending,
    })
}

/// The entries of some suggestions, from which pages explain these in their own language.
#[derive(Debug, Default)]
pub struct SuggestedEntries(HashMap<Ulid, EntryBrief>);

impl SuggestedEntries {
    /// Reads the entries of suggestions that were returned to the caller.
    ///
    /// *Errors*: those of the database.
    pub async fn of(
        knowledge: &Knowledge,
        links: &[LinkSuggestion],
        generalizations: &[GeneralizeSuggestion],
    ) -> Result<Self, ServiceError> {
        let of_links = links.iter().flat_map(|one| [&one.entry_a, &one.entry_b]);
        let of_others = generalizations.iter().flat_map(|one| &one.entries);
        let ids = of_links.chain(of_others).filter_map(id_of);
        let ids: Vec<Ulid> = ids.collect();
        let briefs = knowledge.store.entry_briefs(&ids).await?;
        let briefs = briefs.into_iter().map(|brief| (brief.id, brief));
        Ok(Self(briefs.collect()))
    }

    /// Returns why a link is suggested; `None` if one of its entries was removed.
    pub fn link_reason(&self, one: &LinkSuggestion) -> Option<LinkReason> {
        let brief = |name| self.0.get(&id_of(name)?);
        let (a, b) = (brief(&one.entry_a)?, brief(&one.entry_b)?);
        Some(LinkReason::of(a, b, one.score))
    }

    /// Returns why a generalisation is suggested; `None` if one of its entries was removed.
    pub fn generalization_reason(
        &self,
        one: &GeneralizeSuggestion,
    ) -> Option<GeneralizationReason> {
        let briefs = one.entries.iter();
        let briefs = briefs.map(|name| self.0.get(&id_of(name)?).cloned());
        let briefs: Option<Vec<EntryBrief>> = briefs.collect();
        Some(GeneralizationReason::of(&briefs?))
    }
}

fn id_of(name: &EntryName) -> Option<Ulid> {
    Ulid::from_string(&name.id).ok()
}

/// Returns the best pending suggestions that the caller may see, and their total number.
async fn pending(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    kind: SuggestionType,
    limit: u32,
) -> Result<(Vec<Suggestion>, u64), ServiceError> {
    if projects.is_all() {
        return Ok(knowledge.store.pending_suggestions(kind, limit).await?);
    }
    // The database does not know which of them the caller may see.
    let (mut all, _) = knowledge.store.pending_suggestions(kind, u32::MAX).await?;
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    all.retain(|one| is_within(knowledge, projects, one));
    let total = all.len() as u64;
    all.truncate(limit as usize);
    Ok((all, total))
}

/// Whether the caller may see all existing entries of a suggestion.
fn is_within(knowledge: &Knowledge, projects: &Projects, suggestion: &Suggestion) -> bool {
    let entries = suggestion.entries.iter().map(|(id, _)| *id);
    projects.is_all()
        || !suggestion.entries.is_empty()
            && project_scope::is_within(&knowledge.labels, projects, entries)
}

fn names(entries: Vec<(Ulid, String)>) -> Vec<EntryName> {
    let names = entries.into_iter().map(|(id, title)| EntryName {
        id: id.to_string(),
        title,
    });
    names.collect()
}

/// Checks that the model works, without which there are no suggestions.
async fn check_model(embedding: &Embedding) -> Result<(), ServiceError> {
    let disabled = "Suggestions need embeddings, which are switched off; start the server with \
                    --embeddings builtin";
    let replaced = "The database's vectors are now computed by another model; restart the server";
    let refused = |code, message| Err(Box::new(ErrorBody::new(code, message)).into());
    if embedding.model().is_none() {
        return refused(ErrorCode::EmbeddingsDisabled, disabled);
    }
    let Some(embedder) = embedding.model_in_use() else {
        return refused(ErrorCode::ModelNotAvailable, replaced);
    };
    match embedder.ready().await {
        Ok(()) => Ok(()),
        Err(error) => {
            tracing::warn!(error = chain(&error), "the model cannot be used");
            let message = "The embedding model cannot be used; the server's log says why, and \
                           `recall-kit-server doctor` what to do";
            refused(ErrorCode::ModelNotAvailable, message)
        }
    }
}

/// Accepts a suggestion: creates its link, or returns the command that creates the semantic entry.
///
/// *Errors*: `SUGGESTION_NOT_FOUND`, also for one that was decided before; `ENTRY_NOT_FOUND` if one of its
/// entries was removed. Nothing is changed then.
pub async fn accept(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    id: &str,
) -> Result<AcceptData, ServiceError> {
    let (suggestion, made_of) = find_pending(knowledge, &caller.projects, id).await?;
    if suggestion.entries.len() < made_of {
        let message = format!(
            "An entry of suggestion '{}' no longer exists",
            suggestion.id
        );
        return Err(refused(ErrorCode::EntryNotFound, "suggestion_id", message).into());
    }
    let event = about(Action::SuggestionAccepted, &suggestion).by(caller, knowledge.clock.now());
    match suggestion.kind {
        SuggestionType::Link => accept_link(knowledge, &suggestion, &event).await,
        SuggestionType::Generalize => accept_generalization(knowledge, &suggestion, &event).await,
    }
}

async fn accept_link(
    knowledge: &Knowledge,
    suggestion: &Suggestion,
    event: &AuditEvent,
) -> Result<AcceptData, ServiceError> {
    let [(older, _), (newer, _)] = suggestion.entries.as_slice() else {
        return Err(ServiceError::Broken("a suggestion"));
    };
    let now = knowledge.clock.now();
    let link = NewLink {
        id: new_id(now)?,
        source: *newer,
        target: *older,
        relation: RelationType::Related,
        created_at: now,
    };
    let store = knowledge.store.as_ref();
    let accepted = store.accept_suggestion(suggestion.id, Some(&link), now, Some(event));
    if !accepted.await.map_err(links::refusal(&link))? {
        return Err(decided_meanwhile(suggestion.id));
    }
    Ok(AcceptData {
        accepted: true,
        suggestion_type: SuggestionType::Link,
        action_taken: "The two entries are linked as related".to_owned(),
        link_created: Some(CreatedLink {
            source_id: newer.to_string(),
            target_id: older.to_string(),
        }),
        generalize_command: None,
    })
}

async fn accept_generalization(
    knowledge: &Knowledge,
    suggestion: &Suggestion,
    event: &AuditEvent,
) -> Result<AcceptData, ServiceError> {
    let (store, now) = (knowledge.store.as_ref(), knowledge.clock.now());
    let accepted = store.accept_suggestion(suggestion.id, None, now, Some(event));
    if !accepted.await? {
        return Err(decided_meanwhile(suggestion.id));
    }
    let entries = suggestion.entries.iter().map(|(id, _)| *id);
    let command = command::generalize(&knowledge.settings, entries);
    Ok(AcceptData {
        accepted: true,
        suggestion_type: SuggestionType::Generalize,
        action_taken: "The generalisation is prepared; run generalize_command to make it"
            .to_owned(),
        link_created: None,
        generalize_command: Some(command),
    })
}

/// Rejects a suggestion permanently.
///
/// *Errors*: `SUGGESTION_NOT_FOUND`, also for one that was decided before.
pub async fn reject(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    id: &str,
) -> Result<RejectData, ServiceError> {
    let (suggestion, _) = find_pending(knowledge, &caller.projects, id).await?;
    let (store, now) = (knowledge.store.as_ref(), knowledge.clock.now());
    let event = about(Action::SuggestionRejected, &suggestion).by(caller, now);
    let rejected = store.reject_suggestion(suggestion.id, now, Some(&event));
    if !rejected.await? {
        return Err(decided_meanwhile(suggestion.id));
    }
    Ok(RejectData {
        rejected: true,
        suggestion_id: suggestion.id.to_string(),
    })
}

/// Creates the audit event for a decision about a suggestion.
fn about(action: Action, suggestion: &Suggestion) -> PendingEvent {
    let entries = suggestion.entries.iter().map(|(id, _)| id.to_string());
    let entries: Vec<String> = entries.collect();
    let (kind, entries) = (suggestion.kind, entries.join(" "));
    let pending = PendingEvent::new(action).to(Subject::Suggestion, suggestion.id);
    pending.saying(format!("{kind} {entries}"))
}

/// Returns a pending suggestion, and the number of entries of which it was made. One that the caller may
/// not see counts as missing, whatever was decided about it.
async fn find_pending(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: &str,
) -> Result<(Suggestion, usize), ServiceError> {
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    let known = match Ulid::from_string(id.trim()) {
        Ok(id) => knowledge.store.suggestion(id).await?,
        Err(_) => None,
    };
    match known.filter(|(suggestion, _)| is_within(knowledge, projects, suggestion)) {
        Some((suggestion, made_of)) if suggestion.status == SuggestionStatus::Pending => {
            Ok((suggestion, made_of))
        }
        Some((suggestion, _)) => {
            let (id, status) = (suggestion.id, suggestion.status.as_str());
            Err(no_suggestion(format!(
                "Suggestion '{id}' was {status} before"
            )))
        }
        None => {
            let shown: String = id.chars().filter(|c| !c.is_control()).take(40).collect();
            Err(no_suggestion(format!(
                "Suggestion with ID '{shown}' not found"
            )))
        }
    }
}

fn decided_meanwhile(id: Ulid) -> ServiceError {
    no_suggestion(format!(
        "Suggestion '{id}' was decided by another caller meanwhile"
    ))
}

fn no_suggestion(what: String) -> ServiceError {
    let message = format!(
        "{what}; rekall_suggest_links and rekall_suggest_generalize list pending suggestions"
    );
    refused(ErrorCode::SuggestionNotFound, "suggestion_id", message).into()
}

#[cfg(test)]
mod tests;
