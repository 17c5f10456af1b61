//! Tests of sentences and of what examples show.

use super::{sentences, visible::visible};

#[test]
fn texts_are_split_into_sentences() {
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences::split(text), expected);
        assert_eq!(sentences::split(text).concat(), text);
    }
    check(
        "One. Two! Three? four.",
        &["One. ", "Two! ", "Three? four."],
    );
    check(
        "See e.g. Foo 1.2 and i.e. Bar. End",
        &["See e.g. Foo 1.2 and i.e. Bar. ", "End"],
    );
    check("- a\n- b", &["- a\n", "- b"]);
    check("1. First. Then", &["1. First. ", "Then"]);
    check("第一句。第二句！", &["第一句。", "第二句！"]);
    check("", &[]);
    assert_eq!(sentences::last("Words. 2. Run this:"), "Run this:");
    assert_eq!(sentences::last("- one\n- Run this:"), "Run this:");
}

#[test]
fn long_texts_are_split_between_words() {
    fn check(text: &str, bytes: usize, expected: &[&str]) {
        assert_eq!(sentences::by_bytes(text, bytes), expected);
    }
    check("aaaa bbbb cccc", 6, &["aaaa ", "bbbb ", "cccc"]);

    check("éééééé", 5, &["éé", "éé", "éé"]);
    check("abc", 10, &["abc"]);
}

#[test]
fn lines_that_only_make_an_example_compile_are_hidden() {
    let text = "# use std::fs;\nlet a = 1;\n#\n#[inline]\nfn b() {}";
    let shown = visible(Some("rust"), text);
    assert_eq!(shown, "let a = 1;\n#[inline]\nfn b() {}");
    assert_eq!(visible(Some("python"), text), text);
}
