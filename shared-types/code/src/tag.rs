//! The names of languages, and the tags at code fences.

/// The meaning of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A language, by its usual name.
    Named(&'static str),
    /// Not code: output, a drawing.
    Text,
    /// Unknown.
    Unknown,
}

/// The usual names, each with its aliases.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("asm", &["assembly", "nasm", "x86asm"]),
    (
        "bash",
        &[
            "sh",
            "shell",
            "console",
            "zsh",
            "shell-session",
            "shellsession",
            "sh-session",
            "shellscript",
            "terminal",
            "bash-session",
            "fish",
            "commandline",
        ],
    ),
    ("bat", &["batch", "cmd", "dosbatch", "doscon"]),
    ("c", &["h"]),
    ("clojure", &["clj"]),
    ("cmake", &[]),
    ("cpp", &["c++", "cc", "cxx", "hpp", "cplusplus"]),
    ("csharp", &["c#", "cs"]),
    ("css", &[]),
    ("dart", &[]),
    ("diff", &["patch", "udiff"]),
    ("dockerfile", &["docker"]),
    ("elixir", &["ex", "exs", "iex"]),
    ("erlang", &["erl"]),
    ("fsharp", &["f#", "fs"]),
    ("go", &["golang"]),
    ("graphql", &["gql"]),
    ("groovy", &["gradle"]),
    ("haskell", &["hs"]),
    ("hcl", &["terraform", "tf"]),
    ("html", &["htm", "xhtml"]),
    ("http", &["https"]),
    ("ini", &["cfg", "conf", "properties", "dosini"]),
    ("java", &[]),
    (
        "javascript",
        &["js", "jsx", "node", "mjs", "cjs", "javascript+jinja"],
    ),
    ("json", &["json5", "jsonc", "jsonl", "ndjson"]),
    ("julia", &["jl"]),
    ("kotlin", &["kt", "kts"]),
    ("latex", &["tex"]),
    ("lua", &[]),
    ("makefile", &["make", "mk"]),
    ("markdown", &["md", "mdx"]),
    ("nginx", &[]),
    ("nix", &[]),
    ("objectivec", &["objc", "objective-c"]),
    ("ocaml", &["ml"]),
    ("perl", &["pl"]),
    ("php", &[]),
    ("powershell", &["ps1", "pwsh", "ps"]),
    ("protobuf", &["proto"]),
    (
        "python",
        &[
            "py",
            "python3",
            "py3",
            "pycon",
            "python-repl",
            "ipython",
            "ipython3",
            "pyi",
            "pycon3",
            "python2",
            "default3",
        ],
    ),
    ("r", &["rlang"]),
    ("ruby", &["rb", "irb", "erb"]),
    (
        "rust",
        &[
            "rs",
            "ignore",
            "no_run",
            "should_panic",
            "compile_fail",
            "edition2015",
            "edition2018",
            "edition2021",
            "edition2024",
            "standalone_crate",
        ],
    ),
    ("scala", &["sbt"]),
    ("scss", &["sass", "less"]),
    (
        "sql",
        &[
            "mysql",
            "postgresql",
            "postgres",
            "psql",
            "sqlite",
            "plsql",
            "sqlite3",
        ],
    ),
    ("svelte", &[]),
    ("swift", &[]),
    ("toml", &[]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("vim", &["viml", "vimscript"]),
    ("vue", &[]),
    ("wasm", &["wat", "wast"]),
    ("xml", &["svg", "xsd", "plist"]),
    ("yaml", &["yml"]),
    ("zig", &[]),
];

const TEXT: &[&str] = &[
    "text",
    "txt",
    "plain",
    "plaintext",
    "none",
    "output",
    "nohighlight",
    "no-highlight",
    "ascii",
    "mermaid",
    "tree",
    "log",
    "plantuml",
    "dot",
    "math",
    "grammar",
    "ebnf",
    "bnf",
    "abnf",
    "productionlist",
];

/// Returns the usual names of the languages, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(name, _)| *name)
}

/// Returns the usual name of the language of a fence's tag; `None` if it is not code or unknown.
pub fn of_fence(tag: &str) -> Option<&'static str> {
    match of_tag(tag) {
        Tag::Named(name) => Some(name),
        Tag::Text | Tag::Unknown => None,
    }
}

/// Parses a fence's tag: `rust,ignore`, `{.python}`, `js {1,3}`, `{code-block} python`.
pub fn of_tag(tag: &str) -> Tag {
    let lower = tag.to_ascii_lowercase();
    let words = lower.split([',', ' ', '\t', '{', '}', '=', ':', ';']);
    for word in words {
        let word = word
            .trim_start_matches(['.', '%'])
            .trim_start_matches("language-");
        match word {
            "" | "code-block" | "code" | "code-cell" | "sourcecode" | "doctest" => continue,
            _ if TEXT.contains(&word) => return Tag::Text,
            _ => {}
        }
        let known = LANGUAGES
            .iter()
            .find(|(name, tags)| *name == word || tags.contains(&word));
        return known.map_or(Tag::Unknown, |(name, _)| Tag::Named(name));
    }
    Tag::Unknown
}
