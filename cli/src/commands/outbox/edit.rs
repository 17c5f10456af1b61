//! `outbox edit`: changes what waits, most often because the server refused it. The changed text is
//! sanitized, shown and confirmed like any other.

use anyhow::bail;
use recall_kit_client::{Answer, Confirmed, Decision, Draft, Outbox, RecallKitClient, Servers};
use uuid::Uuid;

use crate::{
    diagnostics::Complaint,
    terminal::{interrupt::leave_to_prompts, printer::Printer, prompt},
    words::{Words, filled},
};

/// Replaces what waits under `id` by what a person makes of it; false when the person gives up.
pub(super) async fn edit(
    servers: &Servers,
    outbox: &Outbox,
    id: Uuid,
    printer: &Printer,
) -> anyhow::Result<bool> {
    if !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "there is no terminal to edit and confirm at".to_owned(),
            hint: "run it at a terminal, or submit it anew and drop this one",
        }));
    }
    let words = Words::from_locale();
    let kept = outbox.list().await?.into_iter().find(|one| one.id() == id);
    let Some((kept, experience)) =
        kept.and_then(|kept| Some((kept.clone(), kept.experience()?.clone())))
    else {
        bail!(filled(words.outbox.not_readable, &[&id]));
    };
    let mut clients = servers.all().iter();
    let its_own = clients.find(|client| kept.is_for(client.server_url()));
    let client = its_own.unwrap_or(servers.chosen());
    leave_to_prompts()?;
    if !kept.refused {
        printer.urgent(words.questions.second_record);
    }
    let Answer::Edit(draft) = prompt::edited(experience.into_draft(), printer)? else {
        return Ok(false);
    };
    let Some(confirmed) = confirmed(client, draft, printer)? else {
        printer.talk(words.cancelled);
        return Ok(false);
    };
    // It stays meant for the server it was confirmed for.
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
