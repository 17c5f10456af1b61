//! Sends the confirmed items, several at a time, and records each that the server has.

use anyhow::bail;
use futures::{StreamExt as _, stream};
use recall_kit_client::{Answer, Decision, Error, RecallKitClient};
use recall_kit_shared_types::knowledge::LinkRequest;

use super::{
    Plan,
    ledger::{Imported, Ledger, Writer, idempotency_key},
    links::{Linkable, pairs},
    prepare::{Item, Text},
};
use crate::{
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{Printer, RED, styled},
        progress,
    },
    words::{Words, filled},
};

/// How many items are on their way at once; the server writes those that wait together in one transaction.
const AT_ONCE: usize = 16;

/// What became of the items.
#[derive(Default)]
pub(super) struct Outcome {
    /// How many are stored, for each source.
    stored: Vec<usize>,
    links: usize,
    /// The titles of those that the server rejected, and its reasons.
    rejected: Vec<(String, String)>,
    /// Why the import ended early.
    stopped: Option<anyhow::Error>,
}

impl Outcome {
    pub(super) fn stored_of(&self, plan: usize) -> usize {
        self.stored.get(plan).copied().unwrap_or_default()
    }

    /// Reports what was done.
    ///
    /// *Errors*: if the import ended early, or something was rejected.
    pub(super) fn finished(self, words: &Words, printer: &Printer) -> anyhow::Result<()> {
        for (title, reason) in &self.rejected {
            let line = format!("{}: {}", visible(title), visible(reason));
            printer.urgent(&format!("{} {line}", styled(RED, "error:")));
        }
        let stored: usize = self.stored.iter().sum();
        printer.info(&filled(
            words.import.done,
            &[&stored.to_string(), &self.links.to_string()],
        ));
        match (self.stopped, self.rejected.len()) {
            (Some(error), _) => Err(error),
            (None, 0) => Ok(()),
            (None, count) => bail!("the server rejected {count} of the records"),
        }
    }
}

/// Sends the items of all plans. What the server rejects is named; any other error ends the import, and the
/// next run goes on from there.
pub(super) async fn all(
    client: &RecallKitClient,
    ledger: &Ledger,
    imported: &Imported,
    plans: &mut [Plan],
    printer: &Printer,
) -> Outcome {
    let words = Words::from_locale();
    let mut outcome = Outcome::default();
    let mut writer = match ledger.open() {
        Ok(writer) => writer,
        Err(error) => {
            outcome.stopped = Some(error);
            return outcome;
        }
    };
    let sending = send(client, &mut writer, imported, plans, &mut outcome);
    let sending = progress::shown(sending, words.import.importing, printer);
    let sent = or_interrupted(sending, words.import.interrupted).await;
    let stopped = match sent {
        Ok(stopped) => stopped,
        Err(interrupted) => Some(anyhow::Error::new(interrupted)),
    };
    outcome.stopped = stopped;
    outcome
}

async fn send(
    client: &RecallKitClient,
    writer: &mut Writer,
    imported: &Imported,
    plans: &mut [Plan],
    outcome: &mut Outcome,
) -> Option<anyhow::Error> {
    for plan in plans {
        let mut entries = std::mem::take(&mut plan.earlier);
        // Counted one by one: an interruption drops this future.
        outcome.stored.push(0);
        let mut stopped = None;
        let sending = stream::iter(&plan.items).map(|item| async move {
            let sent = send_item(client, item).await;
            (item, sent)
        });
        let mut sending = sending.buffer_unordered(AT_ONCE);
        while let Some((item, sent)) = sending.next().await {
            match sent {
                Ok(id) => {
                    if let Some(stored) = outcome.stored.last_mut() {
                        *stored += 1;
                    }
                    if let Err(error) = writer.note(&item.key, plan.source, &id) {
                        stopped = stopped.or(Some(error.into()));
                    }
                    if matches!(item.text, Text::Entry(_)) {
                        entries.push(Linkable {
                            stored_as: id,
                            references: item.references.clone(),
                        });
                    }
                }
                Err(Error::Validation(body)) => {
                    let reason = Error::Validation(body).to_string();
                    outcome.rejected.push((item.title().to_owned(), reason));
                }
                Err(error) => {
                    stopped = Some(error.into());
                }
            }
            if stopped.is_some() {
                break;
            }
        }
        drop(sending);
        if stopped.is_some() {
            return stopped;
        }
        if let Err(error) = link(client, writer, imported, &entries, outcome).await {
            return Some(error);
        }
    }
    None
}

async fn send_item(client: &RecallKitClient, item: &Item) -> Result<String, Error> {
    match &item.text {
        Text::Experience(draft) => match draft.clone().confirm(Answer::Confirm) {
            Decision::Send(confirmed) => {
                let stored = client.submit_experience(&confirmed).await?;
                Ok(stored.id)
            }
            Decision::Review(_) | Decision::Drop => Err(Error::Unconfirmed),
        },
        Text::Entry(entry) => {
            let key = idempotency_key(&item.key);
            let confirmed = entry.as_ref().clone().confirm(key);
            let added = client.add_entry(&confirmed).await?;
            Ok(added.id)
        }
    }
}

/// Links the entries of a source whose records refer to each other, those of earlier runs as well. A link that the
/// server refuses is left out: it exists already, or an entry is gone. After any other error the next import creates
/// the rest.
async fn link(
    client: &RecallKitClient,
    writer: &mut Writer,
    imported: &Imported,
    entries: &[Linkable],
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let pairs = pairs(entries).into_iter();
    let new = pairs.filter(|pair| !imported.is_linked(pair));
    let linking = stream::iter(new).map(|pair| async move {
        let link = LinkRequest {
            source_id: pair.0.clone(),
            target_id: pair.1.clone(),
            relation_type: None,
        };
        let linked = client.link_entries(&link).await;
        (pair, linked)
    });
    let mut linking = linking.buffer_unordered(AT_ONCE);
    while let Some((pair, linked)) = linking.next().await {
        match linked {
            Ok(()) => outcome.links += 1,
            Err(Error::Validation(_)) => {}
            Err(error) => return Err(error.into()),
        }
        writer.note_link(&pair)?;
    }
    Ok(())
}
