//! Every language says everything, with as much to fill in.

use super::{Language, Words};

/// Every text of a language, in the order of the fields, read from its debug form.
fn texts(language: Language) -> Vec<String> {
    let shown = format!("{:?}", Words::of(language));
    shown
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_language_lacks_a_word_or_a_place_to_fill_in() {
    let english = texts(Language::English);
    assert!(english.len() > 100, "{}", english.len());
    for language in Language::ALL {
        let other = texts(language);
        assert_eq!(other.len(), english.len(), "{language:?}");
        for (theirs, ours) in other.iter().zip(&english) {
            assert!(!theirs.trim().is_empty(), "{language:?}: {ours}");
            let filled = [theirs, ours].map(|text| text.matches("{}").count());
            assert_eq!(
                filled[0], filled[1],
                "{language:?}: {theirs:?} for {ours:?}"
            );
        }
    }
}
