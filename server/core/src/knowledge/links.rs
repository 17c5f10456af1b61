//! Links between entries.

use std::sync::Arc;

use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{EntryLinks, EntryName, IncomingLink, LinkData, OutgoingLink, RelationType},
};
use recall_kit_store::{NewLink, Projects, StoreError};
use ulid::Ulid;

use super::{entries::resolve, new_id};
use crate::{
    access::{
        Caller,
        audit::{Action, PendingEvent, Subject},
    },
    error::ServiceError,
    indexing::project_scope,
    knowledge::Knowledge,
    validation::refused,
};

/// Links two entries that the caller may see, named by their ids or the beginnings of them.
///
/// *Errors*: `SELF_LINK_ERROR`, `LINK_ALREADY_EXISTS`, `VALIDATION_ERROR` for a link that would create
/// a cycle; see [`resolve`] for the rest.
pub async fn link(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    (source, target): (&str, &str),
    relation: RelationType,
) -> Result<LinkData, ServiceError> {
    let projects = &caller.projects;
    let (source, source_title) = resolve(knowledge, projects, "source_id", source).await?;
    let (target, target_title) = resolve(knowledge, projects, "target_id", target).await?;
    if source == target {
        let message = "An entry cannot be linked to itself; give two different ids";
        return Err(refused(ErrorCode::SelfLinkError, "target_id", message).into());
    }
    let now = knowledge.clock.now();
    let new = NewLink {
        id: new_id(now)?,
        source,
        target,
        relation,
        created_at: now,
    };
    let pending = PendingEvent::new(Action::LinkMade).to(Subject::Entry, source);
    let event = pending
        .saying(format!("{relation} {target}"))
        .by(caller, now);
    let stored = knowledge.store.insert_link(&new, Some(&event)).await;
    stored.map_err(refusal(&new))?;
    let name = |id: Ulid, title| EntryName {
        id: id.to_string(),
        title,
    };
    Ok(LinkData {
        created: true,
        link_id: new.id.to_string(),
        source: name(source, source_title),
        target: name(target, target_title),
        relation_type: relation,
    })
}

/// Converts the error of a link that was not stored.
pub(crate) fn refusal(new: &NewLink) -> impl Fn(StoreError) -> ServiceError {
    move |error| {
        let (source, target, relation) = (new.source, new.target, new.relation);
        match error {
            StoreError::LinkExists => {
                let message =
                    format!("A link '{relation}' between {source} and {target} exists already");
                refused(ErrorCode::LinkAlreadyExists, "relation_type", message).into()
            }
            StoreError::LinkCycle => {
                let message = format!(
                    "{target} already leads to {source} by '{relation}'; a link back would create a cycle"
                );
                refused(ErrorCode::ValidationError, "relation_type", message).into()
            }
            StoreError::EntryGone(id) => {
                let message = format!("Entry with ID '{id}' not found: it no longer exists");
                refused(ErrorCode::EntryNotFound, "id", message).into()
            }
            other => other.into(),
        }
    }
}

/// Returns the links of an entry in both directions, with titles, oldest first; links to entries that the
/// caller may not see are left out.
///
/// *Errors*: those of the database or the index.
pub async fn of(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    id: Ulid,
) -> Result<EntryLinks, ServiceError> {
    let mut links = EntryLinks::default();
    let all = knowledge.store.links_of(&[id]).await?;
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    for link in all {
        if !project_scope::is_within(&knowledge.labels, projects, [link.source.0, link.target.0]) {
            continue;
        }
        if link.source.0 == id {
            links.outgoing.push(OutgoingLink {
                target_id: link.target.0.to_string(),
                target_title: link.target.1,
                relation_type: link.relation,
            });
        } else {
            links.incoming.push(IncomingLink {
                source_id: link.source.0.to_string(),
                source_title: link.source.1,
                relation_type: link.relation,
            });
        }
    }
    Ok(links)
}
