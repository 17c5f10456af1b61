//! What the program does besides serving.

pub(crate) mod keys;
