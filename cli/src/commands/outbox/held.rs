//! What lies in the outbox for an experience that is being sent, from the first yes until the
//! server has it or a person takes it back. Dropped, it stays there.

use std::sync::Arc;

use recall_kit_client::{Confirmed, Error, Kept, Outbox, OutboxError, Sending, ServerUrl};

use crate::{
    diagnostics,
    terminal::printer::Printer,
    words::{OutboxWords, filled},
};

/// The experience's place in the outbox.
#[derive(Debug)]
pub(crate) struct Held {
    /// None where the platform has no place for it.
    outbox: Option<Arc<Outbox>>,
    /// What lies there: what is sent, else what was confirmed before it.
    sending: Option<Sending>,
    /// Why what is sent does not lie there.
    missing: Option<OutboxError>,
}

impl Held {
    /// Returns a place in which nothing lies yet.
    pub(crate) fn nothing_in(outbox: Option<Arc<Outbox>>) -> Self {
        Self {
            outbox,
            sending: None,
            missing: None,
        }
    }

    /// Puts what is about to be sent on disk, in the place of what was confirmed before.
    pub(crate) async fn put(&mut self, experience: &Confirmed, server: &ServerUrl) {
        let experience = experience.clone();
        let put = match (&mut self.sending, &self.outbox) {
            (Some(sending), _) => sending.change(experience).await,
            (None, Some(outbox)) => match outbox.hold(experience, server).await {
                Ok(sending) => {
                    self.sending = Some(sending);
                    Ok(())
                }
                Err(error) => Err(error),
            },
            (None, None) => Err(OutboxError::NoFolder),
        };
        self.missing = put.err();
    }

    /// Notes why the server does not have what was sent.
    pub(crate) async fn note(&mut self, why: &Error) {
        if let (Some(sending), None) = (&mut self.sending, &self.missing) {
            sending.note(why).await;
        }
    }

    /// Returns what lies in the outbox.
    pub(crate) fn kept(&self) -> Option<&Kept> {
        self.sending.as_ref().map(Sending::kept)
    }

    /// Says where what is sent lies in the outbox; none where it does not.
    pub(crate) fn left_behind(&self, words: &OutboxWords) -> Option<String> {
        let kept = self.kept().filter(|_| self.missing.is_none())?;
        let said = match kept.refused {
            true => words.kept_refused,
            false => words.kept,
        };
        Some(filled(said, &[&kept.id()]))
    }

    /// Returns why what is sent does not lie in the outbox.
    pub(crate) fn missing(&self) -> Option<&OutboxError> {
        self.missing.as_ref()
    }

    /// Takes it out of the outbox: the server has it, or a person took it back.
    pub(crate) fn over(&mut self) {
        if let Some(sending) = self.sending.take() {
            sending.is_over();
        }
    }

    /// Tells a person what becomes of what the server does not have.
    pub(crate) fn tell(&mut self, words: &OutboxWords, printer: &Printer) {
        if let Some(cause) = self.missing.take() {
            printer.urgent(words.not_kept);
            diagnostics::describe(printer, &cause.into());
            self.tell_first(words, printer);
        } else if let Some(left) = self.left_behind(words) {
            printer.urgent(&left);
        }
    }

    /// Tells a person that what was confirmed before stays.
    pub(crate) fn tell_first(&self, words: &OutboxWords, printer: &Printer) {
        if let Some(first) = self.kept() {
            printer.urgent(&filled(words.first_stays, &[&first.id()]));
        }
    }
}
