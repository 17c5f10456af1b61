//! Markdown of others is rendered as harmless text.

use super::{markdown, plain_text};

fn check(text: &str, expected: &str) {
    assert_eq!(markdown(text).into_string().trim(), expected, "{text:?}");
}

#[test]
fn html_in_markdown_is_shown_as_text() {
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
fn scripts_images_and_dangerous_links_are_removed() {
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
        // The rest of it is outside of tags, as text.
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
fn the_amount_of_highlighted_code_is_limited() {
    let fence = format!("```rust\n{}\n```\n\n", "fn ".repeat(3_000));
    let shown = markdown(&fence.repeat(3)).into_string();
    assert_eq!(shown.matches("<pre").count(), 3);
    // Two of the three are within the limit.
    assert_eq!(shown.matches("code-keyword").count(), 6_000);
}

#[test]
fn plain_text_has_no_marks() {
    let text = "## Why\n\n**Name** the `volume`:\n\n```yaml\na: [b]\n```\n\n- [x](http://a.b) <b>\n- y_z_0\n\n| c | d |\n|---|---|\n| 1 | 2 |";
    let words: Vec<String> = plain_text(text)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert_eq!(
        words.join(" "),
        "Why Name the volume: a: [b] x <b> y_z_0 c d 1 2"
    );
}

#[test]
fn code_is_highlighted_and_can_be_focused() {
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
fn invisible_and_control_characters_are_shown() {
    check("a\u{202e}b\u{1b}[31m", "<p>a⟨U+202E⟩b⟨U+001B⟩[31m</p>");
    check("a\u{200b}b\u{e0041}", "<p>a⟨U+200B⟩b⟨U+E0041⟩</p>");
}

#[test]
fn only_links_to_the_web_remain() {
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
