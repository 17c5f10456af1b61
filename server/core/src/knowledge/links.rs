//! Links between entries.
//!
//! Source: seeds knowledge document, `rekall_link` and the `links` of `rekall_show`.

use std::sync::Arc;

use recall_kit_shared_types::{
    ErrorCode,
    knowledge::{EntryLinks, EntryName, IncomingLink, LinkData, OutgoingLink, RelationType},
};
use recall_kit_store::{NewLink, Projects, StoreError};
use ulid::Ulid;

use super::entries::{new_id, resolve};
use crate::{
    access::{
        Caller,
        audit::{Action, Deed, Subject},
        reach,
    },
    app::App,
    error::ServiceError,
    validation::refused,
};

/// Links two entries within the caller's reach, named by their ids or the beginnings of them.
///
/// *Errors*: `SELF_LINK_ERROR`, `LINK_ALREADY_EXISTS`, `VALIDATION_ERROR` for a link that would close
/// a circle; see [`resolve`] for the rest.
pub async fn link(
    app: &Arc<App>,
    caller: &Caller,
    (source, target): (&str, &str),
    relation: RelationType,
) -> Result<LinkData, ServiceError> {
    let reach = &caller.projects;
    let (source, source_title) = resolve(app, reach, "source_id", source).await?;
    let (target, target_title) = resolve(app, reach, "target_id", target).await?;
    if source == target {
        let message = "An entry cannot be linked to itself; give two different ids";
        return Err(refused(ErrorCode::SelfLinkError, "target_id", message).into());
    }
    let now = app.now();
    let new = NewLink {
        id: new_id(now)?,
        source,
        target,
        relation,
        created_at: now,
    };
    let deed = Deed::new(Action::LinkMade).to(Subject::Entry, source);
    let event = deed.saying(format!("{relation} {target}")).by(caller, now);
    let stored = app.store.insert_link(&new, Some(&event)).await;
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

/// Says why a link was not stored.
pub(crate) fn refusal(new: &NewLink) -> impl Fn(StoreError) -> ServiceError {
    move |error| {
        let (source, target, relation) = (new.source, new.target, new.relation);
        match error {
            StoreError::LinkExists => {
                let message =
                    format!("A link '{relation}' between {source} and {target} exists already");
                refused(ErrorCode::LinkAlreadyExists, "relation_type", message).into()
            }
            StoreError::Circle => {
                let message = format!(
                    "{target} leads to {source} by '{relation}' already; a link back would close a circle"
                );
                refused(ErrorCode::ValidationError, "relation_type", message).into()
            }
            StoreError::EntryGone(id) => {
                let message = format!("Entry with ID '{id}' not found: it is not there any more");
                refused(ErrorCode::EntryNotFound, "id", message).into()
            }
            other => other.into(),
        }
    }
}

/// Returns the links of an entry in both directions, with titles, oldest first; those to what is out
/// of reach are left out.
///
/// *Errors*: what the database or the index said.
pub async fn of(app: &Arc<App>, reach: &Projects, id: Ulid) -> Result<EntryLinks, ServiceError> {
    let mut links = EntryLinks::default();
    let all = app.store.links_of(&[id]).await?;
    reach::look(app, reach).await?;
    for link in all {
        if !reach::is_within(app, reach, [link.source.0, link.target.0]) {
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
