//! The HTTP layer of the pages: addresses, forms, uploads, security headers, and error pages.

pub(crate) mod address;
pub(crate) mod failure;
pub(crate) mod form;
pub(crate) mod headers;
pub(crate) mod refusal;
pub(crate) mod upload;
