//! `outbox`: lists, sends, edits and drops confirmed experiences that the server does not have yet.

mod edit;
mod held;

use std::{
    collections::BTreeSet,
    time::{Duration, UNIX_EPOCH},
};

use recall_kit_client::{Flushed, Kept, Outbox, OutboxError, Recipient, Servers};
use serde_json::{Value, json};
use uuid::Uuid;

use super::close_all;
use crate::{
    args::{GlobalArgs, OutboxArgs, OutboxCommand},
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        interrupt::{leave_to_prompts, or_interrupted},
        printer::{BOLD, DIM, GREEN, Printer, RED, YELLOW, styled},
        prompt,
    },
    words::{Words, filled},
};

pub(crate) use held::OutboxEntry;

/// How long a query or a submission may send waiting experiences after its own answer was shown.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &OutboxArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let outbox = Outbox::of_user()?;
    match &args.command {
        OutboxCommand::List => list(&outbox, printer).await,
        OutboxCommand::Flush { any_server } => {
            let servers = global.servers(global.load_config(printer)?.config)?;
            let flushed = flush(&servers, &outbox, *any_server, printer).await;
            close_all(&servers).await;
            flushed
        }
        OutboxCommand::Edit { id } => {
            let servers = global.servers(global.load_config(printer)?.config)?;
            let edited = edit::edit(&servers, &outbox, *id, printer).await;
            let done = match edited {
                Ok(true) => flush(&servers, &outbox, false, printer).await,
                other => other.map(drop),
            };
            close_all(&servers).await;
            done
        }
        OutboxCommand::Drop { ids, all } => give_up(&outbox, ids, *all, printer).await,
    }
}

async fn list(outbox: &Outbox, printer: &Printer) -> anyhow::Result<()> {
    let entries = outbox.list().await?;
    if printer.is_json() {
        let experiences: Vec<Value> = entries.iter().map(as_json).collect();
        printer.json(&json!({
            "folder": outbox.folder(),
            "encrypted": entries.iter().all(|one| one.sealed || one.is_observed()),
            "experiences": experiences,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale();
    if entries.is_empty() {
        printer.info(words.outbox.nothing_waits);
        return Ok(());
    }
    let (observed, own): (Vec<&Kept>, Vec<&Kept>) =
        entries.iter().partition(|entry| entry.is_observed());
    for one in &own {
        printer.data(&card(one, &words))?;
    }
    match own.iter().filter(|one| !one.sealed).count() {
        _ if own.is_empty() => {}
        0 => printer.info(words.outbox.encrypted),
        plain => printer.info(&filled(words.outbox.not_encrypted, &[&plain, &own.len()])),
    }
    // What a hook observed holds no text, and nobody confirmed it.
    if !observed.is_empty() {
        printer.info(&filled(words.outbox.observed, &[&observed.len()]));
    }
    for one in &observed {
        printer.data(&card(one, &words))?;
    }
    Ok(())
}

fn as_json(entry: &Kept) -> Value {
    let since = entry.kept_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    json!({
        "id": entry.id(),
        "title": entry.title(),
        "server": entry.server,
        "kept_at": since.as_secs(),
        "attempts": entry.attempts,
        "last_error": entry.last_error,
        "refused": entry.refused,
        "encrypted": entry.sealed,
        "observed": entry.is_observed(),
    })
}

fn card(entry: &Kept, words: &Words) -> String {
    let texts = &words.outbox;
    let title = match entry.is_readable() {
        true => entry.title(),
        false => texts.unreadable.to_owned(),
    };
    let state = match entry.refused {
        true => styled(RED, texts.refused),
        false => styled(YELLOW, texts.waits),
    };
    let about = match entry.is_readable() {
        true => {
            let seconds = i64::try_from(entry.age().as_secs()).unwrap_or(i64::MAX);
            let age = words.results.ages.ago(seconds);
            filled(texts.about, &[&age, &entry.server, &entry.attempts])
        }
        false => String::new(),
    };
    let why = match entry.is_under_way() {
        true => texts.under_way,
        false => &entry.last_error,
    };
    format!(
        "{}  {state}  {}\n    {}\n    {}",
        entry.id(),
        styled(BOLD, visible(&title)),
        styled(DIM, visible(&about)),
        visible(why).replace('\n', "\n    "),
    )
}

async fn flush(
    servers: &Servers,
    outbox: &Outbox,
    any_server: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let recipient = match any_server || agreed_to_another(servers, outbox).await? {
        true => Recipient::Any,
        false => Recipient::Same,
    };
    let state = Words::from_locale().outbox.left_behind;
    let flushed = or_interrupted(servers.flush(outbox, recipient), state).await??;
    let has_refused = !flushed.refused.is_empty();
    report(&flushed, printer)?;
    match flushed.stopped_by.or(flushed.failed) {
        Some(error) => Err(error.into()),
        None if has_refused => Err(Complaint::Refused.into()),
        None => Ok(()),
    }
}

/// Asks at a terminal whether experiences that were confirmed for another server may be sent to this one.
async fn agreed_to_another(servers: &Servers, outbox: &Outbox) -> anyhow::Result<bool> {
    if !prompt::is_possible() {
        return Ok(false);
    }
    let here = servers.chosen().server_url();
    let is_ours = |entry: &Kept| servers.all().iter().any(|it| entry.is_for(it.server_url()));
    let entries = outbox.list().await?;
    let others: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| !entry.refused && entry.is_readable() && !is_ours(entry))
        .map(|entry| entry.server.as_str())
        .collect();
    if others.is_empty() {
        return Ok(false);
    }
    leave_to_prompts()?;
    let others: Vec<&str> = others.into_iter().collect();
    let words = Words::from_locale();
    let others = visible(&others.join(", "));
    let question = filled(words.outbox.for_another, &[&others, here]);
    let answers = [words.outbox.no_they_wait, words.agents.yes];
    Ok(prompt::choice(&question, &answers)? == 1)
}

fn report(flushed: &Flushed, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        let sent: Vec<Value> = flushed
            .sent
            .iter()
            .map(|(title, id)| json!({"id": id, "title": title}))
            .collect();
        let refused: Vec<Value> = flushed.refused.iter().map(as_json).collect();
        printer.json(&json!({
            "sent": sent,
            "refused": refused,
            "waiting": flushed.waiting,
            "elsewhere": flushed.elsewhere,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale().outbox;
    for (title, id) in &flushed.sent {
        printer.data(&format!("{} {}", visible(id), visible(title)))?;
    }
    for entry in &flushed.refused {
        printer.urgent(&format!(
            "{} {}: {}",
            styled(RED, words.refused),
            visible(&entry.title()),
            visible(&entry.last_error)
        ));
    }
    let has_failed = flushed.stopped_by.is_some() || flushed.failed.is_some();
    let is_done = flushed.waiting == 0 || !(has_failed || flushed.sent.is_empty());
    let done = match is_done {
        true => styled(GREEN, "✓"),
        false => styled(YELLOW, "!"),
    };
    let counts = filled(words.done, &[&flushed.sent.len(), &flushed.waiting]);
    printer.info(&format!("{done} {counts}"));
    if flushed.elsewhere > 0 {
        printer.info(&filled(words.elsewhere, &[&flushed.elsewhere]));
    }
    Ok(())
}

async fn give_up(
    outbox: &Outbox,
    ids: &[Uuid],
    all: bool,
    printer: &Printer,
) -> anyhow::Result<()> {
    let ids = match all {
        true => outbox.list().await?.iter().map(Kept::id).collect(),
        false => ids.to_vec(),
    };
    let words = Words::from_locale().outbox;
    let mut dropped = Vec::new();
    for id in ids {
        match outbox.give_up(id)? {
            true => dropped.push(id),
            false => printer.urgent(&filled(words.no_such, &[&id])),
        }
    }
    if printer.is_json() {
        printer.json(&json!({"dropped": dropped}))?;
    }
    printer.info(&filled(words.dropped, &[&dropped.len()]));
    Ok(())
}

/// Sends waiting experiences after another command has reached the server; what cannot be sent stays in the outbox.
pub(super) async fn flush_after_command(servers: &Servers, printer: &Printer) {
    let Ok(outbox) = Outbox::of_user() else {
        return;
    };
    if outbox.is_empty() {
        return;
    }
    let flushing = servers.flush(&outbox, Recipient::Same);
    let Ok(Ok(Ok(flushed))) =
        or_interrupted(tokio::time::timeout(FLUSH_TIMEOUT, flushing), "").await
    else {
        return;
    };
    let words = Words::from_locale().outbox;
    if !flushed.sent.is_empty() {
        printer.info(&filled(words.sent_besides, &[&flushed.sent.len()]));
    }
    for entry in &flushed.refused {
        printer.info(&filled(words.refused_besides, &[&entry.id()]));
    }
}

/// Returns the hint for an outbox that cannot be used.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.downcast_ref::<OutboxError>().map(OutboxError::hint)
}
