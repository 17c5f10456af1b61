//! How often failing commands came to work again, with a recall and without one.

use maud::{Markup, html};
use recall_kit_core::experiences::insights::recalls;
use recall_kit_store::EpisodeCounts;

use super::View;
use crate::http::failure::Failure;

const MS_PER_MINUTE: f64 = 60_000.0;

/// Renders the episodes of the period.
pub(super) async fn recovery(view: View<'_>) -> Result<Markup, Failure> {
    let words = view.words();
    let found = recalls::recovery(view.insights, view.filter.days).await?;
    let is_empty = found.with_recall.episodes + found.without.episodes == 0;
    Ok(html! {
        section {
            (view.heading(words.recovery, words.recovery_hint, &[]))
            @if is_empty {
                p.empty { (words.recovery_empty) }
            } @else {
                div.wide tabindex="0" role="region" aria-label=(words.recovery) {
                    table {
                        thead { tr {
                            td {}
                            @for heading in words.recovery_columns { th scope="col" { (heading) } }
                        } }
                        tbody {
                            (row(words.with_recall, &found.with_recall))
                            (row(words.without_recall, &found.without))
                        }
                    }
                }
            }
        }
    })
}

/// Renders a row: how many episodes, how many recovered, and the means of those.
fn row(name: &str, counts: &EpisodeCounts) -> Markup {
    let percent = 100.0 * counts.recovered as f64 / counts.episodes.max(1) as f64;
    let mean = |sum: f64| match counts.recovered {
        0 => "–".to_owned(),
        recovered => format!("{:.1}", sum / recovered as f64),
    };
    html! {
        tr {
            th scope="row" { (name) }
            td.number { (counts.episodes) }
            td.number { (format!("{} ({percent:.0} %)", counts.recovered)) }
            td.number { (mean(counts.failures as f64)) }
            td.number { (mean(counts.commands as f64)) }
            td.number { (mean(counts.ms as f64 / MS_PER_MINUTE)) }
        }
    }
}
