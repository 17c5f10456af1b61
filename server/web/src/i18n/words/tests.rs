//! Every language has all texts, with the same placeholders.

use recall_kit_i18n::Language;

use super::Words;

/// Returns every text of a language, in the order of the fields, read from its debug output.
fn texts(language: Language) -> Vec<String> {
    let debug = format!("{:?}", Words::of(language));
    debug
        .split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_language_lacks_a_text_or_a_placeholder() {
    let english = texts(Language::English);
    assert!(english.len() > 100, "{}", english.len());
    for language in Language::ALL {
        let other = texts(language);
        assert_eq!(other.len(), english.len(), "{language:?}");
        for (translation, original) in other.iter().zip(&english) {
            assert!(!translation.trim().is_empty(), "{language:?}: {original}");
            let placeholders = [translation, original].map(|text| text.matches("{}").count());
            assert_eq!(
                placeholders[0], placeholders[1],
                "{language:?}: {translation:?} for {original:?}"
            );
        }
    }
}
