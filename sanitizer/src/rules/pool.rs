//! What the matchers of the built-in rules have in common, as the build script writes it.

use crate::rules::shape::{Bytes, Pool, Set};

/// The sets of all matchers.
pub(crate) static POOL: Pool = include!(concat!(env!("OUT_DIR"), "/pool.rs"));
