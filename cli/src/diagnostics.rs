//! Reports an error: its chain, what to do about it, and the exit code that tells it to programs.

use std::{fmt::Write as _, io, path::PathBuf, process::ExitCode};

use recall_kit_client::{Error, TrustError};
use recall_kit_shared_types::Envelope;
use serde_json::Value;

use crate::{
    commands::outbox,
    terminal::{
        controls::visible,
        interrupt::Interrupted,
        printer::{CYAN, Printer, RED, styled},
    },
    words::Words,
};

const USAGE: u8 = 2;

/// An error of the command line itself, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Complaint {
    /// The command was typed in a way that cannot work.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What would be right.
        hint: &'static str,
    },
    /// The command could not do what it was asked to.
    #[error("{message}")]
    Failed {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The command would have overwritten something.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The server refused something of the outbox.
    #[error("the server refused some of what waited")]
    Refused,
}

impl Complaint {
    fn hint(&self) -> &'static str {
        match self {
            Self::Usage { hint, .. } | Self::Failed { hint, .. } => hint,
            Self::Exists(_) => "--force overwrites it",
            Self::Refused => {
                "`recall-kit-client outbox edit ID` corrects it, `outbox drop ID` gives it up"
            }
        }
    }
}

/// Writes the error to stderr, and an error of the contract to stdout as well where JSON is
/// wanted.
pub(crate) fn report(printer: &Printer, error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // Whoever read our output has seen enough, as in `recall-kit-client query … | head`.
        return ExitCode::SUCCESS;
    }
    if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
        let words = Words::from_locale();
        let (word, colon) = (words.questions.interrupted, words.colon());
        printer.urgent(&format!("{word}{colon} {}", interrupted.left_behind()));
        return ExitCode::from(interrupted.exit_code());
    }
    if let Some(body) = error.downcast_ref::<Error>().and_then(Error::body)
        && printer.is_json()
    {
        let _ = printer.json(&Envelope::<Value>::failed(body.clone()));
    }
    describe(printer, error);
    match error.downcast_ref::<Complaint>() {
        Some(Complaint::Usage { .. }) => ExitCode::from(USAGE),
        _ => ExitCode::FAILURE,
    }
}

/// Writes the error and what to do about it to stderr.
pub(crate) fn describe(printer: &Printer, error: &anyhow::Error) {
    printer.urgent(&format!(
        "{} {}",
        styled(RED, "error:"),
        visible(&chain(error))
    ));
    let complaint = error.downcast_ref::<Complaint>().map(Complaint::hint);
    let hint = complaint
        .or(error.downcast_ref::<Error>().map(Error::hint))
        .or(error.downcast_ref::<TrustError>().map(TrustError::hint))
        .or(outbox::hint(error));
    if let Some(hint) = hint {
        printer.urgent(&format!("{} {hint}", styled(CYAN, "hint:")));
    }
}

fn chain(error: &anyhow::Error) -> String {
    let mut chain = error.to_string();
    for cause in error.chain().skip(1) {
        let _ = write!(chain, "\n  caused by: {cause}");
    }
    chain
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
