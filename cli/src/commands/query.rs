//! `query`: asks for solved problems and prints them, best first.

#[cfg(test)]
mod tests;

use recall_kit_client::{FormattedExperience, Need, QueryRequest, QueryResults, RelevanceParts};

use super::{close, outbox};
use crate::{
    args::{GlobalArgs, QueryArgs},
    controls::visible,
    interrupt::or_interrupted,
    layout::{Page, indented},
    printer::{BOLD, CYAN, DIM, GREEN, Printer, styled},
};

/// The column in which a field's text begins.
const TEXT_COLUMN: usize = 12;
const NO_PARTS: &str = "this server does not say what its relevances are made of; a newer one does";

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &QueryArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let client = global.client(global.load_config()?.config)?;
    let text = args.text.join(" ");
    if global.verbose > 0
        && let Some(kind) = Need::of(&text).problem_type
    {
        printer.talk(&format!("about: {}", kind.label_like(&text)));
    }
    let mut request = QueryRequest::from_text(text);
    request.limit = args.limit;
    request.offset = args.offset;
    request.parts = global.verbose > 0;
    let outcome = or_interrupted(client.query(request), "the query was dropped").await;
    // The answer is shown before the connection is closed: nobody waits for a goodbye.
    let shown = match outcome {
        Ok(Ok(results)) => {
            if global.verbose > 0 && results.parts.is_none() {
                printer.talk(NO_PARTS);
            }
            let shown = show(&results, args, printer);
            outbox::flush_besides(&client, printer).await;
            shown
        }
        Ok(Err(error)) => Err(error.into()),
        Err(interrupted) => Err(interrupted.into()),
    };
    close(&client).await;
    shown
}

fn show(results: &QueryResults, args: &QueryArgs, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        printer.json(results)?;
        return Ok(());
    }
    if !results.found {
        printer.talk(&match results.total {
            0 => "nothing found".to_owned(),
            total => format!("nothing more: {total} in all"),
        });
        return Ok(());
    }
    let page = Page::of_stdout();
    let first = args.offset.unwrap_or(0) as usize + 1;
    for (rank, experience) in (first..).zip(&results.experiences) {
        let mut parts = results.parts.iter().flatten();
        let parts = parts.find(|parts| parts.id == experience.id);
        printer.data(&card(rank, experience, parts, page))?;
    }
    printer.talk(&styled(
        DIM,
        format!("{} of {}", results.count, results.total),
    ));
    Ok(())
}

/// Lays out one experience. Strangers wrote it.
fn card(
    rank: usize,
    experience: &FormattedExperience,
    parts: Option<&RelevanceParts>,
    page: Page,
) -> String {
    let mut card = format!(
        "{} {} {}\n",
        styled(CYAN, format!("{rank:>2}")),
        styled(BOLD, visible(&experience.title)),
        styled(GREEN, format!("{:.2}", experience.relevance)),
    );
    let mut field = |label: &str, text: &str| {
        let text = indented(&page.wrap(&visible(text), TEXT_COLUMN), TEXT_COLUMN);
        card.push_str(&format!(
            "   {} {text}\n",
            styled(DIM, format!("{label:<8}"))
        ));
    };
    field("problem", &experience.problem);
    if let Some(cause) = &experience.root_cause {
        field("cause", cause);
    }
    field("solution", &experience.solution);
    if let Some(context) = &experience.context {
        field("context", context);
    }
    if let Some(parts) = parts {
        field("score", &score(experience.relevance, parts));
    }
    if let Some(code) = &experience.code {
        for line in visible(code).lines() {
            card.push_str(&format!(
                "{:>TEXT_COLUMN$}{} {line}\n",
                "",
                styled(DIM, "│")
            ));
        }
    }
    let day = experience.created_at.get(..10).unwrap_or_default();
    let mut footer = vec![format!("seen {}×", experience.query_count), visible(day)];
    if !experience.keywords.is_empty() {
        footer.insert(0, visible(&experience.keywords.join(", ")));
    }
    let footer = styled(DIM, footer.join(" · "));
    card.push_str(&format!("{:>TEXT_COLUMN$}{footer}\n", ""));
    card
}

/// Says what a relevance is made of, and what else decides the record's place.
fn score(relevance: f64, parts: &RelevanceParts) -> String {
    let RelevanceParts {
        lexical,
        semantic,
        fingerprint,
        popularity,
        recency,
        rank,
        ..
    } = parts;
    format!(
        "{relevance:.4} = lexical {lexical:.4} + semantic {semantic:.4} + fingerprint {fingerprint:.4}\n\
         with popularity {popularity:.4} and recency {recency:.4}: rank {rank:.4}"
    )
}
