//! `submit`: sanitizes a draft, shows it, asks and sends it. Nothing is sent before the user, `--yes` or the
//! settings agree.

mod compose;
mod delivery;
pub(crate) mod outcome;
pub(crate) mod similar;

use recall_kit_client::{
    Answer, ClientConfig, Confirmed, Decision, Draft, RecallKitClient, SanitizedDraft, Servers,
    applicability::APPLIES_META,
};
use recall_kit_shared_types::{Envelope, SubmitExperienceData};
use serde_json::{Value, json};

use super::{close_all, outbox};
use crate::{
    applies,
    args::{GlobalArgs, SubmitArgs},
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        interrupt::{self, or_interrupted},
        layout::Page,
        preview,
        printer::{Printer, YELLOW, styled},
        progress, prompt,
    },
    words::Words,
};
use delivery::{Delivery, Sent};

/// Who agrees to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    /// `--yes`.
    Flag,
    /// `autoSubmit` without `promptOnSubmit`.
    Settings,
    /// The person at the terminal.
    Person,
}

pub(crate) async fn run(
    global: &GlobalArgs,
    mut args: SubmitArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut config = global.load_config(printer)?.config;
    config.submit_to = args.to.clone().or(config.submit_to);
    let (yes, dry_run) = (args.yes, args.dry_run);
    // Checks the consent before the summary, which takes a while and would be useless without consent.
    let consent = match dry_run || args.from_conversation.is_none() {
        true => None,
        false => Some(consent(yes, &config)?),
    };
    let servers = global.servers(config)?;
    let client = servers.chosen();
    let applies = args.applies_to.take();
    let (draft, remarks) = compose::draft(client, args, printer).await?;
    let shown = client.prepare(Draft { applies, ..draft });
    if dry_run {
        let shown = match client.config().sends_unasked() {
            true => shown,
            false => applies::proposed(client, shown).await,
        };
        return show_only(&shown, &remarks, printer);
    }
    let consent = match consent {
        Some(consent) => consent,
        None => self::consent(yes, client.config())?,
    };
    // What nobody sees is not proposed.
    let shown = match consent {
        Consent::Person => applies::proposed(client, shown).await,
        Consent::Flag | Consent::Settings => shown,
    };
    let preview = Preview { shown, remarks };
    let outcome = submit(&servers, preview, consent, printer).await;
    close_all(&servers).await;
    outcome
}

/// A draft as the user sees it before it is sent.
struct Preview {
    shown: SanitizedDraft,
    /// Remarks on what to check, and on what it resembles.
    remarks: Vec<String>,
}

fn consent(yes: bool, config: &ClientConfig) -> anyhow::Result<Consent> {
    if yes {
        return Ok(Consent::Flag);
    }
    if config.sends_unasked() {
        return Ok(Consent::Settings);
    }
    if !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to confirm at, so nothing was sent".to_owned(),
            hint: "--yes sends without asking, --dry-run shows what would be sent",
        }));
    }
    interrupt::leave_to_prompts()?;
    Ok(Consent::Person)
}

fn show_only(shown: &SanitizedDraft, remarks: &[String], printer: &Printer) -> anyhow::Result<()> {
    let words = Words::from_locale();
    match printer.is_json() {
        true => printer.json(&as_json(shown))?,
        false => printer.data(&preview::fields(shown, &words, Page::of_stdout()))?,
    }
    printer.info(&words.removal_note(shown));
    print_remarks(remarks, printer);
    Ok(())
}

/// Returns the arguments of the call that would be made, and its `_meta` if it says where the experience applies.
fn as_json(shown: &SanitizedDraft) -> Value {
    let mut call = json!(shown.request());
    if let Some(applies) = shown.applies() {
        call["_meta"] = json!({APPLIES_META: applies.to_wire()});
    }
    call
}

/// Prints the remarks on a draft.
fn print_remarks(remarks: &[String], printer: &Printer) {
    for remark in remarks {
        printer.info(&format!("{} {remark}", styled(YELLOW, "!")));
    }
}

/// Confirms and sends a draft; repeats this as often as the user edits it.
async fn submit(
    servers: &Servers,
    mut preview: Preview,
    consent: Consent,
    printer: &Printer,
) -> anyhow::Result<()> {
    let client = servers.chosen();
    let words = Words::from_locale();
    let asking = similar::remarks(servers, &preview.shown, &words);
    let asking = progress::shown(asking, words.results.searching, printer);
    let remarks = or_interrupted(asking, words.questions.nothing_sent).await?;
    preview.remarks.extend(remarks);
    let mut delivery = Delivery::new(client, consent, printer);
    loop {
        let (confirmed, removed) = match confirm(preview, consent, client, printer).await {
            Ok(Some(confirmed)) => confirmed,
            Ok(None) => return delivery.cancelled(),
            Err(error) => return Err(delivery.unanswered(error)),
        };
        match delivery.send(confirmed).await? {
            Sent::Stored(data) => {
                show_stored(data, printer)?;
                outbox::flush_after_command(servers, printer).await;
                return Ok(());
            }
            Sent::Edited(draft) => {
                let shown = client.prepare(draft).after(&removed);
                preview = Preview::edited(applies::proposed(client, shown).await);
            }
        }
    }
}

impl Preview {
    /// Returns the preview of an edited draft. It has no remarks, because they were about the first text.
    fn edited(shown: SanitizedDraft) -> Self {
        let remarks = Vec::new();
        Self { shown, remarks }
    }
}

/// What was replaced: each kind, and the number of replacements.
type Removed = Vec<(String, usize)>;

/// Returns what may be sent, and what was removed from it.
async fn confirm(
    mut preview: Preview,
    consent: Consent,
    client: &RecallKitClient,
    printer: &Printer,
) -> anyhow::Result<Option<(Confirmed, Removed)>> {
    loop {
        let Preview { shown, remarks } = preview;
        let removed = shown.removed().to_vec();
        let answer = match consent {
            Consent::Flag => {
                note_changes(&shown, printer);
                print_remarks(&remarks, printer);
                Answer::Confirm
            }
            Consent::Settings => {
                note_changes(&shown, printer);
                print_remarks(&remarks, printer);
                printer.info(Words::from_locale().questions.sent_unasked);
                let confirmed = shown.confirm_unasked(client.config()).ok();
                return Ok(confirmed.map(|confirmed| (confirmed, removed)));
            }
            Consent::Person => prompt::answer(client, &shown, &remarks, printer)?,
        };
        match shown.confirm(answer) {
            Decision::Send(confirmed) => return Ok(Some((confirmed, removed))),
            Decision::Review(edited) => {
                // The changed texts may name other packages.
                preview = Preview::edited(applies::proposed(client, edited).await);
            }
            Decision::Drop => return Ok(None),
        }
    }
}

/// Reports what the sanitizer did, if nobody is shown the text.
fn note_changes(shown: &SanitizedDraft, printer: &Printer) {
    if !shown.removed().is_empty() || !shown.is_sanitizer_on() {
        printer.info(&Words::from_locale().removal_note(shown));
    }
}

fn show_stored(data: SubmitExperienceData, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        printer.json(&Envelope::ok(data))?;
        return Ok(());
    }
    printer.data(&visible(&data.id))?;
    printer.info(&visible(&data.message));
    for note in &data.notes {
        printer.info(&visible(note));
    }
    Ok(())
}
