//! Lines as they are coloured: `<c:…>` a comment, `<s:…>` a string, `<k:…>` a keyword.

use super::*;
use crate::terminal::printer::RESET;

#[test]
fn tokens_are_coloured_line_by_line() {
    let check = |code: &str, expected: &str| {
        let shown = lines(code).join("\n");
        let marked = shown
            .replace(BLUE, "<k:")
            .replace(YELLOW, "<s:")
            .replace(DIM, "<c:")
            .replace(RESET, ">");
        assert_eq!(marked, expected);
    };
    check("let x = \"a\"; // why", "<k:let> x = <s:\"a\">; <c:// why>");
    check("/* a\nif b */ if c", "<c:/* a>\n<c:if b */> <k:if> c");
    check("see https://x.example", "see https://x.example");
    // The language is guessed from the code: in Rust, a string may span lines.
    check(
        "use std::fs;\nlet mut a = \"b\nc\";",
        "<k:use> std::fs;\n<k:let> <k:mut> a = <s:\"b>\n<s:c\">;",
    );
    check(
        "--- a\n+++ b\n-x\n+y",
        "<c:--- a>\n<s:+++ b>\n<c:-x>\n<s:+y>",
    );
}
