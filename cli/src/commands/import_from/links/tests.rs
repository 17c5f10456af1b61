//! What an id or a title refers to.

use super::{Linkable, References, pairs};

fn entry(id: &str, title: &str, related: &[&str]) -> Linkable {
    Linkable {
        stored_as: id.to_uppercase(),
        references: References {
            id: id.to_owned(),
            title: title.to_owned(),
            related: related.iter().map(|it| (*it).to_owned()).collect(),
        },
    }
}

fn linked(entries: &[Linkable]) -> Vec<String> {
    let pairs = pairs(entries).into_iter();
    pairs.map(|(a, b)| format!("{a} {b}")).collect()
}

#[test]
fn an_id_comes_before_a_title_and_each_pair_is_linked_once() {
    let entries = [
        entry("a", "b", &["b", "itself", "nowhere"]),
        entry("b", "itself", &["a", "b"]),
        entry("c", "other", &["itself"]),
    ];
    assert_eq!(linked(&entries), ["A B", "B C"]);
}

#[test]
fn a_repeated_title_means_the_nearest_record_and_nothing_if_that_is_not_clear() {
    let entries = [
        entry("x/one", "Queue", &[]),
        entry("y/two", "Queue", &[]),
        entry("x/a", "A", &["Queue"]),
        entry("y/deep/b", "B", &["Queue"]),
        entry("z/c", "C", &["Queue"]),
    ];
    assert_eq!(linked(&entries), ["X/A X/ONE", "Y/DEEP/B Y/TWO"]);
    let same_folder = [
        entry("x/one", "Queue", &[]),
        entry("x/two", "Queue", &[]),
        entry("x/a", "A", &["Queue"]),
    ];
    assert!(linked(&same_folder).is_empty());
}
