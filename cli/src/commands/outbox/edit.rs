//! `outbox edit`: changes an experience in the outbox, usually because the server rejected it. The changed text
//! is sanitized, shown and confirmed like any other.

use anyhow::bail;
use recall_kit_client::{Answer, Confirmed, Decision, Draft, Outbox, RecallKitClient, Servers};
use uuid::Uuid;

use crate::{
    diagnostics::Complaint,
    terminal::{interrupt::leave_to_prompts, printer::Printer, prompt},
    words::{Words, filled},
};

/// Lets the user edit and confirm the experience with `id`, and replaces it. Returns false if the user cancels.
pub(super) async fn edit(
    servers: &Servers,
    outbox: &Outbox,
    id: Uuid,
    printer: &Printer,
) -> anyhow::Result<bool> {
    if !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to edit and confirm at".to_owned(),
            hint: "run it at a terminal, or submit it again and drop this one",
        }));
    }
    let words = Words::from_locale();
    let entry = outbox.list().await?.into_iter().find(|one| one.id() == id);
    let Some((entry, experience)) =
        entry.and_then(|entry| Some((entry.clone(), entry.experience()?.clone())))
    else {
        bail!(filled(words.outbox.not_readable, &[&id]));
    };
    let mut clients = servers.all().iter();
    let its_own = clients.find(|client| entry.is_for(client.server_url()));
    let client = its_own.unwrap_or(servers.chosen());
    leave_to_prompts()?;
    if !entry.refused {
        printer.urgent(words.questions.second_record);
    }
    let Answer::Edit(draft) = prompt::edited(experience.into_draft(), printer)? else {
        return Ok(false);
    };
    let Some(confirmed) = confirmed(client, draft, printer)? else {
        printer.info(words.cancelled);
        return Ok(false);
    };
    // The replacement stays assigned to the server that the experience was confirmed for.
    if !outbox.replace(id, confirmed).await? {
        bail!(words.outbox.gone);
    }
    Ok(true)
}

fn confirmed(
    client: &RecallKitClient,
    draft: Draft,
    printer: &Printer,
) -> anyhow::Result<Option<Confirmed>> {
    // The working directory may have nothing to do with the experience: nothing is proposed.
    let mut shown = client.prepare(draft);
    loop {
        let answer = prompt::answer(client, &shown, &[], printer)?;
        match shown.confirm(answer) {
            Decision::Send(confirmed) => return Ok(Some(confirmed)),
            Decision::Review(edited) => shown = edited,
            Decision::Drop => return Ok(None),
        }
    }
}
