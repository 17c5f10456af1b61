//! Experiences and entries: stored, found, ranked, counted.

pub(crate) mod applicability;
pub(crate) mod duplicates;
pub(crate) mod embeddings;
pub(crate) mod entries;
pub(crate) mod episodes;
pub(crate) mod idempotency;
pub(crate) mod invisible;
pub(crate) mod knowledge;
pub(crate) mod languages;
pub(crate) mod outcomes;
pub(crate) mod popularity;
pub(crate) mod recall;
pub(crate) mod records;
pub(crate) mod relevance;
pub(crate) mod search;
