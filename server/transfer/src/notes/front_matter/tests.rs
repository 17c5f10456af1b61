//! Reading front matter, and changing one field of it.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn common_notations_of_texts_and_lists_are_read() {
    for (value, expected) in [
        ("plain text # a comment", Some(Some("plain text"))),
        ("C#", Some(Some("C#"))),
        ("\"a: \\\"b\\\" # c\" # d", Some(Some("a: \"b\" # c"))),
        ("'it''s'", Some(Some("it's"))),
        ("http://a/b#c", Some(Some("http://a/b#c"))),
        ("标题", Some(Some("标题"))),
        ("", Some(None)),
        ("~", Some(None)),
        ("\"open", None),
        ("'open", None),
        ("| ", None),
        ("{a: b}", None),
    ] {
        let read = scalar(value);
        assert_eq!(
            read,
            expected.map(|text| text.map(str::to_owned)),
            "{value}"
        );
    }
    for (lines, expected) in [
        ("tags: [a, \"b, c\", 'd'] # e", vec!["a", "b, c", "d"]),
        ("tags:\n  - a\n  # not this\n  - \"b\"", vec!["a", "b"]),
        ("tags:\n- a", vec!["a"]),
        ("tags: a, b", vec!["a", "b"]),
        ("tags: []", vec![]),
        ("tags:", vec![]),
    ] {
        let head = format!("---\n{lines}\n---\n");
        let read = FrontMatter::of(&head).unwrap().list("tags").unwrap();
        assert_eq!(read, expected, "{lines}");
    }
}

#[test]
fn problems_are_reported_by_line() {
    for (head, line, words) in [
        ("---\na: b\nstray\n---\n", 3, "neither `key: value`"),
        ("---\n  - x\n---\n", 2, "neither `key: value`"),
        ("---\ntags: x\n\ntags: y\n---\n", 4, "tags appears twice"),
        ("---\ntags: [a\n---\n", 2, "tags must be a list"),
        ("---\nx: 1\ntags:\n  a: b\n---\n", 3, "tags must be a list"),
    ] {
        let read = FrontMatter::of(head).and_then(|fields| fields.list("tags"));
        let problem = read.unwrap_err();
        assert_eq!(problem.line, line, "{head}");
        assert!(problem.message.contains(words), "{problem:?}");
    }
    assert_eq!(split("---\na: b\n").unwrap_err().line, 1);
    let fields = FrontMatter::of("title: >\n  folded\n").unwrap();
    assert!(
        fields
            .text("title")
            .unwrap_err()
            .message
            .contains("one line")
    );
}

#[test]
fn a_note_is_split_into_head_and_text_without_loss() {
    for (text, head) in [
        ("", ""),
        ("text", ""),
        ("\u{feff}text\r\n", "\u{feff}"),
        ("---\na: b\n---\ntext", "---\na: b\n---\n"),
        ("---\r\n---\r\n---\r\n", "---\r\n---\r\n"),
        ("---\na: b\n---", "---\na: b\n---"),
        ("-- -\ntext", ""),
    ] {
        let (above, below) = split(text).unwrap();
        assert_eq!(above, head, "{text:?}");
        assert_eq!(format!("{above}{below}"), text);
    }
}

#[test]
fn changing_one_field_leaves_the_rest_unchanged() {
    let old = "---\r\n# mine\r\nx: {deep: [1]}\r\ntags:\r\n  - a\r\n\r\n  - b\r\ny:\r\n\r\n---\r\n";
    let new = "---\r\n# mine\r\nx: {deep: [1]}\r\ntags: [c]\r\ny:\r\n\r\n---\r\n";
    assert_eq!(with(old, "tags", "[c]", "\r\n"), new);
    let others = "# mine\nx: {deep: [1]}\ny:";
    assert_eq!(without(old, &["tags"]), others);
    assert_eq!(without(new, &["tags", "id"]), others);
    assert_eq!(
        without("---\ntags: x\n---\n", &["tags"]),
        without("", &["tags"])
    );
    for (head, expected) in [
        ("", "---\nid: 1\n---\n"),
        ("\u{feff}", "\u{feff}---\nid: 1\n---\n"),
        ("---\na: b\n---\n", "---\na: b\nid: 1\n---\n"),
        ("---\na: b\n---", "---\na: b\nid: 1\n---\n"),
        ("---\nid: 0\n---\n", "---\nid: 1\n---\n"),
    ] {
        assert_eq!(with(head, "id", "1", "\n"), expected, "{head:?}");
    }
    for text in [
        "a b",
        "yes",
        "1.5",
        "x: y",
        "#",
        "\"",
        "a\n---\nb",
        "标题",
        "[x]",
        "a, b",
    ] {
        let head = with("", "k", &quoted(text), "\n");
        let read = FrontMatter::of(&head).unwrap().text("k").unwrap();
        assert_eq!(read.as_deref(), Some(text));
        let head = with("", "k", &quoted_list(&[text.to_owned()]), "\n");
        let read = FrontMatter::of(&head).unwrap().list("k").unwrap();
        assert_eq!(read, [text]);
    }
}
