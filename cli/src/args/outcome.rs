//! The arguments of `outcome`.

use clap::ValueEnum;
use recall_kit_client::outcomes::{OutcomeKind, outcome_limits::MAX_NOTE_CHARS};

/// The help of `outcome` below its options.
pub(crate) const OUTCOME_HELP: &str = "\
What worked for many comes first among equally good results. Secrets are removed from the note before
it is sent; people see it on the experience's page, agents do not. Versions of what the experience
mentions are sent, too, unless `environment` in the configuration is off. While the server is away
it waits in the outbox.

Example:
  recall-kit-client outcome 01a2006f-0eef worked --note 'only after a restart'";

#[derive(Debug, clap::Args)]
pub(crate) struct OutcomeArgs {
    /// The experience's id as results show it, or its beginning
    #[arg(value_name = "ID", value_parser = experience_id)]
    pub(crate) id: String,
    /// What came of its solution
    #[arg(value_name = "OUTCOME")]
    pub(crate) outcome: OutcomeWord,
    /// What people should know about it, at most 500 characters
    #[arg(long, value_name = "TEXT", value_parser = note)]
    pub(crate) note: Option<String>,
    /// The configured server that has it, where there are several [default: the first that does]
    #[arg(long, value_name = "NAME", conflicts_with = "server")]
    pub(crate) from: Option<String>,
}

/// What came of a solution: it worked, it worked after changes, it did not, or the problem was another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutcomeWord {
    // A doc comment here would turn the short help of the whole command into the long one.
    Worked,
    Changed,
    Failed,
    NotApplicable,
}

impl From<OutcomeWord> for OutcomeKind {
    fn from(word: OutcomeWord) -> Self {
        match word {
            OutcomeWord::Worked => Self::Worked,
            OutcomeWord::Changed => Self::WorkedWithChanges,
            OutcomeWord::Failed => Self::DidNotWork,
            OutcomeWord::NotApplicable => Self::NotApplicable,
        }
    }
}

fn experience_id(text: &str) -> Result<String, &'static str> {
    let id = text.trim();
    let is_id = id.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    match is_id && (8..=36).contains(&id.len()) {
        true => Ok(id.to_owned()),
        false => Err("give an experience's id, or at least its first 8 characters"),
    }
}

fn note(text: &str) -> Result<String, String> {
    match text.chars().count() {
        fits if fits <= MAX_NOTE_CHARS => Ok(text.to_owned()),
        long => Err(format!(
            "it has {long} characters; {MAX_NOTE_CHARS} are allowed"
        )),
    }
}
