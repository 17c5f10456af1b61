//! Experiences that were promoted to entries of the knowledge base.

use std::collections::HashSet;

use recall_kit_shared_types::knowledge::EntryName;
use recall_kit_store::{Projects, StoreError};
use ulid::Ulid;
use uuid::Uuid;

use super::Experiences;

/// Returns the experiences that were promoted to entries which the caller may see.
pub(crate) async fn promoted(
    experiences: &Experiences,
    projects: &Projects,
) -> Result<HashSet<Uuid>, StoreError> {
    let (store, labels) = (&experiences.store, experiences.records.labels());
    let promoted = store.promoted().await?;
    if projects.is_all() {
        return Ok(promoted.into_iter().collect());
    }
    let promotions = store.promotions(&promoted).await?.into_iter();
    let visible = promotions.filter(|one| labels.are_within(projects, one.entry));
    Ok(visible.map(|one| one.experience).collect())
}

/// Returns the entry that an experience was promoted to, if the caller may see it.
pub(crate) async fn promoted_to(
    experiences: &Experiences,
    projects: &Projects,
    id: Uuid,
) -> Result<Option<EntryName>, StoreError> {
    let promotions = experiences.store.promotions(&[id]).await?;
    let promotion = promotions.iter().find(|one| one.experience == id);
    let entry = promotion.map(|one| one.entry);
    let labels = experiences.records.labels();
    let Some(entry) = entry.filter(|entry| labels.are_within(projects, *entry)) else {
        return Ok(None);
    };
    let title = experiences.store.entry_titles(&[entry]).await?.pop();
    Ok(title.map(|(id, title)| EntryName {
        id: id.to_string(),
        title,
    }))
}

/// Returns the experience that an entry was promoted from.
pub(crate) async fn promoted_from(
    experiences: &Experiences,
    id: Ulid,
) -> Result<Option<EntryName>, StoreError> {
    let promotions = experiences.store.promotions(&[id.into()]).await?;
    let promotion = promotions.iter().find(|one| one.entry == id);
    let Some(experience) = promotion.map(|one| one.experience) else {
        return Ok(None);
    };
    let record = experiences.store.experiences(&[experience]).await?.pop();
    Ok(record.map(|record| EntryName {
        id: record.id.to_string(),
        title: record.content.title,
    }))
}
