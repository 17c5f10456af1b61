//! The examples in the documentation: blocks marked as JSON or TOML are valid JSON or TOML.

use super::docs_links::pages;

#[test]
fn examples_are_valid_in_the_language_of_their_fence() {
    let mut read = 0;
    for (page, text) in pages() {
        for (language, block) in blocks(&text) {
            let problem = match language {
                "json" => serde_json::from_str::<serde_json::Value>(&block)
                    .err()
                    .map(|error| error.to_string()),
                "toml" => toml::from_str::<toml::Table>(&block)
                    .err()
                    .map(|error| error.to_string()),
                _ => continue,
            };
            read += 1;
            assert_eq!(problem, None, "{page}, a block of {language}:\n{block}");
        }
    }
    assert!(read > 10, "examples were found: {read}");
}

/// Returns the fenced blocks of a page with the words after their opening fences.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
            let block = block.collect::<Vec<_>>().join("\n");
            found.push((language.trim(), block));
        }
    }
    found
}
