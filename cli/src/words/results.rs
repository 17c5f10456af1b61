//! The texts around the results of `query`, of `environment`, about outcomes, and about where experiences apply.

use jiff::Timestamp;
use recall_kit_client::{
    InvalidLine,
    outcomes::{Standing, StandingState},
};
use recall_kit_i18n::{Ages, Language, counted};

use super::filled;

/// The minimum relevance for each word in [`ResultWords::fits`] except the last. From 0.5 on, a record is more
/// likely an answer than not.
const FITS_FROM: [f64; 3] = [0.85, 0.5, 0.2];

/// The texts of `query`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultWords {
    pub(crate) nothing: &'static str,
    /// The hint if nothing was found.
    pub(crate) nothing_hint: &'static str,
    /// With `{}` for the total.
    pub(crate) nothing_more: &'static str,
    /// With `{}` for the number of shown records and for the total.
    pub(crate) shown: &'static str,
    pub(crate) problem: &'static str,
    pub(crate) cause: &'static str,
    pub(crate) solution: &'static str,
    pub(crate) context: &'static str,
    pub(crate) applies: &'static str,
    pub(crate) score: &'static str,
    /// How well a record fits, the best first; see [`ResultWords::closeness`].
    pub(crate) fits: [&'static str; 4],
    /// With `{}` for the number of times.
    pub(crate) seen: &'static str,
    pub(crate) ages: Ages,
    /// With `{}` for a server and the reason.
    pub(crate) unanswered: &'static str,
    /// With `{}` for the kind of problem.
    pub(crate) about: &'static str,
    /// If Ctrl-C ended it.
    pub(crate) dropped: &'static str,
    /// If a server does not return the parts of the relevance.
    pub(crate) no_parts: &'static str,
    /// With `{}` for a relevance and its lexical, semantic and fingerprint parts.
    pub(crate) relevance: &'static str,
    /// With `{}` for popularity, recency and rank.
    pub(crate) rank: &'static str,
    /// This and the next are shown beside the spinner.
    pub(crate) searching: &'static str,
    pub(crate) sending: &'static str,
}

impl ResultWords {
    /// Returns how well a record fits, in words.
    pub(crate) fn closeness(&self, relevance: f64) -> &'static str {
        let place = FITS_FROM.iter().position(|least| relevance >= *least);
        let [.., worst] = self.fits;
        let word = place.and_then(|place| self.fits.get(place));
        word.copied().unwrap_or(worst)
    }
}

/// The texts of `environment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnvironmentWords {
    /// With `{}` for relevant or off; also of `doctor`.
    pub(crate) setting: &'static str,
    /// Before what would be sent.
    pub(crate) sent: &'static str,
    /// If nothing would be.
    pub(crate) nothing: &'static str,
    /// Without a text, with `{}` for the number of public packages.
    pub(crate) could: &'static str,
    /// Before what stays.
    pub(crate) stays: &'static str,
    /// With `{}` for the number of packages and the reason.
    pub(crate) held: &'static str,
    /// The reasons why packages stay.
    pub(crate) other_registry: &'static str,
    pub(crate) git: &'static str,
    pub(crate) local: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) owner: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) not_mentioned: &'static str,
    pub(crate) too_many: &'static str,
    /// Before the files that were read, and those that do not count.
    pub(crate) files: &'static str,
    pub(crate) notes: &'static str,
}

/// The texts about outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StandingWords {
    /// The name of the field.
    pub(crate) label: &'static str,
    /// If the server has the outcome.
    pub(crate) reported: &'static str,
    /// If it does not move the experience among other results.
    pub(crate) not_counted: &'static str,
    /// This and the next two with `{}` for the number of times.
    pub(crate) worked: &'static str,
    pub(crate) worked_with_changes: &'static str,
    pub(crate) did_not_work: &'static str,
    /// With `{}` for the age.
    pub(crate) last: &'static str,
    /// One, and with `{}` for several.
    pub(crate) people: [&'static str; 2],
    /// This and the next two are states.
    pub(crate) ageing: &'static str,
    pub(crate) stale: &'static str,
    pub(crate) contested: &'static str,
}

impl StandingWords {
    /// Returns what outcomes add up to; `None` if nobody said whether the experience helped.
    pub(crate) fn of(&self, standing: &Standing, ages: &Ages) -> Option<String> {
        let counts = [
            (self.worked, standing.worked),
            (self.worked_with_changes, standing.worked_with_changes),
            (self.did_not_work, standing.did_not_work),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let mut parts: Vec<String> = counts
            .map(|(text, count)| filled(text, &[&count]))
            .collect();
        if parts.is_empty() {
            return None;
        }
        if let Ok(last) = standing.last_at.parse() {
            parts.push(filled(self.last, &[&ages.between(last, Timestamp::now())]));
        }
        parts.push(counted(self.people, standing.voices));
        parts.extend(match standing.state {
            StandingState::New | StandingState::Fresh => None,
            StandingState::Ageing => Some(self.ageing.to_owned()),
            StandingState::Stale => Some(self.stale.to_owned()),
            StandingState::Contested => Some(self.contested.to_owned()),
        });
        Some(parts.join(", "))
    }
}

/// The texts about where an experience applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AppliesWords {
    /// The language of what is wrong with a line.
    pub(crate) language: Language,
    /// Label of the list.
    pub(crate) label: &'static str,
    /// Says in a form what to write there, and what nothing means.
    pub(crate) hint: &'static str,
    /// Replaces the list if a person emptied it.
    pub(crate) nothing: &'static str,
    /// With `{}` for a line and for what is wrong with it.
    pub(crate) wrong: &'static str,
    /// This and the next two with `{}` for lines: those in which the sanitizer found something, those that an agent
    /// stated and that may be private, and those that were not sent for that.
    pub(crate) left_out: &'static str,
    pub(crate) maybe_private: &'static str,
    pub(crate) not_sent: &'static str,
}

impl AppliesWords {
    /// Returns what is wrong with a line.
    pub(crate) fn message(&self, error: &InvalidLine) -> String {
        let problem = error.problem.in_language(self.language);
        filled(self.wrong, &[&error.line, &problem])
    }
}
