//! How a line that encodes another text is read.

use super::views;

/// Checks how a line is read; `None` where it is read as it is written.
fn check(text: &str, expected: Option<&str>) {
    let read: Vec<String> = views(text).into_iter().map(|view| view.text).collect();
    let read = (!read.is_empty()).then(|| read.concat());
    assert_eq!(read.as_deref(), expected, "{text:?}");
}

#[test]
fn each_kind_of_hiding_is_undone() {
    for (text, expected) in [
        ("\u{1b}[01;31m\u{1b}[Kab_\u{1b}[m\u{1b}[Kc", "ab_c"),
        (r"\u001b[31mab\x1b[0m \033[1mc\e[m ^[[31md", "ab c d"),
        ("[01;31m[Kab_[m[Kc", "ab_c"),
        ("a\u{9b}31mb\u{1b}]0;title\u{7}c\u{1b}(Bd", "abcd"),
        (r"a\u0062\\u0063\u{64}\x65\146\U00000067", "abcdefg"),
        ("a&#98;&#x63;&lowbar;d&shy;e&amp;", "abc_de&"),
        ("a%62%C3%A9%u0063", "abéc"),
        ("ｇｈｐ＿１ 𝗴𝗵𝗽 pаssword", "ghp_1 ghp password"),
        (r"a\_b c\-d https\:\/\/x", "a_b c-d https://x"),
        ("ab_**cdefghij12**k **Key:** v", "ab_cdefghij12k Key: v"),
        ("<b>ab_</b>cdefghij12", "<b>ab_cdefghij12"),
        ("x = \"ab_\" + \"cd\"", "x = \"ab_cd\""),
        ("x = 'ab_' . \"cd\" \\\n  'ef'", "x = 'ab_cdef'"),
        (
            r#"{"c": "x = \"ab\" + \"cd\""}"#,
            r#"{"c": "x = \"abcd\""}"#,
        ),
        ("join([\"ab\", 'cd'])", "join([\"abcd'])"),
        ("ab\\\n   cd", "abcd"),
        ("%2525%32%35", "%"),
        ("<b>Password:</b> <i>ab1</i>", "<b>Password: ab1\n"),
        ("<td>Token</td>\n<td>ab1</td>", "<td>Token=ab1\n"),
        ("PASSWORD=$(cat <<EOF\nab1\nEOF\n", "PASSWORD=ab1\n\n"),
        ("key = r#\"ab1\"#", "key = \"ab1\""),
        ("key = \"\"\"ab1\"\"\"", "key = \"ab1\""),
        ("x = ''.join(['ab', 'cd'])", "x = 'abcd'"),
        ("the password is\nab1 now", "the password is ab1 now"),
        ("> a password:\n> ab1", "> a password: ab1"),
        ("log('token=abc1')", "log(\ntoken=abc1\n)"),
        ("__Password__: __abc1__", "Password: abc1"),
        ("x=\"{&quot;a&quot;}\"", "x=\"{'a'}\""),
        ("run --password \\\n  ab1", "run --password ab1"),
    ] {
        check(text, Some(expected));
    }
}

#[test]
fn what_hides_nothing_is_read_as_it_is_written() {
    for text in [
        "plain words, and more",
        "f(\"a\", \"b\"); print('%d of %s', x) \\n \\t \\\"quoted\\\"",
        "a && b & c; &self, &mut x; 50% of 20 %",
        "密码：长度八位，Пароль Cкачать naïve",
        "* item\n * item\n/** doc */ 2 * 3",
        "let c = \"\"; let d = \" \";",
        "a line\\\n  \\\n",
        "<b>Name:</b> <i>ab1</i> and log('token=') and __init__: x",
        "the password is\nrequired and the name is\nab1",
        "**bold** and *italic* `code` ~~gone~~",
    ] {
        check(text, None);
    }
}
