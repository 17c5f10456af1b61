//! The client program at a terminal.

pub(crate) mod canaries;
pub(crate) mod citations;
pub(crate) mod environment;
pub(crate) mod failures;
pub(crate) mod keys;
pub(crate) mod languages;
pub(crate) mod query;
pub(crate) mod reading;
pub(crate) mod sanitize;
pub(crate) mod sdks;
pub(crate) mod setup;
pub(crate) mod several_servers;
pub(crate) mod submit;
pub(crate) mod summaries;
pub(crate) mod trust;
