//! Which parts of code are highlighted, and that the code remains text.

use proptest::prelude::*;

use super::{
    Token, highlight_json, highlighted, languages::Language, lexer, pieces, syntax::Syntax,
};

/// Checks which pieces are highlighted.
fn check(language: &str, code: &str, expected: &[(Token, &str)]) {
    let mut found = pieces(code, language);
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
fn unknown_languages_and_long_code_are_not_highlighted() {
    for language in ["", "text", "klingon", ",,"] {
        check(language, "fn let \"a\" // b", &[]);
    }
    check("rust", &"fn ".repeat(7_000), &[]);
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
        prop_assert_eq!(joined(&pieces(&code, language)), code);
    }
}
