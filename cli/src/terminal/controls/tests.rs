//! Characters that control a terminal, and those that do not.

use super::visible;

#[test]
fn control_characters_are_shown_as_code_points() {
    let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
    check("\u{1b}[2Jgone", "⟨U+001B⟩[2Jgone");
    check("\u{1b}]0;title\u{7}", "⟨U+001B⟩]0;title⟨U+0007⟩");
    check("right\rwrong", "right⟨U+000D⟩wrong");
    check(
        "\u{9b}31m\u{7f}\u{8}\0",
        "⟨U+009B⟩31m⟨U+007F⟩⟨U+0008⟩⟨U+0000⟩",
    );
    check("a\u{202e}b\u{2066}c\u{200f}", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩");

    check("lines\r\nof\n\ttext", "lines\nof\n\ttext");
    check(
        "\u{1f468}\u{200d}\u{1f469} 状态 é \\u",
        "\u{1f468}\u{200d}\u{1f469} 状态 é \\u",
    );
}
