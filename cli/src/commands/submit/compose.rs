//! Creates a draft from the flags, from a conversation if there is one, and from answers to questions about what
//! is missing.

use std::{fs, io, path::Path};

use anyhow::Context as _;
use recall_kit_client::{Draft, RecallKitClient};

use crate::{
    args::SubmitArgs,
    commands::summarize,
    diagnostics::Complaint,
    terminal::{interrupt, printer::Printer, prompt},
    words::Words,
};

/// Creates the draft, and returns remarks on what to check in it.
pub(super) async fn draft(
    client: &RecallKitClient,
    mut args: SubmitArgs,
    printer: &Printer,
) -> anyhow::Result<(Draft, Vec<String>)> {
    let Some(file) = args.from_conversation.take() else {
        return Ok((of_flags(args)?, Vec::new()));
    };
    if [Some(file.as_path()), args.context.as_deref()] == [Some(Path::new("-")); 2] {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: "--from-conversation and --context cannot both be stdin".to_owned(),
            hint: "put one of them into a file",
        }));
    }
    let summary = summarize::of_file(client, &file, printer).await?;
    let remarks = summarize::remarks(&summary);
    Ok((overridden(summary.draft, args)?, remarks))
}

/// Overrides the fields of a summary by the flags.
fn overridden(summary: Draft, args: SubmitArgs) -> anyhow::Result<Draft> {
    let context = args.context.as_deref().map(read_context).transpose()?;
    let text = |flag: Option<String>, summary: String| flag.unwrap_or(summary);
    Ok(Draft {
        title: text(args.title, summary.title),
        problem_description: text(args.problem, summary.problem_description),
        root_cause: args.root_cause.or(summary.root_cause),
        solution: text(args.solution, summary.solution),
        context: context.or(summary.context),
        keywords: match args.keywords.is_empty() {
            true => summary.keywords,
            false => args.keywords,
        },
        applies: summary.applies,
    })
}

/// Creates the draft from the flags, and asks for missing fields.
fn of_flags(args: SubmitArgs) -> anyhow::Result<Draft> {
    let context = args.context.as_deref().map(read_context).transpose()?;
    let required = [
        ("--title", &args.title),
        ("--problem", &args.problem),
        ("--solution", &args.solution),
    ];
    let missing: Vec<&str> = required
        .iter()
        .filter(|(_, text)| text.as_deref().is_none_or(|text| text.trim().is_empty()))
        .map(|(flag, _)| *flag)
        .collect();
    if missing.is_empty() {
        return Ok(Draft {
            root_cause: args.root_cause,
            context,
            keywords: args.keywords,
            ..Draft::new(
                args.title.unwrap_or_default(),
                args.problem.unwrap_or_default(),
                args.solution.unwrap_or_default(),
            )
        });
    }
    if !prompt::is_possible() {
        return Err(anyhow::Error::new(Complaint::Usage {
            message: format!("{} must be given", missing.join(", ")),
            hint: "give them as options, or run it at a terminal to be asked",
        }));
    }
    interrupt::leave_to_prompts()?;
    ask_for_missing(
        SubmitArgs {
            context: None,
            ..args
        },
        context,
    )
}

/// Asks for every field that the flags do not contain.
fn ask_for_missing(args: SubmitArgs, context: Option<String>) -> anyhow::Result<Draft> {
    let words = Words::from_locale();
    let not_blank = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let required = |text: Option<String>, question: &str| match not_blank(text) {
        Some(text) => Ok(text),
        None => prompt::required(question),
    };
    let title = required(args.title, words.title)?;
    let problem = required(args.problem, words.problem)?;
    let root_cause = match not_blank(args.root_cause) {
        Some(cause) => Some(cause),
        None => prompt::optional(words.root_cause)?,
    };
    let solution = required(args.solution, words.solution)?;
    let keywords = match args.keywords.is_empty() {
        false => args.keywords,
        true => prompt::optional(words.keywords)?
            .iter()
            .flat_map(|line| line.split([',', '，']))
            .map(str::to_owned)
            .collect(),
    };
    Ok(Draft {
        root_cause,
        context,
        keywords,
        ..Draft::new(title, problem, solution)
    })
}

fn read_context(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        return io::read_to_string(io::stdin()).context("cannot read the context from stdin");
    }
    fs::read_to_string(file)
        .with_context(|| format!("cannot read the context from {}", file.display()))
}
