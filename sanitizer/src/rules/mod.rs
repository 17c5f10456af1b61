//! Finds by rules: a shape in the text, at the places of its anchors.

pub(crate) mod anchors;
pub(crate) mod rule;
pub(crate) mod rule_set;
pub(crate) mod scan;
pub(crate) mod shape;
