//! Coding agents: configured by `init`, served by the client beside them, informed by hooks.

pub(crate) mod first_use;
pub(crate) mod hooks;
pub(crate) mod hosts;
pub(crate) mod npm;
pub(crate) mod questions;
pub(crate) mod runners;
pub(crate) mod served;
pub(crate) mod setup;
pub(crate) mod started;
