//! `outcome`: reports whether an experience helped. It is in the outbox until the server has it, so it is not lost if the
//! server is away or the program ends.

use std::sync::Arc;

use recall_kit_client::{
    Error, HeldOutcome, Outbox, Reference, Servers,
    applicability::Environment,
    outcomes::{Evidence, ReportOutcomeData, ReportOutcomeRequest, Standing},
};
use recall_kit_shared_types::Envelope;

use crate::{
    args::{GlobalArgs, OutcomeArgs},
    commands::{close_all, outbox},
    diagnostics, environment,
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{GREEN, Printer, styled},
        progress,
    },
    words::{Words, filled},
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
    let environment = environment_of(&servers, &request, args.from.as_deref()).await;
    let outcome = first.prepare_outcome(request, Evidence::Person);
    let outcome = outcome.with_environment(environment);
    let words = Words::from_locale();
    let outbox = Outbox::of_user().ok().map(Arc::new);
    let mut held = servers
        .hold_outcome(outbox.as_ref(), &candidates, outcome)
        .await;
    let state = message(&held, words).unwrap_or_default();
    let sending = progress::shown(held.report(), words.results.sending, printer);
    let sent = or_interrupted(sending, state).await;
    let done = match sent {
        Ok(Ok(data)) => {
            let shown = show(data, words, printer);
            outbox::flush_after_command(&servers, printer).await;
            shown
        }
        Ok(Err(error)) => {
            tell(&mut held, &error, words, printer);
            Err(error.into())
        }
        Err(interrupted) => Err(interrupted.into()),
    };
    close_all(&servers).await;
    done
}

/// Returns the versions in the working directory that matter to the experience.
async fn environment_of(
    servers: &Servers,
    request: &ReportOutcomeRequest,
    from: Option<&str>,
) -> Option<Environment> {
    let reference: Reference = request.experience_id.parse().ok()?;
    let config = servers.chosen().config();
    let record = servers.look_up(&reference, from);
    environment::of_outcome(config, request.note.clone(), record).await
}

/// Returns the message that the outcome is in the outbox; `None` if it is not.
fn message(held: &HeldOutcome<'_>, words: Words) -> Option<String> {
    Some(filled(words.outbox.kept, &[&held.kept()?.id()]))
}

/// Tells whether the outcome waits in the outbox. One that every server rejected does not, since it can simply be reported
/// again.
fn tell(held: &mut HeldOutcome<'_>, error: &Error, words: Words, printer: &Printer) {
    if let Some(message) = message(held, words) {
        return printer.urgent(&message);
    }
    let is_over = error.is_refusal() || matches!(error, Error::ToolMissing { .. });
    if let Some(cause) = held.missing().filter(|_| !is_over) {
        printer.urgent(words.outbox.not_kept);
        diagnostics::describe(printer, &cause.into());
    }
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
