//! A run that cannot be done changes nothing, and what is stored already is not read again.

#![allow(clippy::unwrap_used)]
