//! Access control: API keys, users, sessions and the audit list.

pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod sessions;
pub(crate) mod users;
pub(crate) mod waits;
