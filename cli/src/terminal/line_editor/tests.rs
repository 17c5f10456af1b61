//! The effects of keys on a line, and how it is broken into rows.

use super::*;

#[test]
fn keys_change_the_line_at_the_cursor() {
    let check = |keys: &[Key], expected: &str, cursor: usize| {
        let mut line = Line::of("one two");
        for key in keys {
            line.apply(key);
        }
        let text: String = line.chars.iter().collect();
        assert_eq!((text.as_str(), line.cursor), (expected, cursor), "{keys:?}");
    };
    check(&[Key::Char('!')], "one two!", 8);
    check(&[Key::Backspace, Key::Backspace], "one t", 5);
    check(&[Key::Home, Key::Char('x')], "xone two", 1);
    check(&[Key::Home, Key::Del, Key::ArrowRight], "ne two", 1);
    check(&[Key::ArrowLeft, Key::Char('中')], "one tw中o", 7);
    check(&[Key::Home, Key::Backspace, Key::ArrowLeft], "one two", 0);
    check(&[Key::End, Key::Del, Key::ArrowRight], "one two", 7);
    check(&[Key::ArrowLeft, Key::Char('\u{15}')], "o", 0);
    check(&[Key::Char('\u{7}'), Key::PageUp], "one two", 7);
}

#[test]
fn only_a_character_at_the_end_is_added_without_a_redraw() {
    let mut line = Line::of("ab");
    assert_eq!(line.apply(&Key::Char('c')), Effect::Appended('c'));
    line.apply(&Key::Home);
    assert_eq!(line.apply(&Key::Char('c')), Effect::Redraw);
    assert_eq!(line.apply(&Key::Tab), Effect::None);
}

#[test]
fn a_long_line_is_broken_into_rows() {
    let check = |columns, prompt, text: &str, expected: &str, (row, column)| {
        let chars: Vec<char> = text.chars().collect();
        let (shown, end) = Rows::new(columns, prompt).lay_out(&chars);
        assert_eq!(shown, expected);
        assert_eq!(end, Position { row, column }, "{shown:?}");
    };
    check(10, 2, "abcdefg", "abcdefg", (0, 9));
    check(10, 2, "abcdefgh", "abcdefg\nh", (1, 1));
    check(10, 2, "", "", (0, 2));
    // A wide character is not split.
    check(10, 4, "ab中文标", "ab中\n文标", (1, 4));
    // A prompt that is longer than a row.
    check(10, 23, "abcdefg", "abcdef\ng", (3, 1));
}
