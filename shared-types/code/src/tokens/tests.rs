//! Which parts of code are which tokens.

use proptest::prelude::*;

use super::{Token, languages::Language, lexer, syntax::Syntax, tokens};

/// Checks which pieces are highlighted.
fn check(language: &str, code: &str, expected: &[(Token, &str)]) {
    let mut found = tokens(code, Some(language));
    assert_eq!(joined(&found), code);
    found.retain(|(token, _)| *token != Token::Plain);
    assert_eq!(found, expected, "{language}: {code}");
}

fn joined(pieces: &[(Token, &str)]) -> String {
    pieces.iter().map(|(_, piece)| *piece).collect()
}

#[test]
fn words_texts_numbers_and_comments_are_distinguished() {
    use Token::{Call, Comment, Gone, Keyword, Name, Number, Text, Type};
    check(
        "rust,no_run",
        "fn f<'a>(x: &'a Thing) { g(1..20, 'q', \"a\\\"b\") } // so",
        &[
            (Keyword, "fn"),
            (Type, "Thing"),
            (Call, "g"),
            (Number, "1"),
            (Number, "20"),
            (Text, "'q'"),
            (Text, "\"a\\\"b\""),
            (Comment, "// so"),
        ],
    );
    let python = [(Keyword, "def"), (Call, "f"), (Text, "'''a\nb'''")];
    check("Python", "def f(): '''a\nb'''", &python);
    let shell = [
        (Keyword, "git"),
        (Text, "'a # b'"),
        (Comment, "# why"),
        (Keyword, "echo"),
    ];
    check("sh", "git commit -m 'a # b' # why\necho $#", &shell);
    let json = [(Name, "\"a\""), (Number, "1.5"), (Keyword, "true")];
    check("json", "{\"a\": [1.5, true]}", &json);
    let yaml = [
        (Name, "image"),
        (Name, "url"),
        (Comment, "# don't"),
        (Keyword, "true"),
    ];
    check("yml", "image: a\nurl: http://b # don't\n- true", &yaml);
    let sql = [(Keyword, "SELECT"), (Keyword, "from"), (Text, "'it'")];
    check("sql", "SELECT a from b 'it'", &sql);
    let html = [
        (Keyword, "<a"),
        (Name, "href"),
        (Text, "\"x>y\""),
        (Keyword, ">"),
        (Keyword, "</a"),
        (Keyword, ">"),
        (Comment, "<!-- c -->"),
    ];
    check("html", "<a href=\"x>y\">1 < 2</a><!-- c -->", &html);
    let diff = [(Gone, "-a\n"), (Text, "+b\n")];
    check("diff", " c\n-a\n+b\n", &diff);
    let open = [(Keyword, "let")];
    check("js", "let a = \"not closed\nb", &open);
}

#[test]
fn code_of_an_unknown_language_or_too_long_is_plain() {
    for language in ["", "text", "klingon", ",,"] {
        check(language, "fn let \"a\" // b", &[]);
    }
    check("rust", &"fn ".repeat(7_000), &[]);
}

#[test]
fn what_many_languages_share_is_recognized_without_a_language() {
    use Token::{Comment, Keyword, Text};
    fn check(code: &str, expected: &[(Token, &str)]) {
        let mut found = tokens(code, None);
        assert_eq!(joined(&found), code);
        found.retain(|(token, _)| matches!(token, Comment | Keyword | Text));
        assert_eq!(found, expected, "{code}");
    }
    check(
        "let x = \"a\\\"b\"; // why",
        &[(Keyword, "let"), (Text, "\"a\\\"b\""), (Comment, "// why")],
    );
    check(
        "fetch('https://x.example') # no",
        &[(Text, "'https://x.example'"), (Comment, "# no")],
    );
    check("f\"{x}\"", &[(Text, "\"{x}\"")]);
    check("see https://x.example", &[]);
    check("fn f<'a>(it: &'a str)", &[(Keyword, "fn")]);
    check("it's `id` -- note", &[(Text, "`id`"), (Comment, "-- note")]);
    check("#[derive(Debug)]\n#include <x>\n#\n", &[(Comment, "#")]);
    let comment = "/* a\nif b */";
    check("/* a\nif b */ if c", &[(Comment, comment), (Keyword, "if")]);
    check("i-- > 0; format = iffy", &[]);
    check("打印 \"你好\"", &[(Text, "\"你好\"")]);
}

#[test]
fn unclosed_quotes_are_searched_only_once() {
    // Quadratic work on these would take minutes.
    let repeated = |piece: &str| piece.repeat(1_000_000 / piece.len());
    for (syntax, piece) in [
        ("lua", "["),
        ("rust", "\\\""),
        ("python", "'''\""),
        ("js", "`\\"),
        ("bash", "'\\\""),
        ("rust", "'"),
    ] {
        let Some(Syntax::Words(words)) = Language::named(syntax).map(|one| &one.syntax) else {
            panic!("{syntax}");
        };
        let code = repeated(piece);
        assert_eq!(joined(&lexer::pieces(&code, words)), code, "{syntax}");
    }
}

proptest! {
    #[test]
    fn tokens_together_are_the_complete_code(
        code in "[a-z'\"`#/*<>!\\-\\\\ \n(){}\\[\\]=:.0-9é中\u{1f600}-]{0,80}",
        language in prop::sample::select(vec![
            "rust", "python", "js", "sh", "sql", "yaml", "lua", "html", "diff", "hs", "nix",
        ]),
    ) {
        prop_assert!(Language::named(language).is_some());
        for language in [Some(language), None] {
            prop_assert_eq!(&joined(&tokens(&code, language)), &code);
        }
    }
}
