//! Sends the confirmed items, several at a time, and records each that the server has.

use std::collections::{HashMap, HashSet};

use anyhow::bail;
use futures::{StreamExt as _, stream};
use recall_kit_client::{Answer, Decision, Error, RecallKitClient};
use recall_kit_shared_types::knowledge::LinkRequest;

use super::{
    Plan,
    ledger::{Ledger, Writer, idempotency_key},
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
    let sending = send(client, &mut writer, plans, &mut outcome);
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
    plans: &mut [Plan],
    outcome: &mut Outcome,
) -> Option<anyhow::Error> {
    for plan in plans {
        let mut ids = HashMap::new();
        // Counted one by one: an interruption drops this future.
        outcome.stored.push(0);
        let mut links: Vec<(String, Vec<String>)> = Vec::new();
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
                        let names = item.names.iter().cloned();
                        ids.extend(names.map(|name| (name, id.clone())));
                        links.push((id, item.related.clone()));
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
        outcome.links += link(client, &ids, &links).await;
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

/// Links the entries of a source whose records refer to each other, and returns the number of links. A link
/// that cannot be created is left out: the text has it, too.
async fn link(
    client: &RecallKitClient,
    ids: &HashMap<String, String>,
    links: &[(String, Vec<String>)],
) -> usize {
    let mut pairs: HashSet<(&String, &String)> = HashSet::new();
    for (source, related) in links {
        for target in related.iter().filter_map(|name| ids.get(name)) {
            // `related` has no direction.
            let pair = (source.min(target), source.max(target));
            if source != target {
                pairs.insert(pair);
            }
        }
    }
    let linking = stream::iter(pairs).map(|(source, target)| async move {
        let link = LinkRequest {
            source_id: source.clone(),
            target_id: target.clone(),
            relation_type: None,
        };
        client.link_entries(&link).await.is_ok()
    });
    let linked = linking.buffer_unordered(AT_ONCE);
    linked
        .filter(|created| std::future::ready(*created))
        .count()
        .await
}
