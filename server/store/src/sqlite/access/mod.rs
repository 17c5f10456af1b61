//! Who may come in: API keys and people.

pub(crate) mod api_keys;
pub(crate) mod people;
