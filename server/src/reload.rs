//! Reloads the settings file when it changes, without a restart: tools, resources, prompts, limits and the
//! log level.
//!
//! An invalid file is reported once and changes nothing. Other changed settings take effect at the next
//! start; the log names them.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use recall_kit_catalogue::{CatalogueError, Entries};
use recall_kit_core::app::App;
use recall_kit_settings::{LimitSettings, Settings, SettingsError};
use recall_kit_telemetry::{LogLevel, TelemetryError, chain};
use serde_json::{Map, Value};

/// How often the file is checked.
const INTERVAL: Duration = Duration::from_secs(1);

/// Where the settings came from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The settings file.
    pub file: PathBuf,
    /// The settings from the command line, by name.
    pub flags: Map<String, Value>,
}

/// Why a changed file could not be reloaded.
#[derive(Debug, thiserror::Error)]
enum ReloadError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Level(#[from] TelemetryError),
}

/// Watches the file until the future is dropped.
pub async fn watch(app: Arc<App>, source: Source, level: LogLevel) {
    let mut seen = state(&source).await;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = state(&source).await;
        if now == seen {
            continue;
        }
        seen = now;
        let (reloading, from, level) = (Arc::clone(&app), source.clone(), level.clone());
        let reloaded = tokio::task::spawn_blocking(move || reload(&reloading, &from, &level)).await;
        match reloaded {
            Ok(Ok(())) => tracing::info!("the settings file was reloaded"),
            Ok(Err(error)) => tracing::error!(
                error = chain(&error),
                "the settings file cannot be used; the settings are unchanged"
            ),
            Err(_) => tracing::error!("reloading the settings file panicked"),
        }
    }
}

/// Returns when the file was written and its size; `None` if it does not exist.
async fn state(source: &Source) -> Option<(SystemTime, u64)> {
    let metadata = tokio::fs::metadata(&source.file).await.ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Reloads the file: checks all settings first, then applies them.
fn reload(app: &App, source: &Source, level: &LogLevel) -> Result<(), ReloadError> {
    let mut new = Settings::load(Some(&source.file), &source.flags)?;
    let transport = std::mem::replace(&mut new.transport, app.settings.transport);
    let entries = Entries::of(&new)?;
    level.set_level(recall_kit_telemetry::level(&new))?;
    app.admission.set_limits(new.limits.clone());
    app.catalogue.replace(entries);
    new.transport = transport;
    let pending = pending(&app.settings, new);
    if !pending.is_empty() {
        tracing::warn!(
            settings = pending.join(", "),
            "these settings changed and take effect at the next start"
        );
    }
    Ok(())
}

/// Returns the names of the changed sections that take effect only at the next start.
fn pending(running: &Settings, new: Settings) -> Vec<String> {
    let without_reloaded = |mut settings: Settings| {
        settings.limits = LimitSettings {
            connections: settings.limits.connections,
            header_timeout_ms: settings.limits.header_timeout_ms,
            write_timeout_ms: settings.limits.write_timeout_ms,
            ..running.limits.clone()
        };
        settings.tools = running.tools.clone();
        settings.libraries.ingest = running.libraries.ingest;
        settings.resources.clone_from(&running.resources);
        settings.prompts.clone_from(&running.prompts);
        settings.log.level.clone_from(&running.log.level);
        serde_json::to_value(settings).unwrap_or_default()
    };
    let (running, new) = (without_reloaded(running.clone()), without_reloaded(new));
    let sections = running.as_object().into_iter().flatten();
    sections
        .filter(|(name, section)| new.get(name.as_str()) != Some(section))
        .map(|(name, _)| name.clone())
        .collect()
}
