//! English prose around versions: verbs of release notes, units, and words that are no names.

use super::super::names::is_common;

/// Returns whether a word is a verb by which notes on a release tell of a change: "sanitizes", "disallowed".
pub(in super::super) fn is_verb_of_change(word: &str) -> bool {
    const OTHERS: [&str; 10] = [
        "allows",
        "does",
        "exposes",
        "has",
        "is",
        "leaks",
        "lacks",
        "mishandles",
        "was",
        "permits",
    ];
    let verb = word.len() > 3 && (word.ends_with('s') || word.ends_with("ed"))
        || matches!(word, "prevent" | "disallow");
    verb && word.bytes().all(|b| b.is_ascii_lowercase()) && !OTHERS.contains(&word)
}

/// Nouns behind a number that counts them.
pub(in super::super) const UNITS: &[&str] = &[
    "times",
    "time",
    "ms",
    "s",
    "sec",
    "seconds",
    "second",
    "minutes",
    "minute",
    "hours",
    "hour",
    "days",
    "day",
    "gb",
    "mb",
    "kb",
    "instances",
    "instance",
    "workers",
    "threads",
    "cores",
    "files",
    "errors",
    "tests",
    "modules",
    "replicas",
    "nodes",
    "containers",
    "processes",
    "lines",
    "bytes",
    "pods",
    "dimensional",
    "d",
    "steps",
    "items",
    "rows",
    "columns",
    "characters",
    "users",
    "ways",
    "examples",
    "jobs",
    "years",
    "months",
    "weeks",
    "percent",
    "projects",
    "repositories",
    "services",
    "machines",
    "clients",
    "servers",
    "calls",
    "retries",
    "attempts",
    "warnings",
    "images",
    "pages",
    "points",
    "bit",
    "bits",
];

/// Returns whether a word in lower case is prose, so that the versions behind it need not be its own.
pub(in super::super) fn is_ordinary(word: &str, versioned: bool) -> bool {
    const ENDINGS: [&str; 14] = [
        "ed", "ing", "ly", "able", "tion", "sion", "ment", "ity", "ness", "ure", "ack", "ow",
        "ies", "ability",
    ];
    is_common(word)
        || !versioned && word.contains(|c: char| !c.is_ascii())
        || ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Returns whether a word looks like a name rather than like prose.
pub(in super::super) fn is_name_like(word: &str) -> bool {
    let generic = matches!(
        word,
        "Version" | "Versions" | "All" | "Affected" | "Release" | "The" | "In" | "A"
    );
    !generic
        && (word.contains(|c: char| c.is_ascii_digit() || "-_.@/".contains(c))
            || word.starts_with(char::is_uppercase))
}

/// Returns whether a word is about security, so that a release that mentions it cures something.
pub(in super::super) fn is_about_security(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    const STEMS: [&str; 13] = [
        "cve-",
        "ghsa-",
        "secur",
        "insecur",
        "vulnerab",
        "exploit",
        "attack",
        "injection",
        "sanitiz",
        "malicious",
        "traversal",
        "credential",
        "hijack",
    ];
    STEMS.iter().any(|stem| word.starts_with(stem))
        || matches!(
            word.as_str(),
            "cve" | "xss" | "csrf" | "xxe" | "ssrf" | "redos" | "dos"
        )
}

/// Returns whether a word, or a run of ideographs, limits what follows it: "only".
pub(in super::super) fn is_only(word: &str, ideographs: bool) -> bool {
    if ideographs {
        const CHINESE: [&str; 6] = ["仅", "僅", "只在", "只有", "只会", "只會"];
        return CHINESE.iter().any(|only| word.contains(only)) && !word.contains("不仅");
    }
    matches!(
        word.to_lowercase().as_str(),
        "only"
            | "solely"
            | "exclusively"
            | "nur"
            | "erst"
            | "qu'"
            | "ausschließlich"
            | "lediglich"
            | "seulement"
            | "uniquement"
            | "exclusivement"
            | "solo"
            | "sólo"
            | "solamente"
            | "únicamente"
            | "exclusivamente"
            | "só"
            | "somente"
            | "apenas"
            | "unicamente"
            | "только"
            | "лишь"
            | "исключительно"
    )
}

/// Returns whether a word limits what precedes it: "macOS only".
pub(in super::super) fn is_only_behind(word: &str, ideographs: bool) -> bool {
    const BEHIND: [&str; 6] = ["のみ", "だけ", "限定", "에서만", "에만", "전용"];
    if ideographs {
        let start: String = word.chars().take(6).collect();
        return BEHIND.iter().any(|only| start.contains(only));
    }
    matches!(word.to_lowercase().as_str(), "only" | "exclusively")
}

/// Returns whether a word denies the one behind it.
pub(in super::super) fn is_not(word: &str) -> bool {
    let repaired = with_apostrophe(word);
    // "dont" is also French.
    let unmarked = word.eq_ignore_ascii_case("dont");
    matches!(
        repaired.as_str(),
        "not"
            | "nicht"
            | "pas"
            | "non"
            | "no"
            | "não"
            | "nao"
            | "не"
            | "never"
            | "nunca"
            | "jamais"
            | "nie"
    ) || repaired.ends_with("n't") && !unmarked
}

/// Returns a word in lower case with a plain apostrophe, which negations may lack: "doesnt".
pub(in super::super) fn with_apostrophe(word: &str) -> String {
    let mut word = word.to_lowercase().replace(['’', '´'], "'");
    let is_unmarked = matches!(
        word.as_str(),
        "arent"
            | "cant"
            | "couldnt"
            | "didnt"
            | "doesnt"
            | "dont"
            | "hasnt"
            | "isnt"
            | "wasnt"
            | "wont"
    );
    if is_unmarked {
        word.insert(word.len() - 1, '\'');
    }
    word
}

/// Returns whether a word names a problem, of which a text can say that it is gone.
pub(in super::super) fn names_problem(word: &str) -> bool {
    let word = word.to_lowercase();
    [
        "problem",
        "issue",
        "bug",
        "warning",
        "leak",
        "vulnerab",
        "deadlock",
        "crash",
        "fehler",
        "warnung",
        "problème",
        "avertissement",
        "advertencia",
        "fallo",
        "aviso",
        "проблем",
        "предупрежд",
    ]
    .iter()
    .any(|stem| word.starts_with(stem))
}

/// Returns whether a word behind a version says that something fits it, or does not: "3.2 support", "3.2 warnings".
pub(in super::super) fn is_support(word: &str) -> bool {
    let word = word.to_lowercase();
    word == "support"
        || word == "build"
        || word.starts_with("compatib")
        || word.starts_with("deprecation")
        || names_problem(&word)
}

/// Returns whether a verb tells that a problem occurs: "affects", "tritt … auf".
pub(in super::super) fn occurs(word: &str) -> bool {
    let word = word.to_lowercase();
    [
        "affect",
        "occur",
        "happen",
        "betrifft",
        "betroffen",
        "betreffen",
        "tritt",
        "auftr",
        "concern",
        "survient",
        "afecta",
        "ocurre",
        "afeta",
        "ocorre",
        "затрагива",
        "происход",
    ]
    .iter()
    .any(|stem| word.starts_with(stem))
}

/// Returns whether a word starts a relative clause.
pub(in super::super) fn is_relative(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(
        word.as_str(),
        "which"
            | "that"
            | "where"
            | "who"
            | "qui"
            | "que"
            | "dont"
            | "cual"
            | "welche"
            | "welcher"
            | "welches"
    ) || word.starts_with("котор")
}

/// Returns whether a word starts a clause that tells the reason.
pub(in super::super) fn gives_reason(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "because" | "weil" | "denn" | "car" | "parce" | "porque" | "потому"
    )
}

/// Returns whether a word says that something is still to come.
pub(in super::super) fn tells_of_future(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "will"
            | "shall"
            | "upcoming"
            | "sera"
            | "seront"
            | "será"
            | "serán"
            | "serão"
            | "будет"
            | "будут"
    )
}

/// Returns whether a word asks for what follows: "please use", "must use".
pub(in super::super) fn asks(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "please"
            | "must"
            | "should"
            | "instead"
            | "just"
            | "simply"
            | "bitte"
            | "muss"
            | "müssen"
            | "sollte"
            | "stattdessen"
            | "einfach"
            | "faut"
            | "doit"
            | "devez"
            | "debe"
            | "debes"
            | "deve"
            | "precisa"
            | "sempre"
            | "siempre"
            | "always"
            | "нужно"
            | "надо"
            | "следует"
            | "лучше"
    )
}

/// Returns whether a word tells of a test, which limits nothing: "tested only on Linux".
pub(in super::super) fn is_about_tests(word: &str) -> bool {
    let word = word.to_lowercase();
    ["test", "getest", "prob", "провер", "verif", "测试", "測試"]
        .iter()
        .any(|stem| word.starts_with(stem))
        && !word.starts_with("probl")
}

/// Returns whether a word names what a record advises: "the workaround".
pub(in super::super) fn names_recipe(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "workaround"
            | "work-around"
            | "recipe"
            | "patch"
            | "monkeypatch"
            | "monkey-patch"
            | "trick"
            | "hack"
            | "shim"
            | "lösung"
            | "umgehung"
            | "rezept"
            | "contournement"
            | "astuce"
            | "recette"
            | "truco"
            | "solución"
            | "receta"
            | "parche"
            | "solução"
            | "truque"
            | "receita"
            | "решение"
            | "способ"
            | "приём"
            | "рецепт"
            | "патч"
    )
}

/// Returns whether words in lower case start with a recipe and what it is for: "workaround for".
pub(in super::super) fn is_recipe_for(words: &[&str]) -> bool {
    let [recipe, purpose, ..] = words else {
        return false;
    };
    matches!(*purpose, "for" | "pour" | "für" | "para" | "для") && names_recipe(recipe)
}

/// Returns whether a word stands for what was named before.
pub(in super::super) fn is_pronoun(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "it" | "es" | "dies" | "cela" | "ça" | "esto" | "isso" | "isto" | "это" | "он" | "оно"
    )
}

/// Returns whether a verb starts a question about what to do.
pub(in super::super) fn is_modal(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "should"
            | "shall"
            | "can"
            | "could"
            | "may"
            | "must"
            | "soll"
            | "sollen"
            | "sollte"
            | "sollten"
            | "kann"
            | "können"
    )
}

/// Returns whether a word means somebody who asks.
pub(in super::super) fn is_person(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "i" | "we" | "you" | "one" | "ich" | "wir" | "man"
    )
}

/// Returns whether a verb says that there is something.
pub(in super::super) fn exists(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "exists"
            | "exist"
            | "existe"
            | "existent"
            | "existen"
            | "existem"
            | "existiert"
            | "existieren"
            | "существует"
    )
}
