//! Characters that are written as something else: escapes, entities, percent signs, lookalikes.

pub(super) mod entities;
pub(super) mod escapes;
pub(super) mod letters;
pub(super) mod percent;
