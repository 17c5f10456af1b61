//! Finds an experience by its id or by the beginning of it.

use std::sync::Arc;

use anyhow::bail;
use recall_kit_core::{access::Caller, app::App, experiences};
use recall_kit_shared_types::knowledge::knowledge_limits::MIN_PREFIX_CHARS;
use uuid::Uuid;

use crate::commands::{entries::described, table::visible};

/// The most experiences that are named if several ids begin alike.
const CANDIDATES: u32 = 10;

/// Finds an experience, even if it is hidden or deleted.
///
/// *Errors*: if the text is not an id or the beginning of one, if no experience has it, or if several have
/// it, which the message then names.
pub(super) async fn resolve(app: &Arc<App>, text: &str) -> anyhow::Result<Uuid> {
    let prefix = text.trim().to_lowercase();
    if let Ok(id) = prefix.parse() {
        return Ok(id);
    }
    let is_id_part = prefix.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    if prefix.len() < MIN_PREFIX_CHARS || !is_id_part {
        bail!(
            "'{}' is not the id of an experience; give the whole id or at least its first {MIN_PREFIX_CHARS} \
             characters, as `recall-kit-server records list` shows them",
            visible(text)
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
             the ids; use --state hidden or --state deleted for the others"
        ),
        several => {
            let mut message = format!(
                "several experiences have ids that begin with '{prefix}'; use more characters of one id"
            );
            for id in several {
                let shown = experiences::inspect(&app.experiences, &Caller::local(), *id).await;
                let title = shown.map_err(described)?.record.content.title;
                message.push_str(&format!("\n  {id}  {}", visible(&title)));
            }
            bail!(message)
        }
    }
}
