//! Which code blocks become chunks of their own.

use super::cut;
use crate::chunks::ChunkKind;

/// Returns the examples of a text.
fn examples(text: &str) -> Vec<String> {
    let chunks = cut("a.md", text).into_iter();
    let code = chunks.filter(|it| it.kind == ChunkKind::Code);
    code.map(|it| it.text).collect()
}

#[test]
fn a_single_word_is_an_example_if_it_is_code() {
    let check = |tag: &str, word: &str, is_example: bool| {
        let text = format!("# Widgets\n\nWhat a widget does.\n\n```{tag}\n{word}\n```\n");
        let expected = if is_example { vec![word] } else { vec![] };
        assert_eq!(examples(&text), expected, "{tag} {word}");
    };
    check("", "widget.route(3)", true);
    check("python", "widget.route(3)", true);
    check("python", "import_all()", true);
    check("js", "a=>b", true);
    check("sh", "make", true);
    check("toml", "debug=true", true);
    check("rust", "#[test]", true);
    // Names, numbers, output, and blocks tagged as text.
    check("", "widget", false);
    check("", "42", false);
    check("", "3.14", false);
    check("", "src/main.rs", false);
    check("python", "widget", false);
    check("text", "widget.route(3)", false);
}

#[test]
fn short_examples_of_many_sections_are_all_found() {
    let section = |at: u32| {
        format!("## Route {at}\n\nLeads to place {at}:\n\n```python\nwidget.route({at})\n```\n\n")
    };
    let text: String = (0..150).map(section).collect();
    let found = examples(&format!("# Widgets\n\n{text}"));
    let expected: Vec<String> = (0..150).map(|at| format!("widget.route({at})")).collect();
    assert_eq!(found, expected);
    let chunks = cut("a.md", &text);
    let described = chunks.iter().find(|it| it.text == "widget.route(7)");
    let description = described.and_then(|it| it.description.as_deref());
    assert_eq!(description, Some("Leads to place 7:"));
}
