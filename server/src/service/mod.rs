//! The use cases: what the server does, without SQL and without transports.

pub mod experiences;
pub mod indexing;
pub mod popularity;
pub mod row_cache;
pub mod validation;
pub mod vectors;
