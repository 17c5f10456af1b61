//! `submit`: sanitize, show, ask, send. Nothing is sent before a person, `--yes` or the settings
//! agreed.

mod compose;
#[cfg(test)]
mod tests;

use anyhow::bail;
use recall_kit_client::{
    Answer, ClientConfig, Confirmed, Decision, Draft, Error, Outbox, RecallKitClient,
    SanitizedDraft, Servers,
};
use recall_kit_shared_types::{Envelope, SubmitExperienceData};

use super::{close_all, outbox};
use crate::{
    args::{GlobalArgs, SubmitArgs},
    controls::visible,
    diagnostics::{self, Complaint},
    interrupt::{self, or_interrupted},
    printer::{Printer, YELLOW, styled},
    progress, prompt,
    words::Words,
};

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
    let mut config = global.load_config()?.config;
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
        false => printer.data(&words.fields(shown))?,
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
    loop {
        let Some(confirmed) = confirm(preview, consent, client.config(), printer)? else {
            printer.talk(Words::from_locale().cancelled);
            return Ok(());
        };
        match send(client, confirmed, consent, printer).await? {
            Sent::Stored(data) => {
                show_stored(data, printer)?;
                outbox::flush_besides(servers, printer).await;
                return Ok(());
            }
            Sent::Edited(draft) => preview = Preview::edited(client.prepare(draft)),
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

fn confirm(
    mut preview: Preview,
    consent: Consent,
    config: &ClientConfig,
    printer: &Printer,
) -> anyhow::Result<Option<Confirmed>> {
    loop {
        let Preview { shown, remarks } = preview;
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
                return Ok(shown.confirm_unasked(config).ok());
            }
            Consent::Person => prompt::answer(&shown, &remarks, printer)?,
        };
        match shown.confirm(answer) {
            Decision::Send(confirmed) => return Ok(Some(confirmed)),
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

/// What came of sending.
enum Sent {
    /// The server has it.
    Stored(SubmitExperienceData),
    /// It was refused and the person changed it.
    Edited(Draft),
}

/// Sends; after an error the person may try again with the same key, or change the text.
async fn send(
    client: &RecallKitClient,
    confirmed: Confirmed,
    consent: Consent,
    printer: &Printer,
) -> anyhow::Result<Sent> {
    loop {
        let words = Words::from_locale();
        let sending = client.submit_experience(&confirmed);
        let sending = progress::shown(sending, words.results.sending, printer);
        let error = match or_interrupted(sending, words.questions.unknown).await? {
            Ok(data) => return Ok(Sent::Stored(data)),
            Err(error) => error,
        };
        if leaves_unknown(&error) {
            printer.urgent(words.questions.unknown);
        }
        if consent != Consent::Person {
            outbox::keep(client, confirmed, &error, printer).await;
            return Err(error.into());
        }
        if leaves_unknown(&error) {
            printer.urgent(words.questions.safe_to_repeat);
        }
        let steps = NextStep::after(&error);
        let error = error.into();
        diagnostics::describe(printer, &error);
        let labels: Vec<&str> = steps.iter().map(|step| step.label(&words)).collect();
        let chosen = prompt::choice(words.questions.what_now, &labels)?;
        match steps.get(chosen) {
            Some(NextStep::TryAgain) => {}
            Some(step @ (NextStep::Edit | NextStep::EditCopy)) => {
                if *step == NextStep::EditCopy {
                    printer.urgent(words.questions.second_record);
                }
                match prompt::edited(confirmed.into_draft(), printer)? {
                    Answer::Edit(draft) => return Ok(Sent::Edited(draft)),
                    Answer::Confirm | Answer::Cancel => bail!("gave up"),
                }
            }
            Some(NextStep::Keep) => {
                if let Some(error) = error.downcast_ref() {
                    outbox::keep(client, confirmed, error, printer).await;
                }
                bail!("not stored yet");
            }
            Some(NextStep::GiveUp) | None => bail!("gave up"),
        }
    }
}

/// Says whether the server may have stored what it did not confirm.
fn leaves_unknown(error: &Error) -> bool {
    matches!(
        error,
        Error::Timeout { .. } | Error::Network { .. } | Error::Answer { .. }
    )
}

/// What a person may do after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextStep {
    /// Send the same once more, with its key.
    TryAgain,
    /// Keep it in the outbox until the server is back.
    Keep,
    /// Change what was refused.
    Edit,
    /// Change what may have been stored.
    EditCopy,
    /// Send nothing more.
    GiveUp,
}

impl NextStep {
    /// Returns the steps that make sense after `error`, the likeliest first.
    fn after(error: &Error) -> &'static [Self] {
        match error {
            Error::Validation(_) => &[Self::Edit, Self::GiveUp],
            error if Outbox::is_for(error) => {
                &[Self::TryAgain, Self::Keep, Self::EditCopy, Self::GiveUp]
            }
            _ => &[Self::TryAgain, Self::EditCopy, Self::GiveUp],
        }
    }

    fn label(self, words: &Words) -> &'static str {
        match self {
            Self::TryAgain => words.questions.try_again,
            Self::Keep => words.questions.send_later,
            Self::Edit | Self::EditCopy => words.edit,
            Self::GiveUp => words.questions.give_up,
        }
    }
}

fn show_stored(data: SubmitExperienceData, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        printer.json(&Envelope::ok(data))?;
        return Ok(());
    }
    printer.data(&visible(&data.id))?;
    printer.talk(&visible(&data.message));
    Ok(())
}
