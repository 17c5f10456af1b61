//! From a query's signals to a page of hits: the same for an index of all records and for candidates
//! that were found elsewhere.

pub(crate) mod formula;
pub(crate) mod fuse;
pub(crate) mod parts;
pub(crate) mod turns;

use super::{
    Allowed, Hit, Hits, IndexError, Language, Parts, Query,
    scope::Scope,
    text::{self, LeastScore, Lexical, QueryTerms, TextScore, TextScores},
    vectors::{self, Vectors},
};
use crate::{
    ranking::{
        formula::{Best, Candidate},
        fuse::{Asked, Cosines, Matches, OwnLanguage, Signals, Spread},
        turns::{Conversation, Sides},
    },
    storage::records::Records,
};

/// Records from which it pays to know what score still matters.
const PRUNED_FROM: usize = 5_000;
/// Halvings after which a score is known well enough.
const HALVINGS: usize = 16;

/// What is ranked.
pub(super) struct Ranking<'a> {
    pub(super) records: &'a Records,
    pub(super) vectors: &'a Vectors,
    /// Finds the words.
    pub(super) texts: &'a dyn Lexical,
    /// What stands for the vectors of all records, where those that are ranked are only some of them.
    pub(super) all: Option<Everything<'a>>,
    /// The records that exist for the query, where these are not all.
    pub(super) scope: Option<&'a Scope>,
}

/// What is known of the vectors and languages of all records.
#[derive(Clone, Copy)]
pub(super) struct Everything<'a> {
    /// Those of some, taken at random.
    pub(super) sample: &'a Vectors,
    /// The languages of these.
    pub(super) languages: &'a [Language],
    /// How many records have one.
    pub(super) count: u64,
}

impl Everything<'_> {
    /// Returns which share of the records is in a language, as far as the sample tells.
    fn share(&self, language: Language) -> f32 {
        let own = self.languages.iter().filter(|one| **one == language);
        own.count() as f32 / self.languages.len().max(1) as f32
    }
}

/// Room that a search works in, kept from one to the next: megabytes in a large index.
#[derive(Default)]
pub(super) struct Scratch {
    text: text::Scratch,
    cosines: Similarities,
    /// The same, raised by what surrounds the query.
    context: Similarities,
}

/// How alike a query is to records.
#[derive(Default)]
struct Similarities {
    /// By slot.
    of_slots: Vec<f32>,
    /// To the sample that stands for all, where there is one.
    of_sample: Vec<f32>,
}

impl Ranking<'_> {
    /// Answers a query; also says of each hit what places it, where that is wanted.
    pub(super) fn search(
        &self,
        query: &Query<'_>,
        scratch: &mut Scratch,
        parts: Option<&mut Vec<Parts>>,
    ) -> Result<Hits, IndexError> {
        let terms = QueryTerms::of(query.text);
        // Beside a cosine any score matters; among few records it takes longer to know which do.
        let any = |_, _| 0.0;
        // Which scores matter is known from the best record, which may be one that is not allowed.
        let is_pruned = query.embedding.is_none()
            && matches!(query.allowed, Allowed::Everything)
            && self.records.len() >= PRUNED_FROM;
        let least: LeastScore<'_> = if is_pruned { &least_score } else { &any };
        let Scratch {
            text,
            cosines,
            context,
        } = scratch;
        let mut scores = self.texts.score(&terms, least, text)?;
        cosines.of_slots.clear();
        if let Some(embedding) = query.embedding {
            self.compare(embedding, &scores, cosines);
        }
        let conversation = self.conversation(query, &scores, &cosines.of_slots);
        if let Some(conversation) = &conversation {
            conversation.blend(&mut cosines.of_slots);
            conversation.add_words(&mut scores);
        }
        let alone = query.embedding.map(|_| self.spread(cosines));
        let allows = |slot: u32| match (query.allowed, self.scope) {
            (Allowed::Everything, _) => true,
            (Allowed::Scope(_), Some(scope)) => scope.contains(slot),
            (Allowed::Scope(allows) | Allowed::Filter(allows), _) => {
                let record = self.records.get(slot);
                record.is_some_and(|record| allows(record.id))
            }
        };
        let is_open = matches!(query.allowed, Allowed::Everything);
        let allows = (!is_open).then_some(&allows as fuse::Allows<'_>);
        let is_own = |slot: u32| {
            let prior = self.records.prior(slot);
            prior.is_some_and(|prior| prior.language == query.language)
        };
        // Words are weighed against meaning only where there is some.
        let language =
            alone.and_then(|all| self.own_language(query.language, all.count(), &is_own));
        let asked = Asked {
            everyday: query.everyday,
            language,
            conversation: conversation.as_ref(),
            allows,
        };
        let matches_by = |cosines: Option<Cosines<'_>>| fuse::matches(&scores, cosines, &asked);
        let mut matches = matches_by(alone);
        if let (Some(_), Some(around)) = (alone, query.context) {
            self.compare(around, &scores, context);
            if let Some(conversation) = &conversation {
                conversation.blend(&mut context.of_slots);
            }
            fuse::add_context(&cosines.of_slots, &mut context.of_slots);
            fuse::add_context(&cosines.of_sample, &mut context.of_sample);
            matches = fuse::better_of(&matches, &matches_by(Some(self.spread(context))));
        }
        let page = self.page(query, &matches);
        if let Some(parts) = parts {
            let fingerprints = terms.fingerprints();
            let messages = self.texts.score(&fingerprints, &any, text)?;
            let signals = Signals {
                scores: &scores,
                fingerprints: &messages.scores,
                cosines: alone,
                everyday: query.everyday,
                language,
            };
            *parts = self.parts(&page, &signals, query.now);
        }
        text.scores = scores.scores;
        let hits = page.iter().map(|candidate| Hit {
            id: candidate.id,
            seq: candidate.seq,
            query_count: candidate.query_count,
            relevance: candidate.relevance,
        });
        Ok(Hits {
            hits: hits.collect(),
            total: matches.len() as u64,
        })
    }

    /// Returns the turns of conversations that can matter to a query; `None` where there are none.
    fn conversation(
        &self,
        query: &Query<'_>,
        scores: &TextScores,
        cosines: &[f32],
    ) -> Option<Conversation> {
        let turns = query.turns?;
        let exists = |slot: &u32| self.scope.is_none_or(|scope| scope.contains(*slot));
        let around = |slot: u32| -> Option<Sides> {
            let around = turns(self.records.get(slot)?.id);
            let slots = |ids: Vec<uuid::Uuid>| {
                let slots = ids.into_iter().map(|id| self.records.slot(id));
                slots.map(|slot| slot.filter(exists)).collect()
            };
            let sides = [slots(around.before), slots(around.after)];
            sides
                .iter()
                .any(|side: &Vec<_>| !side.is_empty())
                .then_some(sides)
        };
        let found = Conversation::of(&scores.scores, cosines, &around);
        (!found.is_empty()).then_some(found)
    }

    /// Compares an embedding with the records.
    fn compare(&self, embedding: &[f32], scores: &TextScores, found: &mut Similarities) {
        match self.scope {
            // Which cosines are exact must not depend on records outside.
            Some(scope) => {
                let inside = scope.slots();
                self.vectors.cosines(embedding, inside, &mut found.of_slots);
                scope.mask(&mut found.of_slots);
            }
            None => {
                let first = first_by_words(&scores.scores);
                self.vectors.cosines(embedding, first, &mut found.of_slots);
            }
        }
        if let Some(all) = self.all {
            let none = std::iter::empty();
            all.sample.cosines(embedding, none, &mut found.of_sample);
        }
    }

    /// Says which of the records that are `compared`, those with a vector, are in a language; `None` for
    /// one that is not known. The language of the others is not known.
    fn own_language<'a>(
        &self,
        language: Language,
        compared: f32,
        has: &'a dyn Fn(u32) -> bool,
    ) -> Option<OwnLanguage<'a>> {
        if !language.is_known() {
            return None;
        }
        let records = match (self.scope, self.all) {
            (Some(scope), _) => scope.slots().filter(|slot| has(*slot)).count() as f32,
            (None, Some(all)) => all.share(language) * compared,
            (None, None) => self.records.in_language(language) as f32,
        };
        Some(OwnLanguage {
            has,
            records,
            all: compared,
        })
    }

    /// Says how the cosines to all records lie.
    fn spread<'a>(&self, found: &'a Similarities) -> Cosines<'a> {
        match self.all {
            None => Cosines::of(&found.of_slots),
            Some(all) => {
                let count = all.count as f32;
                let sampled = Spread::of(&found.of_sample);
                Cosines::among(&found.of_slots, Spread { count, ..sampled })
            }
        }
    }

    /// Ranks what matches and returns the page that was asked for.
    fn page(&self, query: &Query<'_>, matches: &Matches) -> Vec<Candidate> {
        let mut best = Best::new(query.now, query.offset.saturating_add(query.limit));
        let mut least = f32::MIN;
        for (slot, standing) in matches.standings() {
            // Most stand too low, and neither their closeness nor their records are looked at.
            if standing < least {
                continue;
            }
            let closeness = matches.closeness(standing);
            let prior = self.records.prior(slot);
            if !prior.is_some_and(|prior| best.admits(closeness, prior)) {
                continue;
            }
            let Some(record) = self.records.get(slot) else {
                continue;
            };
            let rose = best.offer(Candidate {
                id: record.id,
                seq: record.seq,
                relevance: matches.relevance(standing),
                closeness,
                query_count: record.query_count,
                popularity: record.popularity,
                created_at: record.created_at,
            });
            if rose {
                least = matches.standing(best.least_closeness());
            }
        }
        best.after(query.offset)
    }

    /// Tells what places each record of a page.
    fn parts(&self, page: &[Candidate], signals: &Signals<'_>, now: i64) -> Vec<Parts> {
        let slots = page.iter().map(|candidate| self.records.slot(candidate.id));
        let slots: Vec<u32> = slots.map(|slot| slot.unwrap_or(u32::MAX)).collect();
        let shares = signals.shares(&slots);
        let parts = page.iter().zip(&shares);
        parts
            .map(|(candidate, shares)| Parts::of(candidate, shares, now))
            .collect()
    }
}

/// Returns the slots of the records with the highest scores.
fn first_by_words(scores: &[TextScore]) -> impl Iterator<Item = u32> {
    let sample = vectors::sampled(scores.iter().map(|found| found.score));
    let least = vectors::least_of_largest(sample, scores.len());
    let first = scores.iter().filter(move |found| found.score >= least);
    // Many may have the same score.
    first.map(|found| found.slot).take(2 * vectors::EXACT)
}

/// Returns the score below which a record that has not the whole query does not match by its words
/// alone, beside the best one: [`fuse`] says so, and what it says of a score it says of less.
pub(super) fn least_score(ideal: f32, best: Option<TextScore>) -> f32 {
    let mut scores = TextScores {
        scores: best.into_iter().collect(),
        ideal,
    };
    let place = scores.scores.len();
    scores.scores.push(TextScore {
        slot: u32::MAX,
        score: 0.0,
        exact: 0.0,
        is_whole: false,
    });
    let (mut below, mut above) = (0.0, ideal);
    for _ in 0..HALVINGS {
        let score = (below + above) / 2.0;
        if let Some(found) = scores.scores.get_mut(place) {
            found.score = score;
        }
        let matches = fuse::matches(&scores, None, &Asked::default());
        if matches.standings().any(|(slot, _)| slot == u32::MAX) {
            above = score;
        } else {
            below = score;
        }
    }
    below
}
