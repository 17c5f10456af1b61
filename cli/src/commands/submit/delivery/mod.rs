//! Sends a confirmed experience. It is in the outbox until the server has it, so it is not lost if the program
//! ends. After an error the user at the terminal decides how to continue.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use anyhow::bail;
use recall_kit_client::{Answer, Confirmed, Draft, Error, Outbox, RecallKitClient};
use recall_kit_shared_types::SubmitExperienceData;

use super::Consent;
use crate::{
    commands::outbox::OutboxEntry,
    diagnostics,
    terminal::{
        interrupt::{Interrupted, or_interrupted},
        printer::Printer,
        progress, prompt,
    },
    words::Words,
};

/// The result of sending.
pub(super) enum Sent {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// The server rejected it and the user changed it; the first text is still in the outbox.
    Edited(Draft),
}

/// The sending of one experience, which may be edited and confirmed several times.
pub(super) struct Delivery<'a> {
    client: &'a RecallKitClient,
    consent: Consent,
    printer: &'a Printer,
    words: Words,
    entry: OutboxEntry,
}

impl<'a> Delivery<'a> {
    /// Starts with nothing confirmed yet.
    pub(super) fn new(client: &'a RecallKitClient, consent: Consent, printer: &'a Printer) -> Self {
        Self {
            client,
            consent,
            printer,
            words: Words::from_locale(),
            entry: OutboxEntry::empty_in(Outbox::of_user().ok().map(Arc::new)),
        }
    }

    /// Sends an experience instead of the one that was confirmed before. After an error the user may try again with
    /// the same key, or change the text.
    pub(super) async fn send(&mut self, confirmed: Confirmed) -> anyhow::Result<Sent> {
        let mut is_unknown = false;
        loop {
            let state = self.state(self.words.questions.nothing_sent);
            let storing = self
                .entry
                .store(confirmed.clone(), self.client.server_url());
            or_interrupted(storing, state).await?;
            let state = self.state(self.words.questions.unknown);
            let sending = self.client.submit_experience(&confirmed);
            let sending = progress::shown(sending, self.words.results.sending, self.printer);
            let error = match or_interrupted(sending, state).await? {
                Ok(data) => {
                    self.entry.remove();
                    return Ok(Sent::Stored(data));
                }
                Err(error) => error,
            };
            self.entry.note(&error).await;
            is_unknown |= error.leaves_unknown();
            match error {
                _ if is_unknown => self.printer.urgent(self.words.questions.unknown),
                Error::Network { .. } => self.printer.urgent(self.words.questions.not_reached),
                _ => {}
            }
            if self.consent != Consent::Person {
                self.entry.report(&self.words.outbox, self.printer);
                return Err(error.into());
            }
            match self.ask(error, is_unknown)? {
                Next::Again => {}
                Next::Edit => return self.edited(confirmed.into_draft()),
            }
        }
    }

    /// Reports that nothing more is sent, because the user cancelled.
    ///
    /// *Errors*: if something was confirmed before, which stays in the outbox.
    pub(super) fn cancelled(&self) -> anyhow::Result<()> {
        self.first_stays()?;
        self.printer.info(self.words.cancelled);
        Ok(())
    }

    /// Reports what stays in the outbox if a question about an edited text has no answer.
    pub(super) fn unanswered(&self, error: anyhow::Error) -> anyhow::Error {
        self.entry.report_first(&self.words.outbox, self.printer);
        self.not_stored_yet(error)
    }

    /// Returns the message about the state after Ctrl-C; `otherwise` if nothing is in the outbox.
    fn state(&self, otherwise: &'static str) -> String {
        let message = self.entry.message(&self.words.outbox);
        message.unwrap_or_else(|| otherwise.to_owned())
    }

    /// Asks the user at the terminal how to continue; `is_unknown` says that it may be stored.
    ///
    /// *Errors*: if the user does not continue.
    fn ask(&mut self, error: Error, is_unknown: bool) -> anyhow::Result<Next> {
        let words = &self.words.questions;
        if is_unknown {
            self.printer.urgent(words.safe_to_repeat);
        }
        let steps = NextStep::after(&error, is_unknown);
        let labels: Vec<&str> = steps.iter().map(|step| step.label(&self.words)).collect();
        diagnostics::describe(self.printer, &error.into());
        match prompt::choice(words.what_now, &labels).map(|chosen| steps.get(chosen)) {
            Ok(Some(NextStep::TryAgain)) => Ok(Next::Again),
            Ok(Some(NextStep::Edit)) => Ok(Next::Edit),
            Ok(Some(NextStep::EditCopy)) => {
                self.printer.urgent(words.second_record);
                Ok(Next::Edit)
            }
            Ok(Some(NextStep::GiveUp) | None) => {
                self.entry.remove();
                bail!(words.gave_up)
            }
            Ok(Some(NextStep::Keep)) => {
                self.entry.report(&self.words.outbox, self.printer);
                bail!(words.not_stored_yet)
            }
            // An interrupt does not withdraw what was confirmed.
            Err(error) => {
                self.entry.report(&self.words.outbox, self.printer);
                Err(self.not_stored_yet(error))
            }
        }
    }

    /// Lets the user change a rejected experience.
    fn edited(&self, draft: Draft) -> anyhow::Result<Sent> {
        match prompt::edited(draft, self.printer) {
            Ok(Answer::Edit(draft)) => Ok(Sent::Edited(draft)),
            Ok(Answer::Confirm | Answer::Cancel) => {
                self.first_stays()?;
                bail!(self.words.questions.gave_up)
            }
            Err(error) => Err(self.unanswered(error)),
        }
    }

    /// Reports that what was confirmed before stays in the outbox.
    ///
    /// *Errors*: if something was confirmed before.
    fn first_stays(&self) -> anyhow::Result<()> {
        if self.entry.stored().is_none() {
            return Ok(());
        }
        self.entry.report_first(&self.words.outbox, self.printer);
        bail!(self.words.questions.not_stored_yet)
    }

    /// Makes an interruption report that what was confirmed is not stored yet.
    fn not_stored_yet(&self, error: anyhow::Error) -> anyhow::Error {
        match self.entry.stored().is_some() && error.is::<Interrupted>() {
            true => Interrupted::by_ctrl_c(self.words.questions.not_stored_yet).into(),
            false => error,
        }
    }
}

/// How to continue after an error.
enum Next {
    /// Send the same again.
    Again,
    /// Let the user change it.
    Edit,
}

/// What the user may do after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// Send the same again, with its idempotency key.
    TryAgain,
    /// Keep it in the outbox until the server accepts it.
    Keep,
    /// Change a rejected experience.
    Edit,
    /// Change an experience that may have been stored.
    EditCopy,
    /// Send nothing more.
    GiveUp,
}

impl NextStep {
    /// Returns the steps that make sense after `error`, the most likely first; `is_unknown` says that the server may
    /// have stored the experience.
    fn after(error: &Error, is_unknown: bool) -> &'static [Self] {
        match error {
            error if error.is_about_text() => &[Self::Edit, Self::GiveUp],
            error if error.is_refusal() => &[Self::TryAgain, Self::Edit, Self::GiveUp],
            Error::Network { .. } if !is_unknown => {
                &[Self::TryAgain, Self::Keep, Self::Edit, Self::GiveUp]
            }
            Error::Denied { .. } | Error::ProgramMissing { .. } => {
                &[Self::TryAgain, Self::Keep, Self::GiveUp]
            }
            _ => &[Self::TryAgain, Self::Keep, Self::EditCopy, Self::GiveUp],
        }
    }

    fn label(self, words: &Words) -> &'static str {
        match self {
            Self::TryAgain => words.questions.try_again,
            Self::Keep => words.questions.send_later,
            Self::Edit | Self::EditCopy => words.edit,
            Self::GiveUp => words.questions.give_up,
        }
    }
}
