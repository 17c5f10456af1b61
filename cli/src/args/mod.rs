//! The arguments of `recall-kit-client`.

mod environment;
mod import_from;
mod outcome;
mod reading;
mod setup;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use recall_kit_client::{
    Claims, ClientBuilder, ClientConfig, Error, ErrorLog, InvalidLine, RecallKitClient, ServerKeys,
    Servers, ToolProfile,
};
use uuid::Uuid;

use crate::applies;
use environment::ENVIRONMENT_HELP;
pub(crate) use environment::EnvironmentArgs;
use import_from::IMPORT_FROM_HELP;
pub(crate) use import_from::ImportFromArgs;
use outcome::OUTCOME_HELP;
pub(crate) use outcome::OutcomeArgs;
use reading::{DOCS_HELP, KNOWLEDGE_HELP, QUERY_HELP, RECALL_HELP, SHOW_HELP};
pub(crate) use reading::{DocsArgs, KnowledgeArgs, QueryArgs, RecallArgs, ShowArgs};
use setup::{HOOK_HELP, INIT_HELP, KEYS_HELP, TRUST_HELP};
pub(crate) use setup::{HookArgs, InitArgs, KeysArgs, KeysCommand, ManArgs, TrustArgs};

/// The help of `sanitize` below its options.
const SANITIZE_HELP: &str = "\
The rules, your own and an allow list belong in the configuration, as sanitizer.rules, .custom and .allow.
Without a configuration the rules are remove_api_keys, remove_urls and remove_personal_info.
On a terminal it shows what is replaced, line by line; --quiet does not.";

/// The help of `mcp` below its options.
const MCP_HELP: &str = "\
Agents start it: add it to your agent's MCP servers as the command `recall-kit-client mcp`.
Text is sanitized here, and the agent's user is asked before anything is sent.";

/// The help of `submit` below its options.
const SUBMIT_HELP: &str = "\
A confirmed experience stays in the outbox until the server has it, so neither Ctrl-C nor a kill
loses it, and it is stored once. `outbox list` shows what is waiting.";

/// The help of `summarize` below its options.
const SUMMARIZE_HELP: &str = "\
Reads sessions of Claude Code, Cline, Continue, Codex and Gemini CLI, ChatGPT's conversations.json, and plain text.
The AI of the configuration writes the draft; it gets the conversation sanitized. Without one, or when it fails, the
draft is extracted. `submit --from-conversation` does the same, shows the draft and asks before it is sent.";

/// Shared memory for AI coding agents: ask for solved problems, share what you solved.
#[derive(Debug, Parser)]
#[command(name = "recall-kit-client", version, arg_required_else_help = true)]
pub struct Args {
    /// The options of every command.
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// Configuration file [default: the nearest recall-kit-client.config.json]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Server: mcp://recall-kit-server (the local program), mcp://host[:port] or http(s)://…
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) server: Option<String>,
    /// Print only JSON on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Log to stderr; twice for more
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up the client and coding agents, and check that it works
    #[command(after_help = INIT_HELP)]
    Init(InitArgs),
    /// Ask for solved problems, in any language
    #[command(after_help = QUERY_HELP)]
    Query(QueryArgs),
    /// Ask for everything that is known: experiences, knowledge, documentation
    #[command(after_help = RECALL_HELP)]
    Recall(RecallArgs),
    /// Show all of a result: an experience, an entry or a section of documentation
    #[command(after_help = SHOW_HELP)]
    Show(ShowArgs),
    /// Search the team's decisions, conventions, configuration and pitfalls
    #[command(after_help = KNOWLEDGE_HELP)]
    Knowledge(KnowledgeArgs),
    /// Read a library's documentation, or list the libraries
    #[command(after_help = DOCS_HELP)]
    Docs(DocsArgs),
    /// Share a solved problem: sanitized, shown, confirmed, sent
    #[command(after_help = SUBMIT_HELP)]
    Submit(SubmitArgs),
    /// Report whether an experience helped
    #[command(after_help = OUTCOME_HELP)]
    Outcome(OutcomeArgs),
    /// Take over what other memories and agents have stored
    #[command(after_help = IMPORT_FROM_HELP)]
    ImportFrom(ImportFromArgs),
    /// Summarize a conversation into a draft, and send nothing
    #[command(after_help = SUMMARIZE_HELP)]
    Summarize(SummarizeArgs),
    /// Remove secrets and personal data from a text
    #[command(after_help = SANITIZE_HELP)]
    Sanitize(SanitizeArgs),
    /// Show which versions of packages would be sent with a query, and what stays
    #[command(after_help = ENVIRONMENT_HELP)]
    Environment(EnvironmentArgs),
    /// Serve an agent: an MCP server on standard input and output
    #[command(after_help = MCP_HELP)]
    Mcp(McpArgs),
    /// Show, send, change or drop confirmed experiences that the server does not have yet
    Outbox(OutboxArgs),
    /// See it work: a throwaway server, example records, queries in three languages
    Demo,
    /// Store the key of a server, also in scripts, or list the servers that have one
    #[command(after_help = KEYS_HELP)]
    Keys(KeysArgs),
    /// Trust a configuration file that came with a project
    #[command(after_help = TRUST_HELP)]
    Trust(TrustArgs),
    /// Check the configuration, the server, the sanitizer and the hooks
    Doctor(DoctorArgs),
    /// Print a completion script
    Completions(CompletionsArgs),
    /// Print or write the manual pages
    Man(ManArgs),
    /// Handle an agent's hook; reads its JSON from stdin
    #[command(after_help = HOOK_HELP)]
    Hook(HookArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Which tools the agent is shown: the few that are enough for most work, or all; each can be called [default: that
    /// of the configuration, else core]
    #[arg(long, value_enum)]
    pub(crate) profile: Option<Profile>,
}

/// Which tools an agent is shown: `recall`, sharing, `rekall_add`, `rekall_show` and `get-library-docs`, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Profile {
    Core,
    Full,
}

impl From<Profile> for ToolProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Core => Self::Core,
            Profile::Full => Self::Full,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Only count the sanitizer's rules, by whether a page documents what they find
    #[arg(long)]
    pub(crate) rules: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SubmitArgs {
    /// The problem in one line
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// What happened: the symptom, the error message
    #[arg(long)]
    pub(crate) problem: Option<String>,
    /// Why it happened
    #[arg(long)]
    pub(crate) root_cause: Option<String>,
    /// What solved it
    #[arg(long)]
    pub(crate) solution: Option<String>,
    /// File with versions, surroundings, code; - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Keywords to find it by, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) keywords: Vec<String>,
    /// Versions it applies to, such as "npm react <19; node 20", or none [default: you are shown what the
    /// texts and the lock files say; without asking, servers read it from the texts]
    #[arg(long, value_name = "LINES", value_parser = applies_to)]
    pub(crate) applies_to: Option<Claims>,
    /// Summarize this conversation; other options override its summary. - for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) from_conversation: Option<PathBuf>,
    /// The configured server it goes to, where there are several [default: submitTo, else the first]
    #[arg(long, value_name = "NAME", conflicts_with = "server")]
    pub(crate) to: Option<String>,
    /// Send it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what would be sent, and send nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SummarizeArgs {
    /// The conversation; - for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SanitizeArgs {
    /// The text; stdin when left out or -. Several with --check or --report
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Rules to apply [default: those of the configuration]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) rules: Vec<recall_kit_sanitizer::RuleGroup>,
    /// Read {"id","text","rules"?} per line, write {"id","text"} per line
    #[arg(long, conflicts_with_all = ["check", "report"])]
    pub(crate) json_lines: bool,
    /// Exit with 1 when something is found, and print where instead of the text
    #[arg(long)]
    pub(crate) check: bool,
    /// Print where something is found instead of the text, but not what
    #[arg(long, value_name = "FORMAT")]
    pub(crate) report: Option<ReportFormat>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    // A doc comment here would turn the short help of the whole command into the long one.
    Text,
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct OutboxArgs {
    #[command(subcommand)]
    pub(crate) command: OutboxCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OutboxCommand {
    /// List what waits to be sent: title, age, server, attempts, last error; reports by hooks come last
    List,
    /// Send the waiting experiences, each once
    Flush {
        /// Also send those that were confirmed for another server
        #[arg(long)]
        any_server: bool,
    },
    /// Change a waiting experience, confirm it and send it
    Edit {
        /// The id, as `outbox list` shows it
        #[arg(value_name = "ID")]
        id: Uuid,
    },
    /// Drop waiting experiences without sending them
    Drop {
        /// The ids, as `outbox list` shows them
        #[arg(required_unless_present = "all", value_name = "ID")]
        ids: Vec<Uuid>,
        /// Drop all of them
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Reads where an experience applies.
fn applies_to(text: &str) -> Result<Claims, String> {
    let claims = applies::read(text).map_err(|error: InvalidLine| error.to_string())?;
    claims.ok_or_else(|| "write lines such as `npm react <19`, or `none`".to_owned())
}

impl GlobalArgs {
    /// Creates a client of the server that submissions go to.
    pub(crate) fn client(&self, config: ClientConfig) -> Result<RecallKitClient, Error> {
        self.builder(config).build()
    }

    /// Creates a client of each server in these settings.
    pub(crate) fn servers(&self, config: ClientConfig) -> Result<Servers, Error> {
        self.builder(config).build_all()
    }

    fn builder(&self, config: ClientConfig) -> ClientBuilder {
        RecallKitClient::builder()
            .config(config)
            .error_log(ErrorLog::of_user())
            .server_keys(ServerKeys::of_user())
            .show_server_log(self.verbose > 0)
    }
}
