//! Sends what was confirmed, which lies in the outbox until the server has it: no end of the program
//! loses it. After an error the person at the terminal says what becomes of it.

#[cfg(test)]
mod tests;

use anyhow::bail;
use recall_kit_client::{
    Answer, Confirmed, Draft, Error, Outbox, OutboxError, RecallKitClient, Sending,
};
use recall_kit_shared_types::SubmitExperienceData;

use super::Consent;
use crate::{
    commands::outbox,
    diagnostics,
    interrupt::{Interrupted, or_interrupted},
    printer::Printer,
    progress, prompt,
    words::{Words, filled},
};

/// What came of sending.
pub(super) enum Sent {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// It was refused and the person changed it.
    Edited(Draft),
}

/// What lies in the outbox, or why it does not.
type Held<'a> = Result<Sending<'a>, OutboxError>;

/// Sends; after an error the person may try again with the same key, or change the text.
pub(super) async fn send(
    client: &RecallKitClient,
    confirmed: Confirmed,
    consent: Consent,
    printer: &Printer,
) -> anyhow::Result<Sent> {
    let outbox = Outbox::of_user();
    let words = Words::from_locale();
    let mut waiting = None;
    loop {
        let held = match waiting.take() {
            Some(held) => held,
            None => {
                let holding = hold(&outbox, &confirmed, client);
                or_interrupted(holding, words.questions.nothing_sent).await?
            }
        };
        let sending = client.submit_experience(&confirmed);
        let sending = progress::shown(sending, words.results.sending, printer);
        let left = left_behind(&held, &words);
        let error = match or_interrupted(sending, left).await? {
            Ok(data) => {
                over(held);
                return Ok(Sent::Stored(data));
            }
            Err(error) => error,
        };
        if leaves_unknown(&error) {
            printer.urgent(words.questions.unknown);
        }
        if consent != Consent::Person {
            outbox::keep(held, &error, printer).await;
            return Err(error.into());
        }
        waiting = Some(held);
        match asked(&mut waiting, error, &words, printer).await? {
            Next::Again => {}
            Next::Edit => match prompt::edited(confirmed.into_draft(), printer)? {
                Answer::Edit(draft) => return Ok(Sent::Edited(draft)),
                Answer::Confirm | Answer::Cancel => bail!(words.questions.gave_up),
            },
        }
    }
}

/// Puts what is about to be sent on disk.
async fn hold<'a>(
    outbox: &'a Result<Outbox, OutboxError>,
    confirmed: &Confirmed,
    client: &RecallKitClient,
) -> Held<'a> {
    match outbox {
        Ok(outbox) => outbox.hold(confirmed.clone(), client.server_url()).await,
        // It has no other error.
        Err(_) => Err(OutboxError::NoFolder),
    }
}

/// Says what Ctrl-C leaves behind while it is being sent.
fn left_behind(held: &Held<'_>, words: &Words) -> String {
    match held {
        Ok(held) => filled(words.outbox.kept, &[&held.id()]),
        Err(_) => words.questions.unknown.to_owned(),
    }
}

/// Takes it out of the outbox: the server has it or does not want it, or the person took it back.
fn over(held: Held<'_>) {
    if let Ok(held) = held {
        held.is_over();
    }
}

/// How it goes on after an error.
enum Next {
    /// The same is sent again.
    Again,
    /// The person changes it.
    Edit,
}

/// Asks the person at the terminal how it goes on. What was `held` goes where it does not go on as
/// it is.
///
/// *Errors*: where it does not go on at all.
async fn asked(
    held: &mut Option<Held<'_>>,
    error: Error,
    words: &Words,
    printer: &Printer,
) -> anyhow::Result<Next> {
    if leaves_unknown(&error) {
        printer.urgent(words.questions.safe_to_repeat);
    }
    let mut is_over = || held.take().map(over);
    if !Outbox::is_for(&error) {
        is_over();
    }
    let steps = NextStep::after(&error);
    let labels: Vec<&str> = steps.iter().map(|step| step.label(words)).collect();
    let error = error.into();
    diagnostics::describe(printer, &error);
    match prompt::choice(words.questions.what_now, &labels).map(|chosen| steps.get(chosen)) {
        Ok(Some(NextStep::TryAgain)) => Ok(Next::Again),
        Ok(Some(step @ (NextStep::Edit | NextStep::EditCopy))) => {
            if *step == NextStep::EditCopy {
                printer.urgent(words.questions.second_record);
            }
            is_over();
            Ok(Next::Edit)
        }
        Ok(Some(NextStep::GiveUp) | None) => {
            is_over();
            bail!(words.questions.gave_up)
        }
        Ok(Some(NextStep::Keep)) => {
            keep(held.take(), &error, printer).await;
            bail!(words.questions.not_stored_yet)
        }
        // Whoever interrupts it has not taken back what was confirmed.
        Err(interrupted) if interrupted.is::<Interrupted>() && held.is_some() => {
            keep(held.take(), &error, printer).await;
            Err(Interrupted::by_ctrl_c(words.questions.not_stored_yet).into())
        }
        Err(broken) => Err(broken),
    }
}

async fn keep(held: Option<Held<'_>>, error: &anyhow::Error, printer: &Printer) {
    if let (Some(held), Some(error)) = (held, error.downcast_ref()) {
        outbox::keep(held, error, printer).await;
    }
}

/// Says whether the server may have stored what it did not confirm.
fn leaves_unknown(error: &Error) -> bool {
    matches!(
        error,
        Error::Timeout { .. } | Error::Network { .. } | Error::Answer { .. }
    )
}

/// What a person may do after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// Send the same once more, with its key.
    TryAgain,
    /// Keep it in the outbox until the server is back.
    Keep,
    /// Change what was refused.
    Edit,
    /// Change what may have been stored.
    EditCopy,
    /// Send nothing more.
    GiveUp,
}

impl NextStep {
    /// Returns the steps that make sense after `error`, the likeliest first.
    fn after(error: &Error) -> &'static [Self] {
        match error {
            error if error.is_about_text() => &[Self::Edit, Self::GiveUp],
            error if Outbox::is_for(error) => {
                &[Self::TryAgain, Self::Keep, Self::EditCopy, Self::GiveUp]
            }
            _ => &[Self::TryAgain, Self::Edit, Self::GiveUp],
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
