//! `query`: searches for solved problems and prints them, best first.

#[cfg(test)]
mod tests;

use console::{Alignment, pad_str};
use jiff::Timestamp;
use recall_kit_client::{
    FormattedExperience, Need, QueryRequest, QueryResults, RelevanceParts, Unanswered,
};

use super::{close_all, outbox};
use crate::{
    args::{GlobalArgs, QueryArgs},
    terminal::{
        controls::visible,
        highlight,
        interrupt::or_interrupted,
        layout::{Page, indented},
        printer::{BOLD, CYAN, DIM, GREEN, Printer, YELLOW, styled},
        progress,
    },
    words::{ResultWords, Words, filled},
};

/// The column in which a field's text begins.
const TEXT_COLUMN: usize = 12;
/// The width of the names of fields.
const LABEL_WIDTH: usize = 8;
/// The minimum relevance that is shown in green.
const CLOSE: f64 = 0.5;
/// The number of characters of an id that are shown.
const SHORT_ID: usize = 13;

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &QueryArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let servers = global.servers(global.load_config(printer)?.config)?;
    let text = args.text.join(" ");
    let words = Words::from_locale().results;
    if global.verbose > 0
        && let Some(kind) = Need::of(&text).problem_type
    {
        printer.info(&filled(words.about, &[&kind.label_like(&text)]));
    }
    let mut request = QueryRequest::from_text(text);
    request.limit = args.limit;
    request.offset = args.offset;
    request.parts = global.verbose > 0;
    let query = progress::shown(servers.query(request), words.searching, printer);
    let outcome = or_interrupted(query, words.dropped).await;
    // The answer is shown before the connection is closed, which may take a while.
    let shown = match outcome {
        Ok(Ok(results)) => {
            if global.verbose > 0 && results.parts.is_none() {
                printer.info(words.no_parts);
            }
            let shown = show(&results, args, printer);
            outbox::flush_after_command(&servers, printer).await;
            shown
        }
        Ok(Err(error)) => Err(error.into()),
        Err(interrupted) => Err(interrupted.into()),
    };
    close_all(&servers).await;
    shown
}

fn show(results: &QueryResults, args: &QueryArgs, printer: &Printer) -> anyhow::Result<()> {
    let words = Words::from_locale().results;
    if printer.is_json() {
        printer.json(results)?;
        return Ok(());
    }
    for Unanswered { server, reason } in &results.unanswered {
        let warning = filled(words.unanswered, &[&visible(server), &visible(reason)]);
        printer.urgent(&styled(YELLOW, warning));
    }
    if !results.found {
        let is_beyond = args.offset.unwrap_or(0) > 0 && results.total > 0;
        printer.info(&match is_beyond {
            true => filled(words.nothing_more, &[&results.total]),
            false => format!("{}\n{}", words.nothing, styled(DIM, words.nothing_hint)),
        });
        return Ok(());
    }
    let layout = Layout {
        words,
        page: Page::of_stdout(),
        now: Timestamp::now(),
    };
    let first = args.offset.unwrap_or(0) as usize + 1;
    for (rank, experience) in (first..).zip(&results.experiences) {
        let mut parts = results.parts.iter().flatten();
        let parts = parts.find(|parts| parts.id == experience.id);
        printer.data(&layout.card(rank, experience, parts))?;
    }
    printer.info(&styled(
        DIM,
        filled(words.shown, &[&results.count, &results.total]),
    ));
    Ok(())
}

/// Returns the beginning of an id, long enough for servers to find the record.
fn short(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// The language, the page and the time for which results are formatted.
struct Layout {
    words: ResultWords,
    page: Page,
    now: Timestamp,
}

impl Layout {
    /// Formats one experience. Its texts are from others and must be made safe to display.
    fn card(
        &self,
        rank: usize,
        experience: &FormattedExperience,
        parts: Option<&RelevanceParts>,
    ) -> String {
        let words = self.words;
        let rank = styled(CYAN, format!("{rank:>2}"));
        let title = styled(BOLD, visible(&experience.title));
        let mut card = format!("{rank} {title}\n   {}\n", self.facts(experience));
        card.push_str(&self.field(words.problem, &experience.problem));
        if let Some(cause) = &experience.root_cause {
            card.push_str(&self.field(words.cause, cause));
        }
        card.push_str(&self.field(words.solution, &experience.solution));
        if let Some(context) = &experience.context {
            card.push_str(&self.field(words.context, context));
        }
        if let Some(parts) = parts {
            card.push_str(&self.field(words.score, &self.score(experience.relevance, parts)));
        }
        let bar = styled(DIM, "│");
        let code = visible(experience.code.as_deref().unwrap_or_default());
        for line in highlight::lines(&code) {
            card.push_str(&format!("{:>TEXT_COLUMN$}{bar} {line}\n", ""));
        }
        card
    }

    /// Formats the line with the relevance, the age, how often it was found, its server if there are several, its
    /// keywords and the beginning of its id.
    fn facts(&self, experience: &FormattedExperience) -> String {
        let style = match experience.relevance >= CLOSE {
            true => GREEN,
            false => YELLOW,
        };
        let closeness = self.words.closeness(experience.relevance);
        let relevance = styled(style, format!("{:.2} {closeness}", experience.relevance));
        let created = &experience.created_at;
        let age = match created.parse() {
            Ok(created) => self.words.ages.between(created, self.now),
            Err(_) => visible(created.get(..10).unwrap_or_default()),
        };
        let mut facts = vec![age, filled(self.words.seen, &[&experience.query_count])];
        facts.extend(experience.origin.as_deref().map(visible));
        if !experience.keywords.is_empty() {
            facts.push(visible(&experience.keywords.join(", ")));
        }
        facts.push(visible(short(&experience.id)));
        let facts = styled(DIM, format!(" · {}", facts.join(" · ")));
        format!("{relevance}{facts}")
    }

    /// Formats a field: its name in one column, its text in another.
    fn field(&self, label: &str, text: &str) -> String {
        let text = self.page.wrap(&visible(text), TEXT_COLUMN);
        let text = indented(&text, TEXT_COLUMN);
        let label = styled(DIM, pad_str(label, LABEL_WIDTH, Alignment::Left, None));
        format!("   {label} {text}\n")
    }

    /// Formats the parts of a relevance, and what else decides the record's position.
    fn score(&self, relevance: f64, parts: &RelevanceParts) -> String {
        let [relevance, lexical, semantic, fingerprint] =
            [relevance, parts.lexical, parts.semantic, parts.fingerprint]
                .map(|part| format!("{part:.4}"));
        let [popularity, recency, rank] =
            [parts.popularity, parts.recency, parts.rank].map(|part| format!("{part:.4}"));
        let made_of = filled(
            self.words.relevance,
            &[&relevance, &lexical, &semantic, &fingerprint],
        );
        let rank = filled(self.words.rank, &[&popularity, &recency, &rank]);
        format!("{made_of}\n{rank}")
    }
}
