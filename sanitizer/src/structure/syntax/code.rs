//! Tells a line of a program from one of a configuration or of prose.

/// Words that begin a line of a program.
const WORDS: &[&str] = &[
    "let",
    "const",
    "var",
    "return",
    "import",
    "from",
    "fn",
    "func",
    "def",
    "class",
    "if",
    "for",
    "while",
    "else",
    "elif",
    "self",
    "this",
    "struct",
    "enum",
    "interface",
    "type",
    "pub",
    "public",
    "private",
    "protected",
    "static",
    "final",
    "function",
    "async",
    "await",
    "try",
    "except",
    "catch",
    "raise",
    "throw",
    "with",
    "use",
    "package",
    "module",
    "impl",
    "match",
    "case",
    "switch",
    "assert",
    "print",
    "end",
    "do",
    "begin",
    "my",
    "our",
    "local",
    "val",
    "export",
    "yield",
    "lambda",
    "super",
    "new",
    "del",
    "pass",
    "elsif",
    "unless",
    "then",
    "fi",
    "done",
    "echo",
];

/// `chpasswd: { expire: false }`: a mapping of YAML in one line.
fn is_flow(line: &str) -> bool {
    line.split_once(": {").is_some_and(|(name, rest)| {
        !name.is_empty()
            && name
                .trim_start_matches("- ")
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            && !rest.contains(['(', '=', ';'])
    })
}

/// `client ap1 {`: words and a bracket, as configurations of daemons group their settings.
fn opens_a_section(line: &str) -> bool {
    let Some(words) = line.strip_suffix(" {") else {
        return false;
    };
    words.starts_with(|c: char| c.is_ascii_lowercase())
        && words.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_' | b'-' | b'.' | b'"' | b'/')
        })
        && words.split(' ').count() <= 3
        && !words.split(' ').any(|word| WORDS.contains(&word))
}

/// Whether a line is one of a program: it begins with a keyword or ends with the punctuation of one.
pub(super) fn is_code(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with(['#', '*']) || line.starts_with("//") || line.starts_with("--") {
        return false;
    }
    // A link of Markdown, a block of a configuration: `client ap1 {`.
    if line.starts_with('[') && line.contains("](") || opens_a_section(line) {
        return false;
    }
    let template = line.ends_with('}') && (line.contains("${") || is_flow(line));
    if line.ends_with([';', '{', '}', '(', ')']) && !template
        || line.starts_with(['@', '}', ')'])
        || line.starts_with('$') && !line.starts_with("$ ")
    {
        return true;
    }
    let called = line
        .bytes()
        .zip(line.bytes().skip(1))
        .any(|(before, at)| at == b'(' && (before.is_ascii_alphanumeric() || before == b'_'));
    let word = line
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    let goes_on = line.get(word.len()..).is_some_and(|rest| {
        rest.starts_with([' ', '.', '(']) && !rest.starts_with(" =") && !rest.starts_with(" :")
    });
    // "my" and "our" declare in Perl, before a sigil, and begin sentences elsewhere.
    let declares = !matches!(word, "my" | "our")
        || line
            .get(word.len()..)
            .is_some_and(|rest| rest.trim_start().starts_with(['$', '@', '%', '(']));
    called || WORDS.contains(&word) && goes_on && declares
}
