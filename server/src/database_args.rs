//! The flags that name the database, and the settings that they set.

use std::path::{Path, PathBuf};

use clap::Args;
use recall_kit_documents::sandbox;
use recall_kit_settings::{Settings, SettingsError};
use serde_json::{Map, Value, json};

/// Flags that name the database.
#[derive(Debug, Default, Args)]
pub(crate) struct DatabaseArgs {
    /// Database, as sqlite:PATH or postgres://USER@HOST/NAME [default: recall-kit.db in the data
    /// directory]
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Standby of the PostgreSQL cluster, to read from
    #[arg(long, value_name = "URL")]
    read_database: Option<String>,
    /// Leave the schema as it is; `migrate` brings it up to date
    #[arg(long)]
    no_migrate: bool,
    /// Where database and index live [default: the platform's data directory]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Settings file (TOML)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl DatabaseArgs {
    /// Loads the settings, with these flags applied.
    pub(crate) fn load(&self) -> Result<Settings, SettingsError> {
        load(self.config.as_deref(), &self.settings())
    }

    /// Returns the settings that the flags set, by name.
    pub(crate) fn settings(&self) -> Map<String, Value> {
        let mut settings = Map::new();
        if let Some(folder) = &self.data_dir {
            settings.insert("data_dir".to_owned(), json!(folder));
        }
        let mut database = Map::new();
        if let Some(url) = &self.database {
            database.insert("url".to_owned(), json!(url));
        }
        if let Some(url) = &self.read_database {
            database.insert("read_url".to_owned(), json!(url));
        }
        if self.no_migrate {
            database.insert("migrate".to_owned(), json!(false));
        }
        if !database.is_empty() {
            settings.insert("database".to_owned(), Value::Object(database));
        }
        settings
    }
}

/// Loads the settings. Sets the program that reads risky files in a sandbox: this program itself.
pub(crate) fn load(
    file: Option<&Path>,
    flags: &Map<String, Value>,
) -> Result<Settings, SettingsError> {
    let mut settings = Settings::load(file, flags)?;
    settings.libraries.reader_program = sandbox::this_program();
    Ok(settings)
}
