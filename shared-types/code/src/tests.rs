//! Tags, mentions and guesses.

use super::*;

#[test]
fn tags_are_mapped_to_languages() {
    fn check(tag: &str, expected: Tag) {
        assert_eq!(of_tag(tag), expected, "{tag}");
    }
    check("py", Tag::Named("python"));
    check("js {1,3}", Tag::Named("javascript"));
    check("console", Tag::Named("bash"));
    check("rust,ignore,should_panic", Tag::Named("rust"));
    check("no_run", Tag::Named("rust"));
    check("{.python .numberLines}", Tag::Named("python"));
    check("{code-block} C++", Tag::Named("cpp"));
    check("TypeScript title=\"app.ts\"", Tag::Named("typescript"));
    check("text", Tag::Text);
    check("mermaid", Tag::Text);
    check("brainfuck", Tag::Unknown);
    check("", Tag::Unknown);
}

#[test]
fn a_question_requires_or_mentions_a_language() {
    fn check(question: &str, expected: Option<(&str, bool)>) {
        let mentioned = named_in(question);
        assert_eq!(mentioned.map(|a| (a.name, a.only)), expected, "{question}");
    }
    check("iterators in Rust", Some(("rust", true)));
    check("read json from an http server in C++", Some(("cpp", true)));
    check("python example", Some(("python", false)));
    check("http server", None);
    check("generics of typescript", Some(("typescript", false)));
    check("go to the next item", None);
    check("which one to make", None);
    check("", None);
}

#[test]
fn languages_are_guessed_only_when_certain() {
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(guess(text), expected, "{text}");
    }
    check(">>> 1 + 1\n2", Some("python"));
    check("$ ls", Some("bash"));
    check("cargo add serde", Some("bash"));
    check("cargo is a build tool.", None);
    check("{\"a\": [1, 2]}", Some("json"));
    check("{ a: 1 }", None);
    check("use std::fs;\nlet mut x = fs::read(\"a\")?;", Some("rust"));
    check("def f(x):\n    return x", Some("python"));
    check("package main\n\nfunc main() {}", Some("go"));
    check("#include <vector>\nstd::vector<int> v;", Some("cpp"));
    check("[dependencies]\nserde = \"1\"", Some("toml"));
    check("SELECT * FROM t;", Some("sql"));
    check("src/\n  main.rs", None);
    check("Hello, world!", None);
}
