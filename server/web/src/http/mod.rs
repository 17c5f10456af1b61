//! What comes in and goes out over HTTP: addresses, forms, uploads, safety headers, and failures.

pub(crate) mod address;
pub(crate) mod failure;
pub(crate) mod form;
pub(crate) mod headers;
pub(crate) mod refusal;
pub(crate) mod upload;
