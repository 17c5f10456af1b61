//! Which experience a person means: its id, or the beginning of it.

use std::sync::Arc;

use anyhow::bail;
use recall_kit_core::{access::Caller, app::App, experiences};
use recall_kit_shared_types::knowledge::knowledge_limits::MIN_PREFIX_CHARS;
use uuid::Uuid;

use crate::commands::{entries::in_words, table::visible};

/// Experiences named where several ids begin alike.
const CANDIDATES: u32 = 10;

/// Finds the experience, also one that is hidden or deleted.
///
/// *Errors*: what is wrong with the id, that nothing has it, or which experiences it may mean.
pub(super) async fn resolve(app: &Arc<App>, typed: &str) -> anyhow::Result<Uuid> {
    let prefix = typed.trim().to_lowercase();
    if let Ok(id) = prefix.parse() {
        return Ok(id);
    }
    let is_part_of_one = prefix.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if prefix.len() < MIN_PREFIX_CHARS || !is_part_of_one {
        bail!(
            "'{}' is no experience's id; give the whole id or at least its first {MIN_PREFIX_CHARS} characters, as \
             `recall-kit-server records list` shows them",
            visible(typed)
        );
    }
    let found = app
        .store
        .all_experiences_with_prefix(&prefix, CANDIDATES)
        .await?;
    match found.as_slice() {
        [id] => Ok(*id),
        [] => bail!(
            "no experience has an id that begins with '{prefix}'; `recall-kit-server records list` shows \
             the ids, with --state hidden or --state deleted those of the others"
        ),
        several => {
            let mut words =
                format!("several experiences begin with '{prefix}'; use more characters of one id");
            for id in several {
                let shown = experiences::inspect(app, &Caller::local(), *id).await;
                let title = shown.map_err(in_words)?.record.content.title;
                words.push_str(&format!("\n  {id}  {}", visible(&title)));
            }
            bail!(words)
        }
    }
}
