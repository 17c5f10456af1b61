//! `outbox`: what was confirmed while the server was away, and what becomes of it.

mod edit;

use std::{
    collections::BTreeSet,
    time::{Duration, UNIX_EPOCH},
};

use recall_kit_client::{
    Confirmed, Error, Flushed, Kept, Outbox, OutboxError, RecallKitClient, Recipient, Servers,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::close_all;
use crate::{
    args::{GlobalArgs, OutboxArgs, OutboxCommand},
    controls::visible,
    diagnostics::{self, Complaint},
    interrupt::{leave_to_prompts, or_interrupted},
    printer::{BOLD, DIM, GREEN, Printer, RED, YELLOW, styled},
    prompt,
};

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
            let servers = global.servers(global.load_config()?.config)?;
            let flushed = flush(&servers, &outbox, *any_server, printer).await;
            close_all(&servers).await;
            flushed
        }
        OutboxCommand::Edit { id } => {
            let servers = global.servers(global.load_config()?.config)?;
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
    if kept.is_empty() {
        printer.talk("nothing waits");
        return Ok(());
    }
    for one in &kept {
        printer.data(&card(one))?;
    }
    match kept.iter().filter(|one| !one.sealed).count() {
        0 => printer.talk("encrypted with a key in your keyring"),
        plain => printer.talk(&format!(
            "{plain} of {} not encrypted: no keyring answered, only your user may read the files",
            kept.len()
        )),
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

fn card(kept: &Kept) -> String {
    let title = match kept.title() {
        "" => "(cannot be read)",
        title => title,
    };
    let state = match kept.refused {
        true => styled(RED, "refused"),
        false => styled(YELLOW, "waits"),
    };
    let about = match kept.experience() {
        Some(_) => format!(
            "{} for {}, tried {}×",
            age(kept.age()),
            kept.server,
            kept.attempts
        ),
        None => String::new(),
    };
    format!(
        "{}  {state}  {}\n    {}\n    {}",
        kept.id(),
        styled(BOLD, visible(title)),
        styled(DIM, visible(&about)),
        visible(&kept.last_error).replace('\n', "\n    "),
    )
}

/// Says how long something has been waiting, in the largest whole unit.
fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3600 => (seconds / 60, "min"),
        3600..86_400 => (seconds / 3600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{count} {unit}")
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
    let left = "what was not sent still waits";
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
    let question = format!(
        "Some were confirmed for {}. Send them to {here} instead?",
        visible(&others.join(", "))
    );
    Ok(prompt::choice(&question, &["No, they wait", "Yes"])? == 1)
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
    for (title, id) in &flushed.sent {
        printer.data(&format!("{} {}", visible(id), visible(title)))?;
    }
    for kept in &flushed.refused {
        printer.urgent(&format!(
            "{} {}: {}",
            styled(RED, "refused"),
            visible(kept.title()),
            visible(&kept.last_error)
        ));
    }
    let done = styled(GREEN, "✓");
    printer.talk(&format!(
        "{done} {} sent, {} still wait",
        flushed.sent.len(),
        flushed.waiting
    ));
    if flushed.elsewhere > 0 {
        printer.talk(&format!(
            "{} of them for another server: --any-server sends them to this one",
            flushed.elsewhere
        ));
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
    let mut dropped = Vec::new();
    for id in ids {
        match outbox.give_up(id)? {
            true => dropped.push(id),
            false => printer.urgent(&format!("nothing waits under {id}")),
        }
    }
    if printer.is_json() {
        printer.json(&json!({"dropped": dropped}))?;
    }
    printer.talk(&format!("{} dropped", dropped.len()));
    Ok(())
}

/// Keeps what could not be sent because the server is away, and says so; says why it could not be
/// kept otherwise. Does nothing after any other error.
pub(super) async fn keep(
    client: &RecallKitClient,
    experience: Confirmed,
    error: &Error,
    printer: &Printer,
) {
    if !Outbox::is_for(error) {
        return;
    }
    let kept = async {
        let outbox = Outbox::of_user()?;
        outbox.keep(experience, client.server_url(), error).await
    };
    match kept.await {
        Ok(kept) => printer.urgent(&format!(
            "it waits in the outbox as {} and is sent once when the server is back: do not submit it \
             again; `recall-kit-client outbox list` shows it",
            kept.id()
        )),
        Err(error) => {
            printer.urgent("it could not be kept for later either:");
            diagnostics::describe(printer, &error.into());
        }
    }
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
    if !flushed.sent.is_empty() {
        printer.talk(&format!(
            "sent {} from the outbox as well",
            flushed.sent.len()
        ));
    }
    for kept in &flushed.refused {
        printer.talk(&format!(
            "the server refused {} from the outbox; `recall-kit-client outbox list` says why",
            kept.id()
        ));
    }
}

/// What to do about an outbox that cannot be used.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.downcast_ref::<OutboxError>().map(OutboxError::hint)
}
