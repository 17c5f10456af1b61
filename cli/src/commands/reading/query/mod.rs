//! `query`: searches for solved problems and prints them, best first.

#[cfg(test)]
mod tests;

use std::env;

use recall_kit_client::{
    FormattedExperience, Need, QueryRequest, QueryResults, RelevanceParts, outcomes::Standing,
    short_ids,
};

use super::{
    answered,
    card::{Layout, TEXT_COLUMN},
    report_nothing, warn_of,
};
use crate::{
    args::{GlobalArgs, QueryArgs},
    environment,
    terminal::printer::{DIM, Printer, styled},
    words::{Words, filled},
};

pub(crate) async fn run(
    global: &GlobalArgs,
    args: &QueryArgs,
    printer: &Printer,
) -> anyhow::Result<()> {
    let config = global.load_config(printer)?.config;
    let servers = global.servers(config.clone())?;
    let text = args.text.join(" ");
    let folder = env::current_dir().ok();
    let environment = environment::of(&config, folder, vec![text.clone()]).await;
    let words = Words::from_locale().results;
    if global.verbose > 0
        && let Some(kind) = Need::of(&text).problem_type
    {
        printer.info(&filled(words.about, &[&kind.label_like(&text)]));
    }
    let mut request = QueryRequest::from_text(text).with_environment(environment);
    request.limit = args.limit;
    request.offset = args.offset;
    request.parts = global.verbose > 0;
    let asking = servers.query(request);
    answered(&servers, asking, printer, |results| {
        if global.verbose > 0 && results.parts.is_none() {
            printer.info(words.no_parts);
        }
        show(results, args, printer)
    })
    .await
}

fn show(results: &QueryResults, args: &QueryArgs, printer: &Printer) -> anyhow::Result<()> {
    if printer.is_json() {
        printer.json(results)?;
        return Ok(());
    }
    warn_of(&results.unanswered, printer);
    let layout = Layout::of_stdout();
    let words = layout.words.results;
    if !results.found {
        match args.offset.unwrap_or(0) > 0 && results.total > 0 {
            true => printer.info(&filled(words.nothing_more, &[&results.total])),
            false => report_nothing(words.nothing_hint, printer),
        }
        return Ok(());
    }
    let ids: Vec<&str> = results
        .experiences
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    let experiences = results.experiences.iter().zip(short_ids(&ids));
    let first = args.offset.unwrap_or(0) as usize + 1;
    for (rank, (experience, id)) in (first..).zip(experiences) {
        let mut parts = results.parts.iter().flatten();
        let parts = parts.find(|parts| parts.id == experience.id);
        let standing = results.standings.get(&experience.id);
        printer.data(&layout.card(rank, experience, (id, standing), parts))?;
    }
    printer.info(&styled(
        DIM,
        filled(words.shown, &[&results.count, &results.total]),
    ));
    Ok(())
}

impl Layout {
    /// Formats one experience; `id` is the beginning of its id, `standing` what its outcomes add up to.
    fn card(
        &self,
        rank: usize,
        experience: &FormattedExperience,
        (id, standing): (&str, Option<&Standing>),
        parts: Option<&RelevanceParts>,
    ) -> String {
        let words = self.words.results;
        let mut card = self.heading(rank, &experience.title);
        let facts = self.facts_of(experience, id);
        card.push_str(&self.facts(Some(experience.relevance), &facts));
        card.push_str(&self.field(words.problem, &experience.problem));
        if let Some(cause) = &experience.root_cause {
            card.push_str(&self.field(words.cause, cause));
        }
        card.push_str(&self.field(words.solution, &experience.solution));
        if let Some(context) = &experience.context {
            card.push_str(&self.field(words.context, context));
        }
        let applies = Some(experience.applies.join(", ")).filter(|applies| !applies.is_empty());
        if let Some(fits) = experience.fits.as_ref().or(applies.as_ref()) {
            card.push_str(&self.field(words.applies, fits));
        }
        let standings = self.words.standings;
        if let Some(said) = standing.and_then(|one| standings.of(one, &words.ages)) {
            card.push_str(&self.field(standings.label, &said));
        }
        if let Some(parts) = parts {
            card.push_str(&self.field(words.score, &self.score(experience.relevance, parts)));
        }
        let code = experience.code.as_deref().unwrap_or_default();
        card.push_str(&self.code(code, TEXT_COLUMN));
        card
    }

    /// Returns the age, how often it was found, its server if there are several, its keywords and the beginning of
    /// its id.
    fn facts_of(&self, experience: &FormattedExperience, id: &str) -> Vec<String> {
        let mut facts = vec![
            self.age(&experience.created_at),
            filled(self.words.results.seen, &[&experience.query_count]),
        ];
        facts.extend(experience.origin.clone());
        facts.push(experience.keywords.join(", "));
        facts.push(id.to_owned());
        facts
    }

    /// Formats the parts of a relevance, and what else decides the record's position.
    fn score(&self, relevance: f64, parts: &RelevanceParts) -> String {
        let [relevance, lexical, semantic, fingerprint] =
            [relevance, parts.lexical, parts.semantic, parts.fingerprint]
                .map(|part| format!("{part:.4}"));
        let [popularity, recency, rank] =
            [parts.popularity, parts.recency, parts.rank].map(|part| format!("{part:.4}"));
        let made_of = filled(
            self.words.results.relevance,
            &[&relevance, &lexical, &semantic, &fingerprint],
        );
        let rank = filled(self.words.results.rank, &[&popularity, &recency, &rank]);
        format!("{made_of}\n{rank}")
    }
}
