//! Judges what the sanitizer found: is it a secret, a person, a private host, or something harmless?
//!
//! A judgement reads words, lists and shapes, and nothing but the text it is given. Rules and scanning are in
//! `recall-kit-sanitizer`. Modules use those above them, never those below:
//!
//! | module | has |
//! |---|---|
//! | [`text`] | cuts at character boundaries |
//! | [`words`] | words in names, sets of words, words of sentences |
//! | [`keep`] | what is public, generic or a placeholder (`lists/keep.toml`) |
//! | [`keys`] | names of keys: what the value behind one is |
//! | [`secrets`] | passwords, tokens, codes, placeholders, checksums |
//! | [`places`] | hosts, machines, addresses, sites |
//! | [`people`] | persons, accounts, mailboxes |

pub mod keep;
pub mod keys;
pub mod people;
pub mod places;
pub mod secrets;
pub mod text;
pub mod words;
