//! The arguments of the commands that read: `query`, `recall`, `knowledge`, `docs` and `show`.

use recall_kit_client::Reference;
use recall_kit_shared_types::knowledge::EntryType;

/// The help of `query` below its options.
pub(crate) const QUERY_HELP: &str = "\
Each record shows how well it fits, from 0 to 1 and in a word, and the beginning of its id, which
`show` takes. With -v it also shows the parts of its relevance.";

/// The help of `recall` below its options.
pub(crate) const RECALL_HELP: &str = "\
Asks experiences, the knowledge base and documentation at once. Each result shows how well it fits,
what it is, and the id that `show` takes.

Example:
  recall-kit-client recall 'how do we log requests'";

/// The help of `knowledge` below its options.
pub(crate) const KNOWLEDGE_HELP: &str = "\
Searches the team's decisions, conventions, configuration and pitfalls. `show ID` prints an entry.

Example:
  recall-kit-client knowledge 'time zones' --type decision";

/// The help of `docs` below its options.
pub(crate) const DOCS_HELP: &str = "\
Without TOPIC it lists the libraries, with --library those that fit a name or a purpose.

Example:
  recall-kit-client docs 'query parameters' --library gin";

/// The help of `show` below its options.
pub(crate) const SHOW_HELP: &str = "\
If several records begin with the same characters, it names them and shows none. Files that an entry
cites are compared with those of the repository of the working directory, unless `citations` in the
configuration is off.

Example:
  recall-kit-client show 01a2006f-0eef";

#[derive(Debug, clap::Args)]
pub(crate) struct QueryArgs {
    /// The problem: keywords, an error message or a question
    #[arg(required = true, value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// How many records to return, 1-50 [default: 10]
    #[arg(long, value_name = "N", value_parser = |text: &str| within(text, 1, 50))]
    pub(crate) limit: Option<u32>,
    /// How many of the best records to skip
    #[arg(long, value_name = "N", value_parser = offset)]
    pub(crate) offset: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RecallArgs {
    /// Keywords, an error message or a question
    #[arg(required = true, value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// How many results to return, 1-10 [default: 5]
    #[arg(long, value_name = "N", value_parser = |text: &str| within(text, 1, 10))]
    pub(crate) limit: Option<u32>,
    /// Of the knowledge base, only entries of this project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Of the documentation, only this library
    #[arg(long, value_name = "NAME")]
    pub(crate) library: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct KnowledgeArgs {
    /// Keywords, an error message or a question
    #[arg(required = true, value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// How many entries to return, 1-20 [default: 5]
    #[arg(long, value_name = "N", value_parser = |text: &str| within(text, 1, 20))]
    pub(crate) limit: Option<u32>,
    /// Only entries of this type: bug, pattern, decision, pitfall, config or reference
    #[arg(long, value_name = "TYPE", value_parser = entry_type)]
    pub(crate) r#type: Option<EntryType>,
    /// Only entries of this project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DocsArgs {
    /// What to look for; several topics separated by commas
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Vec<String>,
    /// The library's name [default: all libraries]
    #[arg(long, value_name = "NAME")]
    pub(crate) library: Option<String>,
    /// The library's version [default: all versions]
    #[arg(long, value_name = "VERSION", requires_all = ["library", "topic"])]
    pub(crate) version: Option<String>,
    /// The most tokens to print, 200-20000 [default: 2000]
    #[arg(
        long,
        value_name = "N",
        requires = "topic",
        value_parser = |text: &str| within(text, 200, 20_000),
    )]
    pub(crate) max_tokens: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The id as results show it, or its beginning: of an entry at least 5 characters, of an experience 13
    #[arg(value_name = "ID")]
    pub(crate) id: Reference,
    /// The configured server to look at, where there are several [default: all]
    #[arg(long, value_name = "NAME", conflicts_with = "server")]
    pub(crate) from: Option<String>,
}

/// Parses a number that servers accept in these bounds.
fn within(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a whole number from {least} to {most}"))
}

/// Parses the number of records to skip.
fn offset(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "give a whole number, 0 or more")
}

fn entry_type(text: &str) -> Result<EntryType, &'static str> {
    let wrong = "give bug, pattern, decision, pitfall, config or reference";
    text.parse().map_err(|_| wrong)
}
