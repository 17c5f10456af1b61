//! Taking in the settings file again when it changes, without a restart: tools, resources, prompts,
//! limits and the log level.
//!
//! A file that cannot be used is reported once and changes nothing. What else changed in it waits for
//! the next start, and the log says so.

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

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// Where the settings came from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The settings file.
    pub file: PathBuf,
    /// What the command line gave, by the settings' names.
    pub flags: Map<String, Value>,
}

/// Why a changed file was not taken in.
#[derive(Debug, thiserror::Error)]
enum ReloadError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Level(#[from] TelemetryError),
}

/// Watches the file for as long as it is awaited.
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
            Ok(Ok(())) => tracing::info!("the settings file was taken in"),
            Ok(Err(error)) => tracing::error!(
                error = chain(&error),
                "the settings file cannot be used; the settings stay as they were"
            ),
            Err(_) => tracing::error!("taking in the settings file broke down"),
        }
    }
}

/// When the file was written and how large it is; `None` while there is none.
async fn state(source: &Source) -> Option<(SystemTime, u64)> {
    let facts = tokio::fs::metadata(&source.file).await.ok()?;
    Some((facts.modified().ok()?, facts.len()))
}

/// Checks everything first, then puts everything in place.
fn reload(app: &App, source: &Source, level: &LogLevel) -> Result<(), ReloadError> {
    let mut new = Settings::load(Some(&source.file), &source.flags)?;
    let transport = std::mem::replace(&mut new.transport, app.settings.transport);
    let entries = Entries::of(&new)?;
    level.set_level(recall_kit_telemetry::level(&new))?;
    app.limits.store(Arc::new(new.limits.clone()));
    app.catalogue.replace(entries);
    new.transport = transport;
    let waiting = waiting(&app.settings, new);
    if !waiting.is_empty() {
        tracing::warn!(
            settings = waiting.join(", "),
            "these settings changed and wait for the next start"
        );
    }
    Ok(())
}

/// Returns the sections that differ and cannot change while the server runs.
fn waiting(running: &Settings, new: Settings) -> Vec<String> {
    let taken_in = |mut settings: Settings| {
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
    let (running, new) = (taken_in(running.clone()), taken_in(new));
    let sections = running.as_object().into_iter().flatten();
    sections
        .filter(|(name, section)| new.get(name.as_str()) != Some(section))
        .map(|(name, _)| name.clone())
        .collect()
}
