//! What in a text can be the path of a file. Whether there is such a file is not said here.

/// The most bytes of a path.
const MAX_BYTES: usize = 400;
/// What separates words, besides white space.
const SEPARATORS: &str = "\"'`()[]{}<>,;|=*“”„‟«»‘’‹›（）【】《》「」『』，。、；：！？";
/// What stands behind a path at the end of a sentence.
const END: [char; 6] = ['.', ':', ',', ';', '!', '?'];
/// Names of files that have neither a folder nor an extension.
const NAMES: [&str; 9] = [
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "Jenkinsfile",
    "Justfile",
    "justfile",
    "Gemfile",
    "Rakefile",
    "Procfile",
];

/// Returns what can be a path, in the order of the text; some more than once.
pub(crate) fn in_text(text: &str) -> impl Iterator<Item = String> {
    text.lines().flat_map(|line| {
        // Only between backticks can a path have blanks and brackets.
        let quoted = line.split('`').skip(1).step_by(2).map(str::to_owned);
        let words = line.split(|c: char| c.is_whitespace() || SEPARATORS.contains(c));
        let words = words.filter(|word| !word.contains("://"));
        let words = words.flat_map(|word| {
            // In scripts without blanks, text stands right beside a path.
            let parts = word.split(|c: char| !is_usual(c));
            let parts = parts.filter(move |part| part.len() < word.len());
            std::iter::once(word).chain(parts).map(str::to_owned)
        });
        let found: Vec<String> = quoted.chain(words).collect();
        found.into_iter().filter_map(|word| path_of(&word))
    })
}

/// Whether a character is usual in a path: Latin letters, digits and a few signs.
fn is_usual(c: char) -> bool {
    let is_latin = c.is_alphanumeric() && c < '\u{250}';
    is_latin || "._-/\\+@#$~:".contains(c)
}

/// Returns the path that a word names, without a line number and without the end of a sentence.
fn path_of(word: &str) -> Option<String> {
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    let mut path = word.trim().trim_end_matches(END);
    // `src/pool.rs:12:5`
    while let Some((before, number)) = path.rsplit_once(':')
        && !number.is_empty()
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        path = before;
    }
    let path = path.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_extension = name
        .trim_start_matches('.')
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty());
    let can_be = path.contains('/') || has_extension || NAMES.contains(&path);
    let fits = (2..=MAX_BYTES).contains(&path.len()) && !name.is_empty();
    let has_letter = path.chars().any(char::is_alphabetic);
    (can_be && fits && has_letter).then(|| path.to_owned())
}
