//! Which languages a text is about, if it is about a build or a run.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::bytes::{RegexSet, RegexSetBuilder};

use crate::package::Ecosystem;

/// What the output of compilers, interpreters and package managers, and questions about them, contain.
const SIGNS: [(Ecosystem, &str); 8] = [
    (
        Ecosystem::Cargo,
        r"\bcargo\b|\brustc\b|error\[E\d{4}\]|\.rs:\d+|\bRust\b|\brustup\b",
    ),
    (
        Ecosystem::Npm,
        r"\b(?:npm|pnpm|yarn|npx|bun|deno)\b|\bNode(?:\.js)?\b|\bnode(?::internal| v?\d|_modules)|\.(?:js|ts|jsx|tsx|mjs|cjs):\d+|\bTS\d{4}\b|ERR_[A-Z_]+",
    ),
    (
        Ecosystem::Pypi,
        r"\bpip3?\b|\b[Pp]ython\b|Traceback \(most recent call last\)|\.py\b|\b(?:pytest|poetry|pipenv)\b|ModuleNotFoundError|ImportError",
    ),
    (
        Ecosystem::Golang,
        r"\bgo (?:build|test|run|mod|vet|get|install)\b|\.go:\d+|\b[Gg]olang\b|goroutine \d+|\bgo\.mod\b",
    ),
    (
        Ecosystem::Gem,
        r"\b(?:bundle|bundler|rake|rspec|Ruby|ruby|rails|Rails)\b|\.rb:\d+|Gemfile",
    ),
    (
        Ecosystem::Maven,
        r"\b(?:mvn|maven|Maven|gradle|Gradle|gradlew|javac|Java|java|Kotlin|JDK|JVM)\b|\.(?:java|kt):\[?\d+|at [\w.$]+\([A-Z]\w*\.(?:java|kt):\d+\)|BUILD FAILURE",
    ),
    (
        Ecosystem::Nuget,
        r"\b(?:dotnet|msbuild|MSBuild|NuGet|nuget)\b|\.NET\b|\.cs(?:\(|:line )\d+|\b(?:CS|NU|MSB|NETSDK)\d{4}\b|csproj",
    ),
    (
        Ecosystem::Composer,
        r"\b(?:composer|phpunit|artisan|PHP|php)\b|\.php(?::|\(|\son line )\d*",
    ),
];

static SIGNS_SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    let signs = SIGNS.map(|(_, sign)| sign);
    RegexSetBuilder::new(signs).unicode(false).build().ok()
});

/// Returns the languages that texts are about.
pub(super) fn of(texts: &[&str]) -> BTreeSet<Ecosystem> {
    let Some(signs) = &*SIGNS_SET else {
        return BTreeSet::new();
    };
    let found = texts.iter().flat_map(|text| signs.matches(text.as_bytes()));
    found.filter_map(|at| Some(SIGNS.get(at)?.0)).collect()
}

/// Returns the names of the runtimes of a language.
pub(super) fn runtimes(language: Ecosystem) -> &'static [&'static str] {
    match language {
        Ecosystem::Cargo => &["rustc"],
        Ecosystem::Composer => &["php"],
        Ecosystem::Gem => &["ruby"],
        Ecosystem::Golang => &["go"],
        Ecosystem::Maven => &["java", "kotlin", "scala"],
        Ecosystem::Npm => &["node", "deno", "bun"],
        Ecosystem::Nuget => &["dotnet"],
        Ecosystem::Pypi => &["python"],
    }
}
