//! Judges what may name a host, a machine or an address.

pub mod addresses;
pub mod hosts;
pub mod machines;
pub mod sites;
