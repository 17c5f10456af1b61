//! Which words are stemmed, and which are not.

use super::*;

#[test]
fn words_with_different_endings_become_one_term() {
    for words in [
        ["borrow", "borrowed", "borrowing"],
        ["connection", "connections", "connect"],
        ["retry", "retries", "retried"],
        ["process", "processes", "processing"],
    ] {
        let stems = words.map(|word| stemmed(word.to_owned()));
        assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        assert!(stems[0].starts_with(MARK));
    }
}

#[test]
fn terms_that_are_not_english_words_are_not_changed() {
    for term in [
        "of",
        "running_total",
        "e0502",
        "utf8",
        "größe",
        "réseaux",
        "配置",
        "git",
        "c++",
        "--force",
    ] {
        let result = stemmed(term.to_owned());
        assert_eq!(result.trim_start_matches(MARK), term);
    }
    assert_eq!(stemmed("because".to_owned()), "because", "a stop word");
    // The result is the same after the cache was cleared.
    for number in 0..2 * CACHE_SIZE {
        let word: String = format!("{number:06}")
            .bytes()
            .map(|b| char::from(b - b'0' + b'a'))
            .collect();
        stemmed(word);
    }
    assert_eq!(stemmed("borrowed".to_owned()), "\u{1f}borrow");
}
