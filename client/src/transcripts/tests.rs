//! Transcripts of every tool, and what becomes of them.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn debug_shows_sizes_alone() {
    let conversation = Conversation::read("User: the word is hunter\nAssistant: yes").unwrap();
    let shown = format!("{conversation:?} {:?}", conversation.turns());
    assert!(!shown.contains("hunter"), "{shown}");
    assert!(shown.contains("turns: 2"), "{shown}");
}
