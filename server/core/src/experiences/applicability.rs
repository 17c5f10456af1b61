//! How experiences fit the environment of the one who asks: what the call says of it, and the versions that the question
//! names.

use std::{collections::BTreeMap, sync::Arc};

use recall_kit_applicability::{Claim, Claims, Surroundings, surroundings_in};
use recall_kit_shared_types::applicability::{
    Applicability, ApplicabilityById, Applies, AppliesSource, Environment,
};
use recall_kit_store::StoreError;
use uuid::Uuid;

use super::Experiences;

/// Returns the environment of a question; `None` if nothing is known of it.
pub(crate) fn surroundings(
    experiences: &Experiences,
    question: &str,
    environment: &Environment,
) -> Option<Arc<Surroundings>> {
    let known = &experiences.records.source.applicability;
    // Without a number there is no version, and most questions have none.
    let has_number = question.bytes().any(|byte| byte.is_ascii_digit());
    let question = if has_number { question } else { "" };
    let named = known.with_vocabulary(|vocabulary| surroundings_in(question, vocabulary));
    // Both were read before, so that neither can be refused now.
    let mut surroundings = Surroundings::read(environment).unwrap_or_default();
    surroundings.merge(Surroundings::read(&named).unwrap_or_default());
    (!surroundings.is_empty()).then(|| Arc::new(surroundings))
}

/// Says how the results of a question fit the environment of the one who asks, by the id that the answer has for each.
/// Experiences of which nothing is known are left out.
pub fn applicability(
    experiences: &Experiences,
    (question, environment): (&str, &Environment),
    results: &[(Uuid, String)],
) -> ApplicabilityById {
    let Some(surroundings) = surroundings(experiences, question, environment) else {
        return ApplicabilityById::new();
    };
    let known = &experiences.records.source.applicability;
    results
        .iter()
        .filter_map(|(id, shown)| {
            let judgement = known.judge(*id, &surroundings)?;
            let applicability = Applicability {
                verdict: judgement.verdict,
                why: judgement.why,
            };
            Some((shown.clone(), applicability))
        })
        .collect()
}

/// Returns where the results of a question apply, by the id that the answer has for each, as far as that is known.
pub fn known_applies(
    experiences: &Experiences,
    results: &[(Uuid, String)],
) -> BTreeMap<String, Vec<Applies>> {
    let known = &experiences.records.source.applicability;
    let results = results.iter();
    let applies = results.filter_map(|(id, shown)| {
        let applies = known.claims(*id)?.to_wire();
        Some((shown.clone(), applies))
    });
    applies.collect()
}

/// Where an experience applies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppliesTo {
    /// Stated by its author, or read from its texts.
    pub stated: Vec<Applies>,
    /// Where it worked or failed, according to outcomes.
    pub observed: Vec<Applies>,
}

impl AppliesTo {
    /// Returns everything that is known.
    pub fn all(&self) -> Vec<Applies> {
        [self.stated.as_slice(), &self.observed].concat()
    }

    /// Returns what is known in this way, in words: `react <19`. What a later version of the program wrote and this one
    /// cannot read is left out.
    pub fn in_words(&self, source: AppliesSource) -> Vec<String> {
        let all = self.all();
        let claims = Claims::read_known(&all);
        // Texts say where their advice does not help; only reports have voices.
        let of = |claim: &&Claim| match (claim.source, claim.support) {
            (AppliesSource::Inferred, None) => source == AppliesSource::Stated,
            (known, _) => known == source,
        };
        let known = claims.iter().filter(of);
        known.map(Claim::to_string).collect()
    }
}

/// Returns where an experience applies, as it is stored.
///
/// *Errors*: those of the database.
pub(super) async fn applies(experiences: &Experiences, id: Uuid) -> Result<AppliesTo, StoreError> {
    let stored = experiences.store.applicability(&[id]).await?.pop();
    Ok(stored.map_or_else(AppliesTo::default, |stored| AppliesTo {
        stated: stored.applies,
        observed: stored.observed,
    }))
}
