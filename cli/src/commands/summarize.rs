//! `summarize`: makes a draft of a conversation and prints it, sanitized; nothing is submitted.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::Context as _;
use recall_kit_client::{
    Conversation, Error, MAX_TRANSCRIPT_BYTES, MadeBy, RecallKitClient, Summary,
};
use serde_json::json;

use crate::{
    args::{GlobalArgs, SummarizeArgs},
    terminal::{
        controls::visible,
        interrupt::or_interrupted,
        printer::{Printer, YELLOW, styled},
    },
    words::{Words, filled, locale},
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &SummarizeArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let client = global.client(global.load_config(printer)?.config)?;
    let summary = of_file(&client, &args.file, printer).await?;
    let remarks = remarks(&summary);
    let shown = client.prepare(summary.draft.clone());
    if printer.is_json() {
        let named = summary.remarks.iter().zip(&remarks);
        let named: Vec<_> = named
            .map(|(remark, text)| json!({"kind": remark.name(), "message": text}))
            .collect();
        let (made_by, model) = maker(&summary.made_by);
        printer.json(&json!({
            "draft": shown.request(),
            "made_by": made_by,
            "model": model,
            "remarks": named,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale();
    printer.data(&words.fields(&shown))?;
    printer.talk(&words.removal_note(&shown));
    for remark in remarks {
        printer.talk(&format!("{} {remark}", styled(YELLOW, "!")));
    }
    Ok(())
}

/// Summarizes the conversation in a file, or on stdin.
pub(crate) async fn of_file(
    client: &RecallKitClient,
    file: &Path,
    printer: &Printer,
) -> anyhow::Result<Summary> {
    let conversation = Conversation::read(&read(file)?).map_err(Error::from)?;
    let summarizing = client.summarize(&conversation, None);
    let words = Words::from_locale().questions;
    let summary = or_interrupted(summarizing, words.nothing_sent).await??;
    if let (_, Some(model)) = maker(&summary.made_by) {
        printer.talk(&filled(words.written_by, &[&visible(model)]));
    }
    Ok(summary)
}

/// Returns what a person should look at, as it may be shown.
pub(crate) fn remarks(summary: &Summary) -> Vec<String> {
    let (locale, remarks) = (locale(), summary.remarks.iter());
    remarks
        .map(|remark| visible(&remark.in_locale(&locale)))
        .collect()
}

/// Names who made a summary, and the model if one did.
fn maker(made_by: &MadeBy) -> (&'static str, Option<&str>) {
    match made_by {
        MadeBy::Ai { model } => ("ai", Some(model)),
        MadeBy::Host => ("host", None),
        MadeBy::Extraction => ("extraction", None),
    }
}

/// Reads as much as a conversation may have, and one byte more, so that it is noticed.
fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = MAX_TRANSCRIPT_BYTES as u64 + 1;
    let read = match file == Path::new("-") {
        true => io::stdin().lock().take(most).read_to_end(&mut bytes),
        false => File::open(file).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    read.with_context(|| format!("cannot read the conversation from {}", file.display()))?;
    // Damaged characters are no reason to refuse the rest.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
