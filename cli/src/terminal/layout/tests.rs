//! Texts wrapped to a page of 14 columns, and without a width.

use super::*;

#[test]
fn text_is_wrapped_to_the_page() {
    let check = |text: &str, expected: &str| {
        let page = Page { width: Some(14) };
        assert_eq!(page.wrap(text, 4), expected);
    };
    check("", "");
    check("short", "short");
    check("one two three four", "one two\nthree four");
    check("an incomprehensibility", "an\nincomprehensibility");
    check("first\n\nsecond", "first\n\nsecond");
    check("状态变量不更新", "状态变量不\n更新");
    check("React 状态变量不更新", "React 状态\n变量不更新");
}

#[test]
fn without_a_terminal_lines_are_not_wrapped() {
    let line = "a line that is longer than any page would be".repeat(4);
    assert_eq!(Page { width: None }.wrap(&line, 4), line);
}

#[test]
fn further_lines_are_aligned_with_the_first() {
    assert_eq!(indented("a\nb\n", 2), "a\n  b");
}
