//! `submit`: sanitize, show, ask, send. Nothing is sent before a person, `--yes` or the settings
//! agreed.

mod compose;
mod delivery;

use recall_kit_client::{
    Answer, ClientConfig, Confirmed, Decision, RecallKitClient, SanitizedDraft, Servers,
};
use recall_kit_shared_types::{Envelope, SubmitExperienceData};

use super::{close_all, outbox};
use crate::{
    args::{GlobalArgs, SubmitArgs},
    diagnostics::Complaint,
    terminal::{
        controls::visible,
        interrupt,
        layout::Page,
        preview,
        printer::{Printer, YELLOW, styled},
        prompt,
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
    args: SubmitArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let mut config = global.load_config(printer)?.config;
    config.submit_to = args.to.clone().or(config.submit_to);
    let (yes, dry_run) = (args.yes, args.dry_run);
    // Nobody waits for a summary to hear that it cannot be sent.
    let consent = match dry_run || args.from_conversation.is_none() {
        true => None,
        false => Some(consent(yes, &config)?),
    };
    let servers = global.servers(config)?;
    let client = servers.chosen();
    let (draft, remarks) = compose::draft(client, args, printer).await?;
    let shown = client.prepare(draft);
    if dry_run {
        return show_only(&shown, &remarks, printer);
    }
    let consent = match consent {
        Some(consent) => consent,
        None => self::consent(yes, client.config())?,
    };
    let preview = Preview { shown, remarks };
    let outcome = submit(&servers, preview, consent, printer).await;
    close_all(&servers).await;
    outcome
}

/// A draft as a person sees it before it is sent.
struct Preview {
    shown: SanitizedDraft,
    /// What to look at.
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
        true => printer.json(shown.request())?,
        false => printer.data(&preview::fields(shown, &words, Page::of_stdout()))?,
    }
    printer.talk(&words.removal_note(shown));
    note(remarks, printer);
    Ok(())
}

/// Says what to look at in a draft.
fn note(remarks: &[String], printer: &Printer) {
    for remark in remarks {
        printer.talk(&format!("{} {remark}", styled(YELLOW, "!")));
    }
}

/// Confirms and sends, going back to the person as often as it takes.
async fn submit(
    servers: &Servers,
    mut preview: Preview,
    consent: Consent,
    printer: &Printer,
) -> anyhow::Result<()> {
    let client = servers.chosen();
    let mut delivery = Delivery::new(client, consent, printer);
    loop {
        let (confirmed, removed) = match confirm(preview, consent, client, printer) {
            Ok(Some(agreed)) => agreed,
            Ok(None) => return delivery.cancelled(),
            Err(error) => return Err(delivery.unanswered(error)),
        };
        match delivery.send(confirmed).await? {
            Sent::Stored(data) => {
                show_stored(data, printer)?;
                outbox::flush_besides(servers, printer).await;
                return Ok(());
            }
            Sent::Edited(draft) => {
                preview = Preview::edited(client.prepare(draft).after(&removed));
            }
        }
    }
}

impl Preview {
    /// A person changed it, and knows what it says.
    fn edited(shown: SanitizedDraft) -> Self {
        let remarks = Vec::new();
        Self { shown, remarks }
    }
}

/// What was replaced: each kind, and how often.
type Removed = Vec<(String, usize)>;

/// Returns what may be sent, and what was removed from it.
fn confirm(
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
                note(&remarks, printer);
                Answer::Confirm
            }
            Consent::Settings => {
                note_changes(&shown, printer);
                note(&remarks, printer);
                printer.talk(Words::from_locale().questions.sent_unasked);
                let confirmed = shown.confirm_unasked(client.config()).ok();
                return Ok(confirmed.map(|confirmed| (confirmed, removed)));
            }
            Consent::Person => prompt::answer(client, &shown, &remarks, printer)?,
        };
        match shown.confirm(answer) {
            Decision::Send(confirmed) => return Ok(Some((confirmed, removed))),
            Decision::Review(edited) => preview = Preview::edited(edited),
            Decision::Drop => return Ok(None),
        }
    }
}

/// Says what the sanitizer did, where no one is shown the text.
fn note_changes(shown: &SanitizedDraft, printer: &Printer) {
    if !shown.removed().is_empty() || !shown.is_sanitizer_on() {
        printer.talk(&Words::from_locale().removal_note(shown));
    }
}

fn show_stored(data: SubmitExperienceData, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        printer.json(&Envelope::ok(data))?;
        return Ok(());
    }
    printer.data(&visible(&data.id))?;
    printer.talk(&visible(&data.message));
    for note in &data.notes {
        printer.talk(&visible(note));
    }
    Ok(())
}
