//! Reports an error: its chain of causes, a hint, and the exit code for programs.

use std::{fmt::Write as _, io, path::PathBuf, process::ExitCode};

use recall_kit_client::{Error, TrustError};
use recall_kit_memories::ReadError;
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

/// An error of the command line itself, with a hint.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Complaint {
    /// The command line is invalid.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What the user can do about it.
        hint: &'static str,
    },
    /// The command failed.
    #[error("{message}")]
    Failed {
        /// What is wrong.
        message: String,
        /// What the user can do about it.
        hint: &'static str,
    },
    /// The command would have overwritten something.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    /// The server rejected an experience in the outbox.
    #[error("the server rejected some of the waiting experiences")]
    Refused,
}

impl Complaint {
    fn hint(&self) -> &'static str {
        match self {
            Self::Usage { hint, .. } | Self::Failed { hint, .. } => hint,
            Self::Exists(_) => "--force overwrites it",
            Self::Refused => {
                "`recall-kit-client outbox edit ID` corrects it, `outbox drop ID` discards it"
            }
        }
    }
}

/// Writes the error to stderr, and with `--json` an error of the contract also to stdout.
pub(crate) fn report(printer: &Printer, error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        // The reader of our output closed it, as in `recall-kit-client query … | head`.
        return ExitCode::SUCCESS;
    }
    if let Some(interrupted) = error.downcast_ref::<Interrupted>() {
        let words = Words::from_locale();
        let (word, colon) = (words.questions.interrupted, words.colon());
        printer.urgent(&format!("{word}{colon} {}", interrupted.state()));
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

/// Writes the error and its hint to stderr.
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
        .or(error.downcast_ref::<ReadError>().map(ReadError::hint))
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
