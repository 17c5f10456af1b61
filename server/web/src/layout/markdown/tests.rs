//! What others wrote does nothing but stand there.

use super::{markdown, unmarked};

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
    for (text, shown) in [
        ("[x](javascript:alert(1))", ">x<"),
        ("[x](data:text/html,hello)", ">x<"),
        ("<javascript:alert(1)>", "javascript:alert(1)"),
        ("<svg onload=alert(1)>", "&lt;svg onload=alert(1)&gt;"),
        (
            "<img src=x onerror=alert(1)>",
            "&lt;img src=x onerror=alert(1)&gt;",
        ),
        ("```\"><script>alert(1)</script>\ncode\n```", "code"),
        ("[x](vbscript:a \"t\" onclick=b)", "[x](vbscript:a \"t\""),
    ] {
        let html = markdown(text).into_string();
        assert!(html.contains(shown), "{text:?}: {html}");
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
fn a_text_has_so_much_in_colours() {
    let fence = format!("```rust\n{}\n```\n\n", "fn ".repeat(3_000));
    let shown = markdown(&fence.repeat(3)).into_string();
    assert_eq!(shown.matches("<pre").count(), 3);
    // Two fit.
    assert_eq!(shown.matches("code-keyword").count(), 6_000);
}

#[test]
fn words_are_left_of_marks() {
    let text = "## Why\n\n**Name** the `volume`:\n\n```yaml\na: [b]\n```\n\n- [x](http://a.b) <b>\n- y_z_0\n\n| c | d |\n|---|---|\n| 1 | 2 |";
    let words: Vec<String> = unmarked(text)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        words.join(" "),
        "Why Name the volume: a: [b] x <b> y_z_0 c d 1 2"
    );
}

#[test]
fn code_is_coloured_and_keyboards_reach_it() {
    check(
        "```sh\ngit <a>\n```",
        "<pre tabindex=\"0\"><code><span class=\"code-keyword\">git</span> &lt;a&gt;\n</code></pre>",
    );
    check(
        "    git\n\n<span class=\"code-keyword skip\">x</span>",
        "<pre tabindex=\"0\"><code>git\n</code></pre>\n<p>&lt;span class=\"code-keyword skip\"&gt;x&lt;/span&gt;</p>",
    );
}

#[test]
fn what_would_turn_the_text_around_is_shown() {
    check("a\u{202e}b\u{1b}[31m", "<p>a⟨U+202E⟩b⟨U+001B⟩[31m</p>");
    check("a\u{200b}b\u{e0041}", "<p>a⟨U+200B⟩b⟨U+E0041⟩</p>");
}

#[test]
fn links_lead_to_the_web_or_nowhere() {
    for target in [
        "//evil.example",
        "/sign-out",
        "\\\\\\\\evil",
        "x/y.md",
        "#top",
        "///evil",
    ] {
        let page = markdown(&format!("[q]({target}) <{target}>")).into_string();
        assert!(!page.contains("href"), "{target}: {page}");
    }
    let page = markdown("[q](https://a.example/b)").into_string();
    assert!(page.contains("href=\"https://a.example/b\""), "{page}");
}
