//! The outbox entry of an experience that is being sent, from the confirmation until the server has it or the user
//! withdraws it. If the value is dropped, the entry stays in the outbox.

use std::sync::Arc;

use recall_kit_client::{Content, Error, Kept, Outbox, OutboxError, Sending, ServerUrl};

use crate::{
    diagnostics,
    terminal::printer::Printer,
    words::{OutboxWords, filled},
};

/// The outbox entry of an experience that is being sent.
#[derive(Debug)]
pub(crate) struct OutboxEntry {
    /// `None` if the platform has no folder for it.
    outbox: Option<Arc<Outbox>>,
    /// The stored experience: the one that is being sent, else the one that was confirmed before it.
    sending: Option<Sending>,
    /// Why the experience that is being sent is not stored.
    missing: Option<OutboxError>,
}

impl OutboxEntry {
    /// Returns an entry in which nothing is stored yet.
    pub(crate) fn empty_in(outbox: Option<Arc<Outbox>>) -> Self {
        Self {
            outbox,
            sending: None,
            missing: None,
        }
    }

    /// Stores an experience or an outcome that is about to be sent, and replaces the one that was confirmed before.
    pub(crate) async fn store(&mut self, content: impl Into<Content>, server: &ServerUrl) {
        let content = content.into();
        let stored = match (&mut self.sending, &self.outbox) {
            (Some(sending), _) => sending.change(content).await,
            (None, Some(outbox)) => match outbox.hold(content, server).await {
                Ok(sending) => {
                    self.sending = Some(sending);
                    Ok(())
                }
                Err(error) => Err(error),
            },
            (None, None) => Err(OutboxError::NoFolder),
        };
        self.missing = stored.err();
    }

    /// Records why sending failed.
    pub(crate) async fn note(&mut self, why: &Error) {
        if let (Some(sending), None) = (&mut self.sending, &self.missing) {
            sending.note(why).await;
        }
    }

    /// Returns the stored experience.
    pub(crate) fn stored(&self) -> Option<&Kept> {
        self.sending.as_ref().map(Sending::kept)
    }

    /// Returns the message that the experience is in the outbox; `None` if it is not.
    pub(crate) fn message(&self, words: &OutboxWords) -> Option<String> {
        let stored = self.stored().filter(|_| self.missing.is_none())?;
        let text = match stored.refused {
            true => words.kept_refused,
            false => words.kept,
        };
        Some(filled(text, &[&stored.id()]))
    }

    /// Returns why the experience that is being sent is not stored.
    pub(crate) fn missing(&self) -> Option<&OutboxError> {
        self.missing.as_ref()
    }

    /// Removes it from the outbox, because the server has it or the user withdrew it.
    pub(crate) fn remove(&mut self) {
        if let Some(sending) = self.sending.take() {
            sending.is_over();
        }
    }

    /// Reports that the experience is in the outbox, or why it is not.
    pub(crate) fn report(&mut self, words: &OutboxWords, printer: &Printer) {
        if let Some(cause) = self.missing.take() {
            printer.urgent(words.not_kept);
            diagnostics::describe(printer, &cause.into());
            self.report_first(words, printer);
        } else if let Some(message) = self.message(words) {
            printer.urgent(&message);
        }
    }

    /// Reports that the experience that was confirmed before stays in the outbox.
    pub(crate) fn report_first(&self, words: &OutboxWords, printer: &Printer) {
        if let Some(first) = self.stored() {
            printer.urgent(&filled(words.first_stays, &[&first.id()]));
        }
    }
}
