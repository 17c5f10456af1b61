//! That code is highlighted, and remains text.

use super::{highlight_json, highlighted};

#[test]
fn json_without_a_language_is_highlighted() {
    let json = highlight_json("{\"a\": 1}").into_string();
    assert!(json.contains("code-number"), "{json}");
    assert_eq!(highlight_json("[x] done: 1").into_string(), "[x] done: 1");
}

#[test]
fn hostile_code_remains_text() {
    for language in ["html", "rust", "js", "\"><script>", "diff", "text"] {
        let html = highlighted("</span><script>\"<b>\"</script>'<i>'", language).into_string();
        let tags = html.split('<').skip(1);
        for tag in tags.filter_map(|tag| tag.split('>').next()) {
            let is_ours = tag == "/span" || tag.starts_with("span class=\"code-");
            assert!(is_ours, "{language}: {html}");
        }
    }
}
