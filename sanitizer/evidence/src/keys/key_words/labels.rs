//! The labels in other languages that name a secret, a user or a person.
//!
//! Labels are no names of programs: the whole label is the key. Cyrillic and accented letters are found in
//! the case they have here.

mod persons_asian;
mod persons_latin;
mod persons_others;
mod persons_russian;
mod secrets;
mod users;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::keys::key::{PERSON, SecretKey, USER};

/// How labels are told apart at first: by so many bytes. None is shorter.
const HEAD: usize = 3;

/// A label and what it names.
type Label = (&'static str, SecretKey);

/// Every label and what it names.
pub fn labels() -> impl Iterator<Item = Label> {
    let users = users::USERS.iter().map(|label| (*label, USER));
    let persons = [
        persons_latin::LATIN,
        persons_others::OTHERS,
        persons_russian::RUSSIAN,
        persons_asian::ASIAN,
    ];
    let persons = persons.into_iter().flatten().map(|label| (*label, PERSON));
    secrets::SECRETS.iter().copied().chain(users).chain(persons)
}

/// The longest label that a text begins with.
pub fn label_at(text: &str) -> Option<Label> {
    static CELL: OnceLock<HashMap<[u8; HEAD], Vec<Label>>> = OnceLock::new();
    let by_head = CELL.get_or_init(|| {
        let mut by_head = HashMap::<_, Vec<_>>::new();
        for (label, named) in labels() {
            if let Some(head) = head(label) {
                by_head.entry(head).or_default().push((label, named));
            }
        }
        by_head
    });
    let begins = |(label, _): &&(&str, SecretKey)| {
        text.get(..label.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(label))
    };
    let labels = by_head.get(&head(text)?)?.iter().filter(begins);
    labels.max_by_key(|(label, _)| label.len()).copied()
}

/// Whether a text is a label rather than what stands behind one.
pub(crate) fn is_label(text: &str) -> bool {
    label_at(text).is_some_and(|(label, _)| label.len() == text.len())
}

fn head(text: &str) -> Option<[u8; HEAD]> {
    let head = text.as_bytes().first_chunk::<HEAD>()?;
    Some(head.map(|byte| byte.to_ascii_lowercase()))
}
