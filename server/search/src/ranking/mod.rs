//! Turns a query's signals into a page of hits, for an index of all records and for candidates that a database
//! found.

pub(crate) mod alternatives;
pub(crate) mod factors;
pub(crate) mod formula;
pub(crate) mod fuse;
pub(crate) mod parts;
pub(crate) mod turns;

use super::{
    Allowed, Hit, Hits, IndexError, Language, Parts, Query,
    query_terms::QueryTerms,
    scope::Scope,
    text::{self, LeastScore, Lexical, TextScore, TextScores},
    vectors::{self, Vectors},
};
use crate::{
    ranking::{
        factors::Placement,
        formula::{Best, Candidate},
        fuse::{Cosines, MatchOptions, Matches, OwnLanguage, Signals, Spread},
        turns::{Conversation, Sides},
    },
    storage::records::Records,
};

/// The number of records from which computing the least score that matters pays off.
const PRUNED_FROM: usize = 5_000;
/// Bisection steps after which a score is precise enough.
const HALVINGS: usize = 16;

/// The data that a search ranks.
pub(super) struct Ranking<'a> {
    pub(super) records: &'a Records,
    pub(super) vectors: &'a Vectors,
    /// Finds and scores the words.
    pub(super) texts: &'a dyn Lexical,
    /// A sample of all records, if the ranked records are only some of them.
    pub(super) all: Option<AllRecords<'a>>,
    /// The records that exist for the query, if that is not all of them.
    pub(super) scope: Option<&'a Scope>,
}

/// What is known of the vectors and languages of all records.
#[derive(Clone, Copy)]
pub(super) struct AllRecords<'a> {
    /// The vectors of a random sample.
    pub(super) sample: &'a Vectors,
    /// The languages of the sample.
    pub(super) languages: &'a [Language],
    /// The number of records that have a vector.
    pub(super) count: u64,
}

impl AllRecords<'_> {
    /// Returns the share of the records that is in a language, estimated from the sample.
    fn share(&self, language: Language) -> f32 {
        let own = self.languages.iter().filter(|one| **one == language);
        own.count() as f32 / self.languages.len().max(1) as f32
    }
}

/// Buffers of a search, reused from one search to the next: megabytes in a large index.
#[derive(Default)]
pub(super) struct Scratch {
    text: text::Scratch,
    cosines: Similarities,
    /// The same, raised by the cosines to the query's context.
    context: Similarities,
}

/// A query's cosines to records.
#[derive(Default)]
struct Similarities {
    /// By slot.
    of_slots: Vec<f32>,
    /// To the records of the sample, if there is one.
    of_sample: Vec<f32>,
}

impl Ranking<'_> {
    /// Searches; also fills `parts` with what each hit's rank consists of, if it is `Some`.
    pub(super) fn search(
        &self,
        query: &Query<'_>,
        scratch: &mut Scratch,
        parts: Option<&mut Vec<Parts>>,
    ) -> Result<Hits, IndexError> {
        let terms = QueryTerms::of(query.text);
        // With cosines every score matters; among few records, finding out which do takes longer than it saves.
        let any = |_, _| 0.0;
        // Which scores matter follows from the best record, and that may be one that is not allowed.
        let is_pruned = query.embedding.is_none()
            && !terms.is_build_output()
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
        // Chance matches are only discounted beside cosines.
        let language =
            alone.and_then(|all| self.own_language(query.language, all.count(), &is_own));
        let options = MatchOptions {
            everyday: query.everyday,
            language,
            conversation: conversation.as_ref(),
            allows,
            is_build_output: terms.is_build_output(),
        };
        let matches_by = |cosines: Option<Cosines<'_>>| fuse::matches(&scores, cosines, &options);
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

    /// Returns the turns of conversations that can matter to a query; `None` if there are none.
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

    /// Computes the cosines of an embedding to the records.
    fn compare(&self, embedding: &[f32], scores: &TextScores, found: &mut Similarities) {
        match self.scope {
            // Which cosines are exact must not depend on records outside the scope.
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

    /// Returns which of the records with a vector, of which there are `compared`, are in a language; `None` for
    /// an unknown language. The language of records without a vector is not known.
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

    /// Returns the cosines with the statistics over all records.
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

    /// Ranks the matches and returns the requested page.
    fn page(&self, query: &Query<'_>, matches: &Matches) -> Vec<Candidate> {
        let placement = Placement::by(query.factors);
        let fit = query.factors.and_then(|factors| factors.fit);
        let looked_at = fit.map_or(0, |_| alternatives::LOOKED_AT);
        let last = query.offset.saturating_add(query.limit);
        let mut best = Best::new(query.now, last.max(looked_at));
        let mut least = f32::MIN;
        for (slot, order_score) in matches.order_scores() {
            // Most have too low a score: their closeness and their records need not be read.
            if order_score < least {
                continue;
            }
            let closeness = matches.closeness(order_score);
            let prior = self.records.prior(slot);
            let most = closeness * placement.most;
            if !prior.is_some_and(|prior| best.admits(most, prior)) {
                continue;
            }
            let Some(record) = self.records.get(slot) else {
                continue;
            };
            let relevance = matches.relevance(order_score);
            let (closeness, placed_by) = placement.place(record.id, relevance, closeness);
            let rose = best.offer(Candidate {
                id: record.id,
                seq: record.seq,
                relevance,
                placed_by,
                closeness,
                query_count: record.query_count,
                popularity: record.popularity,
                created_at: record.created_at,
            });
            if rose {
                least = matches.order_score(best.least_closeness() / placement.most);
            }
        }
        let mut best = best.all();
        if let Some(fit) = fit {
            let embedding = |id| self.vectors.first_passage(self.records.slot(id)?);
            alternatives::reorder(&mut best, query.now, fit, embedding);
        }
        best.truncate(last);
        best.drain(..query.offset.min(best.len()));
        best
    }

    /// Returns what the rank of each record of a page consists of.
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

/// Returns the score below which a record that lacks a term of the query does not match by its words alone,
/// beside the best record: if [`fuse`] rejects a score, it rejects all lower ones.
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
        has_all_terms: false,
    });
    let (mut below, mut above) = (0.0, ideal);
    for _ in 0..HALVINGS {
        let score = (below + above) / 2.0;
        if let Some(found) = scores.scores.get_mut(place) {
            found.score = score;
        }
        let matches = fuse::matches(&scores, None, &MatchOptions::default());
        if matches.order_scores().any(|(slot, _)| slot == u32::MAX) {
            above = score;
        } else {
            below = score;
        }
    }
    below
}
