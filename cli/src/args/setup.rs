//! The arguments of `init`, `keys`, `trust`, `hook` and `man`.

use std::path::PathBuf;

use clap::{ArgGroup, Subcommand, ValueEnum};

use crate::agents::Agent;

/// The help of `init` below its options.
pub(crate) const INIT_HELP: &str = "\
Without options it asks where the memory is (this machine, or your team's server), checks the server, asks for the \
key if one is required, writes recall-kit-client.config.json and offers to set up the agents that it finds. Then it runs \
`doctor` and makes a first call through the settings that it wrote.

  recall-kit-client init                                          ask, set up, check
  recall-kit-client init --agent all --dry-run                    show what would change
  recall-kit-client init --agent all --yes                        for scripts
  recall-kit-client init --agent cursor --server https://memory.example.org/mcp
  recall-kit-client init --agent all --remove                     take it out again
  recall-kit-client init --service                                run the server with each session

With --agent it adds `recall-kit-client mcp` to the agent's own settings and writes no \
configuration. It shows the changes first, keeps a backup beside the file and leaves everything \
else in it as it is. Your own settings name this program by its path, because editors do not \
see a shell's PATH; those of a project, which are shared, name it `recall-kit-client`. --server \
and --config are passed on to it; `--server this-machine` is the program on this machine. An agent is found by its \
folder of settings or by its program on the PATH.";

/// The help of `keys` below its options.
pub(crate) const KEYS_HELP: &str = "\
`set` asks for the key at a terminal, else it reads standard input. The key is not an option, because every user of a \
machine can see the options of a command. It is stored in the system's keyring, or where there is none in a file that only you can read, \
and is sent to this server alone. `init` asks for a key by itself.

  recall-kit-client keys set --server https://memory.example.org/mcp < key.txt
  recall-kit-client keys set                                      for the configured server
  recall-kit-client keys list
  recall-kit-client keys remove --server https://memory.example.org/mcp";

#[derive(Debug, clap::Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Store the key of --server, else of the configured server, in place of the old one
    Set {
        /// Store it without asking the server whether it accepts it
        #[arg(long)]
        no_check: bool,
        /// Agree that it is sent over http:// to another machine, where others on the network can read it
        #[arg(long)]
        unencrypted: bool,
    },
    /// List the servers that have a key, without the keys
    List,
    /// Remove the stored key of --server, else of the configured server; it stays valid until the server's
    /// administrator revokes it
    Remove,
}

/// The help of `trust` below its options.
pub(crate) const TRUST_HELP: &str = "\
A recall-kit-client.config.json in the working directory or above it may come with somebody's \
repository. Until you trust it, it can only make settings stricter: ask before something is sent, \
or remove more. Your decision holds for the current content; if the file changes, you have to trust \
it again. Files that `init` wrote, that --config or RECALL_KIT_CLIENT_CONFIG names, or that are in \
your own configuration folder are always used.";

#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// The file, or its folder [default: the nearest recall-kit-client.config.json]
    #[arg(value_name = "PATH", conflicts_with = "list")]
    pub(crate) path: Option<PathBuf>,
    /// Show which files you decided about, and whether they changed
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Remove your decision about a file
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("parts").args(["agent", "service"]).multiple(true)))]
pub(crate) struct InitArgs {
    /// Take the defaults instead of asking; with --agent or --service, write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Overwrite an existing file; with --agent, a server of the same name
    #[arg(long)]
    pub(crate) force: bool,
    /// Set up a coding agent; several times for several
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Vec<AgentChoice>,
    /// In the settings of the project in the working directory, not in your own
    #[arg(long, requires = "agent")]
    pub(crate) project: bool,
    /// Tell the agent in three lines to consult the memory by itself
    #[arg(long, requires = "agent")]
    pub(crate) rules: bool,
    /// Recall at an error in the agent's session, see what helped, offer to share what was solved
    #[arg(long, requires = "agent")]
    pub(crate) hooks: bool,
    /// Remove what was added
    #[arg(long, requires = "parts", conflicts_with_all = ["rules", "hooks", "force"])]
    pub(crate) remove: bool,
    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Run the server as your own service, now and with each session
    #[arg(long)]
    pub(crate) service: bool,
    /// Leave out the checks and the first call at the end
    #[arg(long)]
    pub(crate) no_check: bool,
}

/// An agent by name, or all that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentChoice {
    // A doc comment here would turn the short help of the whole command into the long one.
    ClaudeCode,
    Cursor,
    Vscode,
    Windsurf,
    Codex,
    Gemini,
    CopilotCli,
    All,
}

impl AgentChoice {
    /// Returns the agent; `None` stands for all that are found.
    pub(crate) fn agent(self) -> Option<Agent> {
        match self {
            Self::ClaudeCode => Some(Agent::ClaudeCode),
            Self::Cursor => Some(Agent::Cursor),
            Self::Vscode => Some(Agent::VsCode),
            Self::Windsurf => Some(Agent::Windsurf),
            Self::Codex => Some(Agent::Codex),
            Self::Gemini => Some(Agent::Gemini),
            Self::CopilotCli => Some(Agent::Copilot),
            Self::All => None,
        }
    }
}

/// The help of `hook` below its options.
pub(crate) const HOOK_HELP: &str = "\
`init --agent NAME --hooks` writes the hooks that call `recall-kit-client hook auto`. The host and the event are read from \
what the host sends. It never fails, takes at most two seconds and prints nothing unless it has something to say:
  session start    titles about the project's packages
  prompt           what solved the error in it
  failed command   what solved the error, once for an error; at the second failure the next records
  end of a turn    one line to you on how to share what was solved, once in a session
A session gets at most hooks.tokens_per_session tokens (2000).";

#[derive(Debug, clap::Args)]
pub(crate) struct HookArgs {
    /// auto; error and solved are older names of it
    // Any value is accepted: an agent would take the exit code of wrong usage as an objection of the hook.
    #[arg(value_name = "EVENT")]
    pub(crate) event: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write a page of each command here; without it the first page is printed
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
