//! Judges what may be a secret.

pub mod checksum;
pub mod chosen;
mod glance;
pub(crate) mod placeholder;
pub mod value;
