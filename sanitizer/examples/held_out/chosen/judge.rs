//! Says whether a sanitized text is right.

use super::compose::Sample;
use super::disguise::view;

/// Characters of a secret that must not stand together any more.
const WINDOW: usize = 4;
/// Of scripts in which a name has two or three characters.
const WINDOW_OF_SYLLABLES: usize = 2;

/// Stands where something was removed; a window of a secret may happen to stand in it.
const REPLACEMENTS: &str =
    "user@example.com host.example.com YOUR_PASSWORD YOUR_API_KEY YOUR_TOKEN";

/// What is wrong with a sanitized text, if something is.
pub(crate) fn wrong(sample: &Sample<'_>, clean: &str) -> Option<&'static str> {
    if sample.frame.harmless {
        return (clean != sample.text).then_some("changed");
    }
    let texts = [
        (clean.to_owned(), sample.rest.clone()),
        (view(clean), view(&sample.rest)),
    ];
    let stands = |secret: &String| {
        windows(secret).any(|window| {
            let more = |(clean, rest): &(String, String)| {
                clean.matches(&window).count() > rest.matches(&window).count()
            };
            !REPLACEMENTS.contains(&window) && texts.iter().any(more)
        })
    };
    if sample.secrets.iter().any(stands) {
        return Some("left");
    }
    let gone = |kept: &String| !clean.contains(kept.as_str());
    sample.kept.iter().any(gone).then_some("harmed")
}

/// The pieces of a secret none of which may still stand in the text.
fn windows(secret: &str) -> impl Iterator<Item = String> {
    let words = secret.split(|one: char| one.is_whitespace() || one == ',');
    words.flat_map(|word| {
        let all: Vec<char> = word.chars().collect();
        let number = word.chars().all(|one| one.is_ascii_digit() || one == '.');
        let syllables = all.iter().any(|one| *one >= '\u{2e80}');
        let window = match (number, syllables) {
            (true, _) => all.len(),
            (_, true) => WINDOW_OF_SYLLABLES.min(all.len()),
            (_, false) => WINDOW.min(all.len()),
        };
        // An initial or a particle alone says nothing.
        let short = all.len() < 3 && !syllables;
        let count = if short { 0 } else { all.len() + 1 - window };
        (0..count).map(move |start| all[start..start + window].iter().collect())
    })
}
