//! Snippets of texts in every script.

use super::SnippetTerms;

/// Checks a snippet of 40 characters.
fn check(text: &str, query: &str, expected: &str) {
    let found = SnippetTerms::of(query).snippet(text, 40);
    assert_eq!(found, expected, "{query:?}");
    assert!(found.chars().count() <= 40, "{found}");
}

#[test]
fn the_best_hit_is_shown_in_whole_words() {
    let filler = "one two three four five six seven eight nine ten ";
    let text = format!("{filler}the build fails with E0502 on a borrow {filler}");
    check(
        &text,
        "E0502 borrow",
        "…with E0502 on a borrow one two three…",
    );
    check(&text, "e0502", "…with E0502 on a borrow one two three…");
    check(
        &text,
        "nothing of this",
        "one two three four five six seven…",
    );
    check("short \n\t text", "text", "short text");
    check("", "text", "");
}

#[test]
fn no_word_is_cut_at_the_end() {
    check(
        "please set the header X-Forwarded-Proto now",
        "absent",
        "please set the header…",
    );
    check(
        "把响应头设为 Access-Control-Allow-Origin 之后再重新发送这个跨域请求就可以了，不用改别的",
        "响应头",
        "把响应头设为 Access-Control-Allow-Origin 之后再…",
    );
    let long = "x".repeat(100);
    check(&long, "y", &format!("{}…", "x".repeat(38)));
}

#[test]
fn more_distinct_terms_beat_more_hits() {
    let text =
        "cache cache cache cache cache and then many other words before a cache timeout appears";
    check(
        text,
        "cache timeout",
        "…words before a cache timeout appears",
    );
}

#[test]
fn scripts_without_spaces_are_cut_between_characters() {
    let filler = "一二三四五六七八九十".repeat(8);
    let text = format!("{filler}数据库连接超时{filler}");
    let found = SnippetTerms::of("连接超时").snippet(&text, 40);
    assert!(found.contains("数据库连接超时"), "{found}");
    assert_eq!(found.chars().count(), 40, "{found}");
    let emoji = "👩‍💻 ".repeat(60);
    assert!(SnippetTerms::of("x").snippet(&emoji, 40).chars().count() <= 40);
}
