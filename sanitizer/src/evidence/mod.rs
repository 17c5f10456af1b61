//! Judges what was found: is it a secret, a person, a private host, or something harmless?

pub(crate) mod accounts;
pub(crate) mod addresses;
pub(crate) mod checksum;
pub(crate) mod chosen;
pub(crate) mod glance;
pub(crate) mod hosts;
pub(crate) mod keep;
pub(crate) mod machines;
pub(crate) mod mailboxes;
pub(crate) mod message;
pub(crate) mod nobody;
pub(crate) mod persons;
pub(crate) mod placeholder;
pub(crate) mod sites;
pub(crate) mod value;
pub(crate) mod word_set;
pub(crate) mod wordlike;
