//! Properties of every text: nothing is lost, and no piece is too large.

use proptest::prelude::*;

use super::super::chunks::{Chunk, ChunkKind, HARD_MAX_TOKENS, MAX_TOKENS};
use super::cut;
use crate::tokens;

/// Generates a Markdown text with numbered fences and sentences; returns how many there are of each.
fn texts() -> impl Strategy<Value = (String, usize, usize)> {
    let part = prop_oneof![
        3 => (1..60_usize).prop_map(|it| ("prose", it)),
        2 => (1..30_usize).prop_map(|it| ("fence", it)),
        1 => (1..20_usize).prop_map(|it| ("heading", it)),
        1 => (1..400_usize).prop_map(|it| ("table", it)),
        1 => (1..60_usize).prop_map(|it| ("list", it)),
    ];
    prop::collection::vec(part, 1..40).prop_map(|parts| {
        let mut out = String::new();
        let (mut fences, mut sentences) = (0, 0);
        for (kind, size) in parts {
            match kind {
                "prose" | "list" => {
                    for _ in 0..size {
                        let mark = if kind == "list" { "\n- " } else { " " };
                        out.push_str(&format!(
                            "{mark}Sentence s{sentences}s stands here, as others do."
                        ));
                        sentences += 1;
                    }
                }
                "fence" => {
                    out.push_str(&format!("```rust\nlet fence = \"f{fences}f\";\n"));
                    out.push_str(&"fence.push(\"and more\");\n".repeat(size));
                    out.push_str("```");
                    fences += 1;
                }
                "heading" => out.push_str(&format!("{} Part {size}", "#".repeat(size % 5 + 1))),
                _ => {
                    out.push_str("| a | b |\n| --- | --- |");
                    out.push_str(&"\n| some cell | and another one |".repeat(size));
                }
            }
            out.push_str("\n\n");
        }
        (out, fences, sentences)
    })
}

/// Whether a piece may be larger than others, because it is a single table or fence.
fn is_single_block(chunk: &Chunk) -> bool {
    let paragraphs = chunk.text.split("\n\n").count();
    paragraphs == 1 && chunk.text.starts_with(['|', '`'])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_and_nothing_is_too_large((text, fences, sentences) in texts()) {
        let chunks = cut("a.md", &text);
        let all: Vec<&str> = chunks.iter().map(|it| it.text.as_str()).collect();
        let descriptions = chunks.iter().filter_map(|it| it.description.as_deref());
        let all = [all.join("\n"), descriptions.collect::<Vec<_>>().join("\n")].concat();
        for fence in 0..fences {
            prop_assert!(all.contains(&format!("f{fence}f")), "fence {fence}");
        }
        for sentence in 0..sentences {
            prop_assert!(all.contains(&format!("s{sentence}s")), "sentence {sentence}");
        }
        for chunk in &chunks {
            prop_assert_eq!(chunk.tokens, tokens::count(&chunk.text));
            let alone = chunk.kind == ChunkKind::Code || is_single_block(chunk);
            let limit = if alone { HARD_MAX_TOKENS } else { MAX_TOKENS };
            prop_assert!(chunk.tokens <= limit, "{} tokens in\n{}", chunk.tokens, chunk.text);
            // A fence that was split would have lost its other half.
            prop_assert_eq!(chunk.text.matches("```").count() % 2, 0);
        }
    }
}
