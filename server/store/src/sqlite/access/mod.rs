//! Access control: API keys and users.

pub(crate) mod api_keys;
pub(crate) mod people;
