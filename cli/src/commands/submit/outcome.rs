//! `outcome`: reports whether an experience helped. It is in the outbox until the server has it, so it is not lost if the
//! server is away or the program ends.

use std::sync::Arc;

use recall_kit_client::{
    Error, Outbox,
    outcomes::{Evidence, ReportOutcomeData, ReportOutcomeRequest, Standing},
};
use recall_kit_shared_types::Envelope;

use crate::{
    args::{GlobalArgs, OutcomeArgs},
    commands::{
        close_all,
        outbox::{self, OutboxEntry},
    },
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{GREEN, Printer, styled},
        progress,
    },
    words::Words,
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: OutcomeArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let servers = global.servers(global.load_config(printer)?.config)?;
    let candidates = servers.candidates(args.from.as_deref())?;
    let first = candidates.first().copied().unwrap_or(servers.chosen());
    let request = ReportOutcomeRequest {
        experience_id: args.id,
        outcome: args.outcome.into(),
        note: args.note,
        recall_id: None,
    };
    let outcome = first.prepare_outcome(request, Evidence::Person);
    let words = Words::from_locale();
    let mut entry = OutboxEntry::empty_in(Outbox::of_user().ok().map(Arc::new));
    entry.store(outcome.clone(), first.server_url()).await;
    let sending = servers.report_outcome(&candidates, &outcome);
    let sending = progress::shown(sending, words.results.sending, printer);
    let state = entry.message(&words.outbox).unwrap_or_default();
    let sent = or_interrupted(sending, state).await;
    let done = match sent {
        Ok(Ok(data)) => {
            entry.remove();
            let shown = show(data, words, printer);
            outbox::flush_after_command(&servers, printer).await;
            shown
        }
        Ok(Err(error)) => {
            settle(&mut entry, &error, words, printer).await;
            Err(error.into())
        }
        Err(interrupted) => Err(interrupted.into()),
    };
    close_all(&servers).await;
    done
}

/// Keeps an outcome that may be sent later; one that the server rejected is not kept, since it can simply be reported
/// again.
async fn settle(entry: &mut OutboxEntry, error: &Error, words: Words, printer: &Printer) {
    if error.is_refusal() || matches!(error, Error::ToolMissing { .. }) {
        return entry.remove();
    }
    entry.note(error).await;
    entry.report(&words.outbox, printer);
}

fn show(data: ReportOutcomeData, words: Words, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        return Ok(printer.json(&Envelope::ok(data))?);
    }
    let standing = words.standings.of(&data.standing, &words.results.ages);
    printer.data(&visible(&data.experience_id))?;
    printer.info(&format!(
        "{} {}",
        styled(GREEN, "✓"),
        words.standings.reported
    ));
    if let Some(standing) = standing {
        printer.info(&standing);
    }
    if !data.counted && has_verdict(&data.standing) {
        printer.info(words.standings.not_counted);
    }
    Ok(())
}

fn has_verdict(standing: &Standing) -> bool {
    standing.voices > 0
}
