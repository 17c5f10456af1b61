//! `summarize`: creates a draft from a conversation and prints it, sanitized; nothing is submitted.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::Context as _;
use recall_kit_client::{
    Claims, Conversation, Error, MAX_TRANSCRIPT_BYTES, MadeBy, RecallKitClient, Summary,
};
use serde_json::json;

use crate::{
    applies,
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
    let shown = applies::proposed(&client, shown).await;
    if printer.is_json() {
        let named = summary.remarks.iter().zip(&remarks);
        let named: Vec<_> = named
            .map(|(remark, text)| json!({"kind": remark.name(), "message": text}))
            .collect();
        let (made_by, model) = maker(&summary.made_by);
        printer.json(&json!({
            "draft": shown.request(),
            "applies": shown.applies().map(Claims::to_wire),
            "made_by": made_by,
            "model": model,
            "remarks": named,
        }))?;
        return Ok(());
    }
    let words = Words::from_locale();
    printer.data(&words.fields(&shown))?;
    printer.info(&words.removal_note(&shown));
    for remark in remarks {
        printer.info(&format!("{} {remark}", styled(YELLOW, "!")));
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
        printer.info(&filled(words.written_by, &[&visible(model)]));
    }
    Ok(summary)
}

/// Returns the remarks of a summary, safe to display.
pub(crate) fn remarks(summary: &Summary) -> Vec<String> {
    let (locale, remarks) = (locale(), summary.remarks.iter());
    remarks
        .map(|remark| visible(&remark.in_locale(&locale)))
        .collect()
}

/// Returns the author of a summary, and the model if it was one.
fn maker(made_by: &MadeBy) -> (&'static str, Option<&str>) {
    match made_by {
        MadeBy::Ai { model } => ("ai", Some(model)),
        MadeBy::Host => ("host", None),
        MadeBy::Extraction => ("extraction", None),
    }
}

/// Reads a file up to one byte more than a conversation may have, so that a longer one is detected.
fn read(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let limit = MAX_TRANSCRIPT_BYTES as u64 + 1;
    let read = match file == Path::new("-") {
        true => io::stdin().lock().take(limit).read_to_end(&mut bytes),
        false => File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    read.with_context(|| format!("cannot read the conversation from {}", file.display()))?;
    // Invalid characters are replaced, so that the rest can be read.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
