//! Rephrases a heading with a table of synonyms, so that the result is the same in every run.

/// Words that are left out.
const STOP_WORDS: &[&str] = &[
    "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "with", "by", "from", "at", "as",
    "is", "are", "be", "it", "its", "this", "that", "how", "what", "why", "when", "your", "our",
    "you", "we", "their", "vs", "via", "into",
];

/// Words and their replacements.
const SYNONYMS: &[(&str, &str)] = &[
    ("adding", "including"),
    ("advanced", "complex"),
    ("allocation", "reserving memory"),
    ("arguments", "parameters"),
    ("attribute", "annotation"),
    ("attributes", "annotations"),
    ("authentication", "login"),
    ("available", "existing"),
    ("basic", "simple"),
    ("behavior", "what happens"),
    ("build", "compile"),
    ("building", "compiling"),
    ("calling", "invoking"),
    ("catching", "handling"),
    ("changes", "differences"),
    ("changing", "modifying"),
    ("checking", "verifying"),
    ("choosing", "deciding"),
    ("cleanup", "tidying up"),
    ("code", "source"),
    ("command", "instruction"),
    ("commands", "instructions"),
    ("comparing", "telling apart"),
    ("concurrency", "parallelism"),
    ("configuration", "settings"),
    ("configuring", "setting up"),
    ("controlling", "steering"),
    ("converting", "turning into"),
    ("creating", "making"),
    ("custom", "own"),
    ("debugging", "finding bugs"),
    ("declaring", "stating"),
    ("defining", "declaring"),
    ("definitions", "declarations"),
    ("dependencies", "required packages"),
    ("deprecated", "obsolete"),
    ("description", "explanation"),
    ("details", "specifics"),
    ("different", "various"),
    ("directory", "folder"),
    ("disabling", "turning off"),
    ("enabling", "turning on"),
    ("environment", "process environment"),
    ("error", "failure"),
    ("errors", "failures"),
    ("example", "sample"),
    ("examples", "samples"),
    ("executing", "running"),
    ("expressions", "formulas"),
    ("extending", "adding to"),
    ("external", "outside"),
    ("features", "capabilities"),
    ("files", "documents on disk"),
    ("finding", "searching"),
    ("fixing", "repairing"),
    ("formatting", "layout"),
    ("functions", "procedures"),
    ("getting", "obtaining"),
    ("global", "program-wide"),
    ("guide", "tutorial"),
    ("handling", "dealing with"),
    ("implementing", "writing"),
    ("improving", "making better"),
    ("initialization", "setting up"),
    ("inputs", "what goes in"),
    ("installation", "setup"),
    ("installing", "setting up"),
    ("introduction", "overview"),
    ("keys", "names"),
    ("list", "sequence"),
    ("limitations", "restrictions"),
    ("loading", "reading in"),
    ("management", "administration"),
    ("managing", "administering"),
    ("multiple", "several"),
    ("mutable", "changeable"),
    ("names", "identifiers"),
    ("new", "recent"),
    ("notes", "remarks"),
    ("object", "instance"),
    ("objects", "instances"),
    ("operations", "actions"),
    ("optional", "not required"),
    ("options", "flags"),
    ("output", "result"),
    ("overriding", "replacing"),
    ("overview", "summary"),
    ("parsing", "reading"),
    ("paths", "locations"),
    ("performance", "speed"),
    ("printing", "displaying"),
    ("publishing", "releasing"),
    ("raising", "throwing"),
    ("reading", "loading"),
    ("references", "pointers"),
    ("removing", "deleting"),
    ("removed", "deleted"),
    ("requirements", "prerequisites"),
    ("resolution", "resolving"),
    ("returning", "giving back"),
    ("rules", "conventions"),
    ("running", "executing"),
    ("scope", "visibility"),
    ("selecting", "choosing"),
    ("setting", "configuring"),
    ("setup", "installation"),
    ("specifying", "naming"),
    ("standard", "builtin"),
    ("statement", "command"),
    ("statements", "commands"),
    ("storing", "keeping"),
    ("strings", "text"),
    ("supported", "possible"),
    ("syntax", "grammar"),
    ("testing", "trying out"),
    ("troubleshooting", "solving problems"),
    ("understanding", "learning"),
    ("updating", "refreshing"),
    ("usage", "use"),
    ("using", "working with"),
    ("values", "contents"),
    ("variables", "named values"),
    ("version", "release"),
    ("versions", "releases"),
    ("warnings", "cautions"),
    ("working", "dealing"),
    ("writing", "authoring"),
];

/// Returns a heading without stop words, with every word replaced that is in the table.
pub(crate) fn heading(heading: &str) -> String {
    let replaced = words(heading).map(|word| {
        let lower = word.to_lowercase();
        let other = SYNONYMS.iter().find(|(known, _)| *known == lower);
        other.map_or(word, |(_, other)| other)
    });
    replaced.collect::<Vec<&str>>().join(" ")
}

/// Returns the number of words of a heading that are not stop words.
pub(crate) fn content_words(heading: &str) -> usize {
    let named =
        words(heading).filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2);
    named.count()
}

/// Returns the words without stop words and section numbers.
fn words(heading: &str) -> impl Iterator<Item = &str> {
    heading.split_whitespace().filter(|word| {
        let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        !is_number && !STOP_WORDS.contains(&word.to_lowercase().as_str())
    })
}
