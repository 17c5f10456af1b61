//! What others wrote does nothing but stand there.

use super::markdown;

fn check(text: &str, expected: &str) {
    assert_eq!(markdown(text).into_string().trim(), expected, "{text:?}");
}

#[test]
fn markup_shows_as_it_was_typed() {
    check(
        "Use `Vec<T>` or <b>bold</b>",
        "<p>Use <code>Vec&lt;T&gt;</code> or &lt;b&gt;bold&lt;/b&gt;</p>",
    );
    check(
        "<script>alert(1)</script>",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    );
    check("a\nb", "<p>a<br>\nb</p>");
}

#[test]
fn nothing_is_fetched_run_or_led_away() {
    for text in [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hello)",
        "<javascript:alert(1)>",
        "<svg onload=alert(1)>",
        "<img src=x onerror=alert(1)>",
        "```\"><script>alert(1)</script>\ncode\n```",
        "[x](vbscript:a \"t\" onclick=b)",
    ] {
        let html = markdown(text).into_string();
        // What is left of it stands between tags, as text.
        let tags: String = html
            .split('<')
            .skip(1)
            .filter_map(|tag| tag.split('>').next())
            .collect();
        for bad in [
            "script", "onload", "onerror", "onclick", "svg", "img", "data:",
        ] {
            assert!(!tags.contains(bad), "{text:?}: {html}");
        }
    }
    let picture = markdown("![a cat](https://pictures.example/cat.png)").into_string();
    assert!(
        !picture.contains("<img") && picture.contains(">a cat</a>"),
        "{picture}"
    );
}

#[test]
fn what_would_turn_the_text_around_is_shown() {
    check("a\u{202e}b\u{1b}[31m", "<p>a\\u{202e}b\\u{1b}[31m</p>");
}
