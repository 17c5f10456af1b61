//! Finds by rules: a shape in the text, at the places of its anchors.

pub(crate) mod anchors;
mod check;
#[cfg(test)]
mod compile;
#[cfg(any(test, fuzzing))]
pub(crate) mod differential;
pub(crate) mod pool;
pub(crate) mod rule;
pub(crate) mod rule_set;
pub(crate) mod scan;
pub(crate) mod shape;
