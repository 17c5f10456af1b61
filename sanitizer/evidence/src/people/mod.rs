//! Judges what may name a person.

pub mod accounts;
pub mod mailboxes;
mod nobody;
pub mod persons;
pub mod users;
