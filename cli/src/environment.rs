//! What of a folder's project matters to texts, for queries, hooks and reports.

use std::{path::PathBuf, time::Duration};

use recall_kit_client::{ClientConfig, EnvironmentMode, applicability::Environment};
use recall_kit_environment::Finder;

/// How long a query may wait for it. Large lock files that nobody has read yet can take longer; they are known the next
/// time.
const MAX_WAIT: Duration = Duration::from_millis(300);

/// Returns what matters to texts; `None` if the settings do not want it to be sent, if nothing does, or if it takes too
/// long.
pub(crate) async fn of(
    config: &ClientConfig,
    folder: Option<PathBuf>,
    texts: Vec<String>,
) -> Option<Environment> {
    let wants = config.environment == EnvironmentMode::Relevant;
    let folder = folder.filter(|_| wants)?;
    let found = tokio::task::spawn_blocking(move || {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Finder::of_user().relevant(&folder, &texts)
    });
    let found = tokio::time::timeout(MAX_WAIT, found).await.ok()?.ok()?;
    (!found.is_empty()).then_some(found)
}
