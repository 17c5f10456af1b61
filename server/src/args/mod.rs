//! The command line: its commands and flags, and the settings that the flags set.

pub(crate) mod help;
pub(crate) mod manual;

use clap::{Args, FromArgMatches as _, Parser, Subcommand};
use recall_kit_documents::sandbox::{self, WorkerLimits};
use recall_kit_server::reload::Source;
use recall_kit_settings::{Settings, SettingsError};
use serde_json::{Map, Value, json};

use self::manual::{CompletionsArgs, ManArgs};
use crate::commands::{
    backup::{BackupArgs, RestoreArgs},
    entries::{EntriesCommand, GeneralizeArgs},
    export::ExportArgs,
    import::ImportArgs,
    index::IndexCommand,
    ingest::IngestArgs,
    keys::KeysCommand,
    libraries::LibrariesCommand,
    migrate::MigrateArgs,
    migrate_store::MigrateStoreArgs,
    records::RecordsCommand,
    users::UsersCommand,
};
use crate::database_args::{DatabaseArgs, load};

/// Shared memory for AI coding agents: an MCP server for solved problems.
#[derive(Debug, Parser)]
#[command(
    name = "recall-kit-server",
    version,
    about,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print the names of all commands, one a line, for scripts
    #[arg(long, exclusive = true, hide = true)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

/// The commands; the default is to serve.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve clients (the default)
    Serve(ServeArgs),
    /// Serve over stdio, or over HTTP when a port is given
    McpServer(ServeArgs),
    /// Replace every vector of the database, with the configured model
    Reembed(ServeArgs),
    /// Check settings, database, index and model, and say what to do
    Doctor(DoctorArgs),
    /// Export every record as JSON lines
    Export(ExportArgs),
    /// Import the records of an export
    Import(ImportArgs),
    /// Copy a SQLite database into one checked file
    Backup(BackupArgs),
    /// Replace a SQLite database by a backup
    Restore(RestoreArgs),
    /// Copy the search index to another server on the same database
    #[command(subcommand)]
    Index(IndexCommand),
    /// Update the database's schema, where servers run with --no-migrate
    Migrate(MigrateArgs),
    /// Copy everything into another database, and compare the two
    MigrateStore(MigrateStoreArgs),
    /// Ingest documentation into a library
    Ingest(IngestArgs),
    /// Search, read, compare, refresh and remove documentation
    #[command(subcommand)]
    Libraries(LibrariesCommand),
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Create, list and change users of the web pages
    #[command(subcommand)]
    Users(UsersCommand),
    /// Search, show and change the knowledge base
    #[command(subcommand)]
    Entries(EntriesCommand),
    /// List, show, edit, hide and delete experiences
    #[command(subcommand)]
    Records(RecordsCommand),
    /// Generalize episodic entries into one semantic entry
    Generalize(GeneralizeArgs),
    /// Ask the running server whether it is ready
    Health(ServeArgs),
    /// Print the manual page, or write a page for each command
    Man(ManArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Read files that the server sends; the server starts it
    #[command(name = sandbox::COMMAND, hide = true)]
    ReadDocuments(ReadDocumentsArgs),
}

/// Flags of the hidden command that reads files for the server.
#[derive(Debug, Args)]
pub(crate) struct ReadDocumentsArgs {
    /// Memory beyond what the program itself takes
    #[arg(long, value_name = "BYTES")]
    memory_bytes: u64,
    /// Processor time for one file
    #[arg(long, value_name = "SECONDS")]
    cpu_seconds: u64,
}

impl ReadDocumentsArgs {
    /// Returns the limits of the reading process.
    pub(crate) fn limits(&self) -> WorkerLimits {
        WorkerLimits {
            memory_bytes: self.memory_bytes,
            cpu_seconds: self.cpu_seconds,
        }
    }
}

/// Flags of the commands that serve, and of the maintenance commands that use the same settings.
#[derive(Debug, Default, Args)]
pub(crate) struct ServeArgs {
    /// How clients reach the server: http or stdio (sse and http-stream mean http)
    #[arg(long, value_parser = ["http", "stdio", "sse", "http-stream"])]
    transport: Option<String>,
    /// Address to listen on [default: 127.0.0.1]
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on; 0 takes a free one [default: 8090]
    #[arg(long)]
    port: Option<u16>,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// Source of embeddings: builtin, openai (any compatible endpoint) or off
    #[arg(long, value_parser = ["builtin", "openai", "off"])]
    embeddings: Option<String>,
    /// Search engine for experiences: memory, or postgres where they outgrow it [default: memory]
    #[arg(long, value_name = "ENGINE", value_parser = ["memory", "postgres"])]
    search_engine: Option<String>,
    /// What clients may do without an API key: everything, only reading, or nothing [default:
    /// anonymous on a loopback address, else required]
    #[arg(long, value_name = "MODE", value_parser = ["anonymous", "anonymous-read", "required"])]
    access: Option<String>,
    /// Same as --access anonymous
    #[arg(long, conflicts_with = "access")]
    allow_anonymous: bool,
    /// Log level or filter: error, warn, info, debug, trace, off
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Log format: text or json [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    log_format: Option<String>,
}

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Rebuild the index folder from the database; no server may be using it
    #[arg(long)]
    pub(crate) repair: bool,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
}

impl Cli {
    /// Parses the command line; exits the program if it is invalid or asks for help.
    pub(crate) fn from_command_line() -> Self {
        let matches = help::command().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

impl ServeArgs {
    /// Loads the settings, with these flags applied.
    pub(crate) fn load(&self) -> Result<Settings, SettingsError> {
        load(self.database.config.as_deref(), &self.settings())
    }

    /// Returns the source of the settings for reloading; `None` if there is no settings file.
    pub(crate) fn source(&self) -> Option<Source> {
        Some(Source {
            file: self.database.config.clone()?,
            flags: self.settings(),
        })
    }

    /// Returns the settings that the flags set, by name.
    fn settings(&self) -> Map<String, Value> {
        let mut settings = self.database.settings();
        let mut set = |path: [&str; 2], value: Value| match path {
            [key, ""] => {
                settings.insert(key.to_owned(), value);
            }
            [section, key] => {
                let section = settings.entry(section).or_insert_with(|| json!({}));
                section[key] = value;
            }
        };
        if let Some(transport) = &self.transport {
            set(["transport", ""], json!(transport));
        }
        if let Some(host) = &self.host {
            set(
                ["host", ""],
                json!(if host == "localhost" {
                    "127.0.0.1"
                } else {
                    host
                }),
            );
        }
        if let Some(port) = self.port {
            set(["port", ""], json!(port));
        }
        if let Some(provider) = &self.embeddings {
            set(["embeddings", "provider"], json!(provider));
        }
        if let Some(engine) = &self.search_engine {
            set(["search", "engine"], json!(engine));
        }
        if let Some(mode) = &self.access {
            set(["access", "mode"], json!(mode));
        }
        if self.allow_anonymous {
            set(["access", "mode"], json!("anonymous"));
        }
        if let Some(level) = &self.log_level {
            set(["log", "level"], json!(level));
        }
        if let Some(format) = &self.log_format {
            set(["log", "format"], json!(format));
        }
        settings
    }

    /// Selects stdio unless a port or a transport is given, as `mcp-server` does.
    pub(crate) fn or_stdio(mut self) -> Self {
        if self.port.is_none() && self.transport.is_none() {
            self.transport = Some("stdio".to_owned());
        }
        self
    }
}
