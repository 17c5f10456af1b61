//! Records as they leave a database and come into another one: whole, with everything kept.

use super::Experience;

/// A record with its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredExperience {
    /// The record.
    pub experience: Experience,
    /// Its quantised embedding, when it has one of the model in question.
    pub vector: Option<Vec<u8>>,
}

/// What became of an imported record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// It was stored.
    Stored,
    /// A record with its id was there already, this one, and was left alone.
    Existing(Box<Experience>),
}
