//! `outbox`: what was confirmed and is not stored yet, and what becomes of it.

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

pub(crate) use held::Held;

/// How long a query or a submission may see to what waits, after its own answer was shown.
const BESIDES: Duration = Duration::from_secs(5);

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
    let kept = outbox.list().await?;
    if printer.is_json() {
        let experiences: Vec<Value> = kept.iter().map(as_json).collect();
        printer.json(&json!({
            "folder": outbox.folder(),
            "encrypted": kept.iter().all(|one| one.sealed),
            "experiences": experiences,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale();
    if kept.is_empty() {
        printer.talk(words.outbox.nothing_waits);
        return Ok(());
    }
    for one in &kept {
        printer.data(&card(one, &words))?;
    }
    match kept.iter().filter(|one| !one.sealed).count() {
        0 => printer.talk(words.outbox.encrypted),
        plain => printer.talk(&filled(words.outbox.not_encrypted, &[&plain, &kept.len()])),
    }
    Ok(())
}

fn as_json(kept: &Kept) -> Value {
    let since = kept.kept_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    json!({
        "id": kept.id(),
        "title": kept.title(),
        "server": kept.server,
        "kept_at": since.as_secs(),
        "attempts": kept.attempts,
        "last_error": kept.last_error,
        "refused": kept.refused,
        "encrypted": kept.sealed,
    })
}

fn card(kept: &Kept, words: &Words) -> String {
    let said = &words.outbox;
    let title = match kept.title() {
        "" => said.unreadable,
        title => title,
    };
    let state = match kept.refused {
        true => styled(RED, said.refused),
        false => styled(YELLOW, said.waits),
    };
    let about = match kept.experience() {
        Some(_) => {
            let seconds = i64::try_from(kept.age().as_secs()).unwrap_or(i64::MAX);
            let age = words.results.ages.ago(seconds);
            filled(said.about, &[&age, &kept.server, &kept.attempts])
        }
        None => String::new(),
    };
    let why = match kept.is_under_way() {
        true => said.under_way,
        false => &kept.last_error,
    };
    format!(
        "{}  {state}  {}\n    {}\n    {}",
        kept.id(),
        styled(BOLD, visible(title)),
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
    let left = Words::from_locale().outbox.left_behind;
    let flushed = or_interrupted(servers.flush(outbox, recipient), left).await??;
    let has_refused = !flushed.refused.is_empty();
    report(&flushed, printer)?;
    match flushed.stopped_by.or(flushed.failed) {
        Some(error) => Err(error.into()),
        None if has_refused => Err(Complaint::Refused.into()),
        None => Ok(()),
    }
}

/// Asks, at a terminal, whether what was confirmed for another server goes to this one.
async fn agreed_to_another(servers: &Servers, outbox: &Outbox) -> anyhow::Result<bool> {
    if !prompt::is_possible() {
        return Ok(false);
    }
    let here = servers.chosen().server_url();
    let is_ours = |kept: &Kept| servers.all().iter().any(|it| kept.is_for(it.server_url()));
    let kept = outbox.list().await?;
    let others: BTreeSet<&str> = kept
        .iter()
        .filter(|kept| !kept.refused && kept.experience().is_some() && !is_ours(kept))
        .map(|kept| kept.server.as_str())
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
    for kept in &flushed.refused {
        printer.urgent(&format!(
            "{} {}: {}",
            styled(RED, words.refused),
            visible(kept.title()),
            visible(&kept.last_error)
        ));
    }
    let has_failed = flushed.stopped_by.is_some() || flushed.failed.is_some();
    let is_done = flushed.waiting == 0 || !(has_failed || flushed.sent.is_empty());
    let done = match is_done {
        true => styled(GREEN, "✓"),
        false => styled(YELLOW, "!"),
    };
    let counts = filled(words.done, &[&flushed.sent.len(), &flushed.waiting]);
    printer.talk(&format!("{done} {counts}"));
    if flushed.elsewhere > 0 {
        printer.talk(&filled(words.elsewhere, &[&flushed.elsewhere]));
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
    printer.talk(&filled(words.dropped, &[&dropped.len()]));
    Ok(())
}

/// Sends what waits, now that the server is there; whatever goes wrong with it waits on.
pub(super) async fn flush_besides(servers: &Servers, printer: &Printer) {
    let Ok(outbox) = Outbox::of_user() else {
        return;
    };
    if outbox.is_empty() {
        return;
    }
    let flushing = servers.flush(&outbox, Recipient::Same);
    let Ok(Ok(Ok(flushed))) = or_interrupted(tokio::time::timeout(BESIDES, flushing), "").await
    else {
        return;
    };
    let words = Words::from_locale().outbox;
    if !flushed.sent.is_empty() {
        printer.talk(&filled(words.sent_besides, &[&flushed.sent.len()]));
    }
    for kept in &flushed.refused {
        printer.talk(&filled(words.refused_besides, &[&kept.id()]));
    }
}

/// What to do about an outbox that cannot be used.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.downcast_ref::<OutboxError>().map(OutboxError::hint)
}
