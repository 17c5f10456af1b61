//! The use cases: what the server does, without SQL and without transports.

pub mod api_keys;
pub mod experiences;
pub mod indexing;
pub mod popularity;
pub mod validation;
pub mod vectors;
