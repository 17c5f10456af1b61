//! Folding of chunks, in several languages and forms of files.

#![allow(clippy::unwrap_used)]

use recall_kit_store::{ChunkContent, chunk_id};

use super::*;

/// Returns a chunk of a file, at a line.
fn piece(file: u64, title: &str, kind: DocsMode, (line, text): (u32, &str)) -> Chunk {
    let language = (kind == DocsMode::Code).then(|| "rust".to_owned());
    Chunk {
        id: chunk_id(file, kind, line, &[0; 32]),
        path: format!("docs/{file}.md"),
        content: ChunkContent {
            kind,
            title: title.to_owned(),
            description: None,
            language,
            text: text.to_owned(),
            line,
            tokens: 100,
        },
    }
}

fn info(file: u64, title: &str, line: u32, text: &str) -> Chunk {
    piece(file, title, DocsMode::Info, (line, text))
}

fn code(file: u64, title: &str, line: u32, text: &str) -> Chunk {
    piece(file, title, DocsMode::Code, (line, text))
}

/// Folds chunks, best first, up to so many tokens; returns titles and texts.
fn fold(found: Vec<Chunk>, most: u32) -> Vec<(String, String)> {
    let relevance = (0..100).map(|rank| 1.0 - rank as f32 / 100.0);
    let sections = folded(relevance.zip(found).collect(), most);
    let mut relevance = 1.0;
    for section in &sections {
        assert!(section.relevance <= relevance, "best first");
        relevance = section.relevance;
    }
    let shown = sections.into_iter().map(|it| (it.title, it.text));
    shown.collect()
}

fn of(title: &str, text: &str) -> (String, String) {
    (title.to_owned(), text.to_owned())
}

#[test]
fn a_section_is_one_hit_with_its_examples() {
    let text = "先注册日志。\n\n```rust\nlog::init();\n```";
    let found = vec![
        code(1, "日志", 5, "log::init();"),
        info(2, "Autre", 1, "Rien."),
        info(1, "日志", 3, text),
        code(1, "日志", 9, "log::flush();"),
    ];
    let joined = format!("{text}\n\n```rust\nlog::flush();\n```");
    assert_eq!(
        fold(found, 1_000),
        [of("日志", &joined), of("Autre", "Rien.")]
    );
}

#[test]
fn an_example_in_a_chunk_of_several_small_sections_is_folded_into_it() {
    let text = "## Open\n\n```rust\nopen();\n```\n\n## Close\n\n```rust\nclose();\n```";
    let found = vec![
        code(1, "Files > Close", 9, "close();"),
        info(1, "Files", 1, text),
        code(1, "Files > Open", 3, "open();"),
        // The same line in another file is another example.
        code(2, "Files > Open", 3, "open();"),
    ];
    let sections = fold(found, 1_000);
    assert_eq!(sections, [of("Files", text), of("Files > Open", "open();")]);
}

#[test]
fn chunks_of_a_long_section_are_joined_in_order_without_repetition() {
    let sentence = "The second sentence of it is said twice.";
    let found = vec![
        info(1, "Long", 9, &format!("{sentence} And the third.")),
        info(1, "Long", 1, &format!("The first. {sentence}")),
        info(1, "Long", 30, "The fourth."),
    ];
    let two = format!("The first. {sentence} And the third.");
    let sections = fold(found.clone(), 200);
    assert_eq!(sections, [of("Long", &two), of("Long", "The fourth.")]);
    let all = format!("{two}\n\nThe fourth.");
    assert_eq!(fold(found, 300), [of("Long", &all)]);
}

#[test]
fn examples_without_text_form_one_hit_for_each_language() {
    let mut other = code(1, "Exemples", 20, "print(1)");
    other.content.language = Some("python".to_owned());
    let found = vec![
        code(1, "Exemples", 12, "b();"),
        other,
        code(1, "Exemples", 3, "a();"),
        code(1, "Exemples", 40, "b();"),
    ];
    let sections = fold(found, 1_000);
    let expected = [of("Exemples", "b();\n\na();"), of("Exemples", "print(1)")];
    assert_eq!(sections, expected, "a repeated example is shown once");
}
