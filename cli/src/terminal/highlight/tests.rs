//! Lines as they are coloured: `<c:…>` a comment, `<s:…>` a string, `<k:…>` a keyword.

use super::*;
use crate::terminal::printer::RESET;

#[test]
fn tokens_common_to_many_languages_are_coloured() {
    let check = |code: &str, expected: &str| {
        let shown = lines(code).join("\n");
        let marked = shown
            .replace(BLUE, "<k:")
            .replace(YELLOW, "<s:")
            .replace(DIM, "<c:")
            .replace(RESET, ">");
        assert_eq!(marked, expected);
    };
    check(
        "let x = \"a\\\"b\"; // why",
        "<k:let> x = <s:\"a\\\"b\">; <c:// why>",
    );
    check(
        "fetch('https://x.example') # no",
        "fetch(<s:'https://x.example'>) <c:# no>",
    );
    check("f\"{x}\"", "f<s:\"{x}\">");
    check("see https://x.example", "see https://x.example");
    check("fn f<'a>(it: &'a str)", "<k:fn> f<'a>(it: &'a str)");
    check("it's `id` -- note", "it's <s:`id`> <c:-- note>");
    check(
        "#[derive(Debug)]\n#include <x>",
        "#[derive(Debug)]\n#include <x>",
    );
    check("/* a\nif b */ if c", "<c:/* a>\n<c:if b */> <k:if> c");
    check("i-- > 0; format = iffy", "i-- > 0; format = iffy");
    check("打印 \"你好\"", "打印 <s:\"你好\">");
}
