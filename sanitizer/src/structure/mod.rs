//! Finds by surroundings: the key beside a value, the column above it, the prefix before it.

pub(crate) mod columns;
pub(crate) mod keyed;
pub(crate) mod literal;
pub(crate) mod mnemonic;
pub(crate) mod names;
pub(crate) mod prefixed;
pub(crate) mod syntax;
