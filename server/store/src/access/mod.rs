//! Access control data as it is stored: API keys, users, and the projects they are limited to.

pub(crate) mod api_keys;
pub(crate) mod people;
pub(crate) mod projects;
