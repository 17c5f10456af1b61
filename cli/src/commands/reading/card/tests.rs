//! What results, records and sections look like, in each language and with hostile texts.

use recall_kit_client::Labelled;
use recall_kit_shared_types::{
    knowledge::EntryData, libraries::LibraryDocument, recall::RecallResult,
};
use serde_json::{Value, json};

use super::*;
use crate::terminal::printer::{BLUE, RESET};

fn layout(locale: &str) -> Layout {
    Layout {
        words: Words::of(locale),
        page: Page::of_width(60),
        now: "2026-11-22T12:00:00Z".parse().expect("a time"),
    }
}

fn plain(text: &str) -> String {
    console::strip_ansi_codes(text).into_owned()
}

fn result(family: &str, open: Value) -> Labelled<RecallResult> {
    let result = json!({
        "family": family, "id": "README.md#L10", "title": "gin: Query parameters",
        "snippet": "Read ?name= with c.Query", "score": 0.914, "open": open,
    });
    let result: RecallResult = serde_json::from_value(result).expect("a result");
    result.into()
}

fn entry(content: &str) -> Labelled<EntryData> {
    let entry = json!({
        "id": "01JD8XR2P4Q6S8T0V2W4Y6Z8A0", "type": "decision", "title": "Times are UTC",
        "content": content, "tags": ["time"], "project": "billing", "confidence": 5,
        "status": "obsolete", "memory_type": "semantic", "created_at": "2026-11-19T08:00:00Z",
        "updated_at": "2026-11-19T08:00:00Z", "last_accessed": null, "access_count": 3,
        "consolidation_score": 0.5, "embeddings": {"summary": true, "context": false},
        "links": {
            "outgoing": [],
            "incoming": [{
                "source_id": "01JD9", "source_title": "Times have a zone", "relation_type": "supersedes",
            }],
        },
    });
    let entry: EntryData = serde_json::from_value(entry).expect("an entry");
    entry.into()
}

#[test]
fn a_result_carries_the_reference_that_opens_it() {
    let docs = json!({
        "tool": "get-library-docs",
        "arguments": {"topic": "Query parameters", "libraryId": 7, "version": "v1.10.0"},
    });
    let shown = |locale: &str| plain(&layout(locale).result(2, &result("library", docs.clone())));
    let text = " 2 gin: Query parameters\n   0.91 very close · library · 7@v1.10.0/query-parameters\n   \
                Read ?name= with c.Query\n";
    assert_eq!(shown("en"), text);
    let facts = "   0.91 非常接近 · 文档库 · 7@v1.10.0/query-parameters\n";
    assert!(shown("zh").contains(facts), "{}", shown("zh"));
    let facts = "   0.91 très proche · bibliothèque · 7@v1.10.0/query-parameters\n";
    assert!(shown("fr").contains(facts), "{}", shown("fr"));
    // A newer server may open a result in another way: its own id is shown.
    let other = result("library", json!({"tool": "open_page", "arguments": {}}));
    let shown = plain(&layout("en").result(1, &other));
    assert!(shown.contains(" · library · README.md#L10\n"), "{shown}");
}

#[test]
fn a_record_shows_its_text_with_code_and_its_links() {
    let content = "## Why\n\nServers are in several zones, and people who read the times are too.\n\n\
                   ```rust\nlet now = 1;\n```\nConvert at the edge.";
    let shown = layout("en").record(&Labelled {
        origin: Some("team".to_owned()),
        ..entry(content)
    });
    assert!(shown.contains(&format!("{BLUE}let{RESET}")), "{shown:?}");
    let expected = "\
Times are UTC
   decision · team · 3 days ago · seen 3× · obsolete · billing · time · 01JD8XR2P4Q6S8T0V2W4Y6Z8A0

   Why

   Servers are in several zones, and people who read the
   times are too.

   │ let now = 1;
   Convert at the edge.

   ← supersedes 01JD9 Times have a zone
";
    assert_eq!(plain(&shown), expected);
}

#[test]
fn a_section_that_is_cut_still_shows_its_code() {
    let document = json!({
        "title": "Query parameters", "source": "README.md#L10", "version": "v1.10.0", "mode": "info",
        "content": "Like this:\n```go\nfunc main() {", "tokens": 9, "relevance": 0.4, "truncated": true,
    });
    let document: LibraryDocument = serde_json::from_value(document).expect("a document");
    let shown = layout("en").section(&document.into(), Some("gin"), Some(7));
    let expected = "   0.40 related · gin v1.10.0 · README.md#L10 · 7@v1.10.0/query-parameters\n   Like this:\n   \
                    │ func main() {\n   … cut; --max-tokens raises the limit\n";
    assert_eq!(plain(&shown), expected);
}

#[test]
fn texts_of_others_cannot_control_the_terminal() {
    let hostile = "\u{1b}[2J\u{9b}A\u{202e}";
    let mut record = entry(&format!("# {hostile}\n{hostile}\n```\n{hostile}\n```"));
    record.origin = Some(hostile.to_owned());
    record.item.title = hostile.to_owned();
    record.item.tags = vec![hostile.to_owned()];
    record.item.links.incoming[0].source_title = hostile.to_owned();
    let shown = layout("en").record(&record);
    let left = [BOLD, DIM, RESET]
        .iter()
        .fold(shown.clone(), |shown, style| shown.replace(style, ""));
    let controls = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!left.contains(controls), "{left:?}");
    assert_eq!(shown.matches("⟨U+001B⟩[2J").count(), 7, "{shown}");
}
