//! Sends what was confirmed, which lies in the outbox until the server has it: no end of the
//! program loses it. After an error the person at the terminal says what becomes of it.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use anyhow::bail;
use recall_kit_client::{Answer, Confirmed, Draft, Error, Outbox, RecallKitClient};
use recall_kit_shared_types::SubmitExperienceData;

use super::Consent;
use crate::{
    commands::outbox::Held,
    diagnostics,
    terminal::{
        interrupt::{Interrupted, or_interrupted},
        printer::Printer,
        progress, prompt,
    },
    words::Words,
};

/// What came of sending.
pub(super) enum Sent {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// It was not taken and the person changed it; what was confirmed first is still held.
    Edited(Draft),
}

/// The sending of one experience, as often as it is edited and confirmed anew.
pub(super) struct Delivery<'a> {
    client: &'a RecallKitClient,
    consent: Consent,
    printer: &'a Printer,
    words: Words,
    held: Held,
}

impl<'a> Delivery<'a> {
    /// Begins with nothing confirmed yet.
    pub(super) fn new(client: &'a RecallKitClient, consent: Consent, printer: &'a Printer) -> Self {
        Self {
            client,
            consent,
            printer,
            words: Words::from_locale(),
            held: Held::nothing_in(Outbox::of_user().ok().map(Arc::new)),
        }
    }

    /// Sends, in the place of what was confirmed before; after an error the person may try again
    /// with the same key, or change the text.
    pub(super) async fn send(&mut self, confirmed: Confirmed) -> anyhow::Result<Sent> {
        let mut is_unknown = false;
        loop {
            let left = self.left_behind(self.words.questions.nothing_sent);
            let holding = self.held.put(&confirmed, self.client.server_url());
            or_interrupted(holding, left).await?;
            let left = self.left_behind(self.words.questions.unknown);
            let sending = self.client.submit_experience(&confirmed);
            let sending = progress::shown(sending, self.words.results.sending, self.printer);
            let error = match or_interrupted(sending, left).await? {
                Ok(data) => {
                    self.held.over();
                    return Ok(Sent::Stored(data));
                }
                Err(error) => error,
            };
            self.held.note(&error).await;
            is_unknown |= error.leaves_unknown();
            match error {
                _ if is_unknown => self.printer.urgent(self.words.questions.unknown),
                Error::Network { .. } => self.printer.urgent(self.words.questions.not_reached),
                _ => {}
            }
            if self.consent != Consent::Person {
                self.held.tell(&self.words.outbox, self.printer);
                return Err(error.into());
            }
            match self.asked(error, is_unknown)? {
                Next::Again => {}
                Next::Edit => return self.edited(confirmed.into_draft()),
            }
        }
    }

    /// Says that nothing more is sent, as a person decided.
    ///
    /// *Errors*: where something was confirmed before, which stays in the outbox.
    pub(super) fn cancelled(&self) -> anyhow::Result<()> {
        self.first_stays()?;
        self.printer.talk(self.words.cancelled);
        Ok(())
    }

    /// Says what stays when a question about an edited text has no answer.
    pub(super) fn unanswered(&self, error: anyhow::Error) -> anyhow::Error {
        self.held.tell_first(&self.words.outbox, self.printer);
        self.not_stored_yet(error)
    }

    /// Says what Ctrl-C leaves behind; `otherwise` where nothing lies in the outbox.
    fn left_behind(&self, otherwise: &'static str) -> String {
        let left = self.held.left_behind(&self.words.outbox);
        left.unwrap_or_else(|| otherwise.to_owned())
    }

    /// Asks the person at the terminal how it goes on; `is_unknown` says that it may be stored.
    ///
    /// *Errors*: where it does not go on.
    fn asked(&mut self, error: Error, is_unknown: bool) -> anyhow::Result<Next> {
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
                self.held.over();
                bail!(words.gave_up)
            }
            Ok(Some(NextStep::Keep)) => {
                self.held.tell(&self.words.outbox, self.printer);
                bail!(words.not_stored_yet)
            }
            // Whoever interrupts it has not taken back what was confirmed.
            Err(error) => {
                self.held.tell(&self.words.outbox, self.printer);
                Err(self.not_stored_yet(error))
            }
        }
    }

    /// Has the person change what was not taken.
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

    /// Says that what was confirmed before stays.
    ///
    /// *Errors*: where something was.
    fn first_stays(&self) -> anyhow::Result<()> {
        if self.held.kept().is_none() {
            return Ok(());
        }
        self.held.tell_first(&self.words.outbox, self.printer);
        bail!(self.words.questions.not_stored_yet)
    }

    /// Has an interruption say that what was confirmed is not stored yet.
    fn not_stored_yet(&self, error: anyhow::Error) -> anyhow::Error {
        match self.held.kept().is_some() && error.is::<Interrupted>() {
            true => Interrupted::by_ctrl_c(self.words.questions.not_stored_yet).into(),
            false => error,
        }
    }
}

/// How it goes on after an error.
enum Next {
    /// The same is sent again.
    Again,
    /// The person changes it.
    Edit,
}

/// What a person may do after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// Send the same once more, with its key.
    TryAgain,
    /// Keep it in the outbox until the server takes it.
    Keep,
    /// Change what was refused.
    Edit,
    /// Change what may have been stored.
    EditCopy,
    /// Send nothing more.
    GiveUp,
}

impl NextStep {
    /// Returns the steps that make sense after `error`, the likeliest first; `is_unknown` says that the
    /// server may have stored it.
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
