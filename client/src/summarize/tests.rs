//! Drafts of conversations.

#![allow(clippy::unwrap_used)]
