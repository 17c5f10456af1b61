//! The arguments of `import-from`.

use std::{path::PathBuf, time::Duration};

/// The help of `import-from` below its options.
pub(crate) const IMPORT_FROM_HELP: &str = "\
Everything is read and sanitized first and shown in one list; nothing is written before you agree.
What was imported before is left out, so it can be repeated. The sources:
  auto                every source below at its usual places, except for history
  claude-code         CLAUDE.md, .claude/rules, Claude Code's own memory
  agents-md           AGENTS.md
  cursor              .cursor/rules, .cursorrules
  copilot             .github/copilot-instructions.md, .github/instructions
  server-memory       memory.jsonl of the reference server
  basic-memory        a folder of notes
  mcp-memory-service  sqlite_vec.db, or a JSON export
  mem0                history.db, the result of get_all() as JSON, OpenMemory's memories.json
  claude-mem          claude-mem.db, or a JSON export
  cq                  local.db, or knowledge units as JSON
  engram              engram.db, or a JSON export
  history             transcripts of agents: errors that were solved in them

Examples:
  recall-kit-client import-from auto --dry-run
  recall-kit-client import-from basic-memory ~/notes
  recall-kit-client import-from history --since 90d";

#[derive(Debug, clap::Args)]
pub(crate) struct ImportFromArgs {
    /// auto, or the name of a source
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    /// The file or folder [default: the source's usual places]
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
    /// With history: transcripts that changed within this time, such as 12h, 90d or 4w
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = period)]
    pub(crate) since: Duration,
    /// The configured server it goes to, where there are several [default: submitTo, else the first]
    #[arg(long, value_name = "NAME", conflicts_with = "server")]
    pub(crate) to: Option<String>,
    /// Import without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what would be imported, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// Parses a number of hours, days or weeks.
fn period(text: &str) -> Result<Duration, &'static str> {
    const EXPECTED: &str = "give hours, days or weeks, such as 12h, 90d or 4w";
    let unit = text.chars().next_back().ok_or(EXPECTED)?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 7 * 24,
        _ => return Err(EXPECTED),
    };
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u64 = number.parse().map_err(|_| EXPECTED)?;
    let seconds = number.checked_mul(hours * 60 * 60).ok_or(EXPECTED)?;
    Ok(Duration::from_secs(seconds))
}
