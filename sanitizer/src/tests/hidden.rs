//! Secrets that hide: what goes, what stays, and that no text makes it slow.

use super::{holds_promises, joined, kept, removed};
use crate::redact::JUDGED;
use crate::{RuleGroup, sanitize, sanitize_all};

#[test]
fn the_whole_secret_goes_with_what_hides_in_it() {
    let token = "ghp_aB3dE5gH7jK9¦mN1pQ3sT5vW7yZ9bC1eF3hJ5";
    let (head, tail) = token.split_at(4);
    for (text, expected) in [
        (
            format!("a.txt:\u{1b}[01;31m\u{1b}[K{head}\u{1b}[m\u{1b}[K{tail} x"),
            "a.txt:YOUR_TOKEN x",
        ),
        (
            format!(r#"{{"out":"\u001b[31m{head}\u001b[0m{tail}\n"}}"#),
            r#"{"out":"YOUR_TOKEN\n"}"#,
        ),
        (
            format!("\u{1b}[32m{token}\u{1b}[0m"),
            "\u{1b}[32mYOUR_TOKEN\u{1b}[0m",
        ),
        (
            format!("use **{head}**{tail}, please"),
            "use YOUR_TOKEN, please",
        ),
        (format!(r"use ghp\_{tail}"), "use YOUR_TOKEN"),
        (format!("x &#103;hp&lowbar;{tail};"), "x YOUR_TOKEN;"),
        (
            format!("?a=1&t=%67hp%5F{tail}&b=2"),
            "?a=1&t=YOUR_TOKEN&b=2",
        ),
        (format!("?t=%2567hp%255F{tail}"), "?t=YOUR_TOKEN"),
        (format!("ｇｈｐ＿{tail} 你好"), "YOUR_TOKEN 你好"),
        (
            format!("t = \"{head}\" + \"{tail}\";"),
            "t = \"YOUR_TOKEN\";",
        ),
        (
            format!("t = (\"{head}\"\n     \"{tail}\")\n"),
            "t = (\"YOUR_TOKEN\"\n     \"\")\n",
        ),
        (
            format!("run {head}\\\n{tail} --now"),
            "run YOUR_TOKEN\\\n --now",
        ),
        (
            "Z2hwX2FCM2RFNWdIN2pL¦OW1OMXBRM3NUNXZXN3laOWJDMWVGM2hKNQ==".to_owned(),
            "YOUR_TOKEN",
        ),
    ] {
        removed(&text, expected);
    }
}

#[test]
fn keys_that_hide_are_read() {
    for (text, expected) in [
        (
            "p\u{430}ssword=hunter¦-86-x",
            "p\u{430}ssword=YOUR_PASSWORD",
        ),
        ("**Password:** hunter¦-86-x", "**Password:** YOUR_PASSWORD"),
        (
            "{\"value\":\"hunter¦-86-x\",\"name\":\"DB_PASSWORD\"}",
            "{\"value\":\"YOUR_PASSWORD\",\"name\":\"DB_PASSWORD\"}",
        ),
        (
            "- value: hunter¦4128!\n  name: SMTP_PASSWORD\n- value: plain-text-here\n  name: TITLE",
            "- value: YOUR_PASSWORD\n  name: SMTP_PASSWORD\n- value: plain-text-here\n  name: TITLE",
        ),
    ] {
        removed(text, expected);
    }
}

#[test]
fn a_terminals_wrap_is_undone_and_other_line_breaks_are_not() {
    let (head, tail) = ("ghp_aB3dE5gH7jK9mN1p", "Q3sT5vW7yZ9bC1eF3hJ5");
    let words = "the server refused the request that came with";
    removed(
        &format!("$ run\n{words} {head}\n{tail} today\n"),
        &format!("$ run\n{words} YOUR_TOKEN\n today\n"),
    );
    let line = format!("aws_secret_access_key = {head}{tail}");
    removed(
        &format!("{line}\nregion = us-east-1\n"),
        "aws_secret_access_key = YOUR_TOKEN\nregion = us-east-1\n",
    );
}

#[test]
fn lines_of_a_key_go_from_the_other_texts_too() {
    let body = [
        "MIIiVldYA7tT92w1NNlVY7Ae8re9HTe4",
        "XuwvD2dM2rzfA0Z4lic5dzhIblZA6XNe",
    ];
    let key = format!(
        "-----BEGIN {}-----\n{}\n-----END {}-----",
        "PRIVATE KEY",
        body.join("\n"),
        "PRIVATE KEY"
    );
    let escaped = format!(r#"{{"lines": "{}\n{}\n"}}"#, body[0], body[1]);
    let texts = [key.as_str(), &escaped, body[1]];
    let clean = sanitize_all(&texts, &RuleGroup::REMOVAL);
    assert_eq!(
        clean[1].text,
        r#"{"lines": "YOUR_PRIVATE_KEY\nYOUR_PRIVATE_KEY\n"}"#
    );
    assert_eq!(clean[2].text, "YOUR_PRIVATE_KEY");
}

#[test]
fn mnemonics_go_and_lists_of_words_stay() {
    for text in [
        "acid lunar dwarf novel candy oval¦ fabric ghost mango tiger unveil west",
        "Acid Lunar Dwarf Novel Candy Oval¦ Fabric Ghost Mango Tiger Unveil West",
    ] {
        removed(&format!("wallet: {text}."), "wallet: YOUR_SEED_PHRASE.");
    }
    let words = "acid lunar dwarf novel candy oval fabric ghost mango tiger unveil west";
    let quoted: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
    removed(
        &format!("[{}]", quoted.join(", ")),
        "[\"YOUR_SEED_PHRASE\"]",
    );
    for text in [
        "abandon ability able about above absent absorb abstract absurd abuse access accident account",
        "test test test test test test test test test test test junk",
        "they can use this script when there is a problem with the network that you just saw",
    ] {
        kept(text);
    }
}

#[test]
fn harmless_encodings_stay() {
    for text in [
        "\u{1b}[32mtest result: ok\u{1b}[0m. 5 passed; \\x1b[1mbold\\x1b[0m",
        "**Note:** see `get_user_by_id` and snake\\_case\\_names &amp; more &#39;quoted&#39;",
        "https://example.com/a%20b?q=caf%C3%A9&x=%7B%22a%22%3A1%7D",
        "\"caf\\u00e9\" + \"\\u4f60\\u597d\" . 'a' \"b\"",
        "x = \"SELECT a \" + \"FROM b\"\nprintf(\"%d of %s\\n\" \"%2F\", a)",
        "ＦＵＬＬ　ＷＩＤＴＨ и Cкачать API-ключ",
        "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
        "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4=",
        "{\"value\": \"dark\", \"name\": \"theme\"}",
    ] {
        kept(text);
    }
}

/// What each kind of hiding is made of, to be repeated.
const HOSTILE: &[&str] = &[
    "\u{1b}[",
    "\u{1b}[31m",
    "\u{1b}]",
    "^[[",
    "m[K",
    "\\",
    "\\u0067",
    "\\u{",
    "\\x",
    "\\_",
    "&",
    "&#",
    "&#89;",
    "&lowbar;",
    "%",
    "%25",
    "%u",
    "ｇ",
    "ｇ ",
    "а",
    "aа",
    "\u{200b}a",
    "*",
    "**a1",
    "a1*",
    "<b>",
    "<b",
    "a1</b>",
    "\"a\" + ",
    "\"a\"\"",
    "\" \"",
    "'a','a",
    "a\\\n",
    "\n",
    "a1\n",
    "aVGhlIHF1aWNrIGJyb3du",
    "VGhlIHF1aWNrIGJyb3duIGZveCBq\n",
    "value=",
    "value: a, ",
    "{\"value\":\"a\",\"name\":\"",
    "acid lunar ",
    "value>a</value><name>",
    "join(\"a\",",
    "**k:** ",
];

#[test]
fn no_text_is_read_more_often_than_a_few_times() {
    let judged = |text: &str| {
        JUDGED.set(0);
        sanitize(text, &RuleGroup::REMOVAL);
        JUDGED.get()
    };
    for piece in HOSTILE {
        for length in [5_000, 40_000] {
            let text = piece.repeat(length / piece.len());
            let often = judged(&text) / text.len();
            assert!(
                often <= 24,
                "{piece:?} of {length} bytes is read {often} times"
            );
        }
    }
}

#[test]
fn hostile_encodings_hold_the_promises() {
    for (at, piece) in HOSTILE.iter().enumerate() {
        let other = HOSTILE
            .iter()
            .cycle()
            .nth(at * 7 + 5)
            .copied()
            .unwrap_or_default();
        let secret = joined("password=hunter¦-86-x");
        for text in [
            piece.repeat(60) + &secret,
            secret.clone() + &piece.repeat(60),
            format!("{piece}{other}").repeat(30) + &secret + piece,
            format!("\0{piece}\"{secret}{other}\0"),
        ] {
            holds_promises(&text, &RuleGroup::REMOVAL);
        }
    }
}

#[test]
fn encodings_are_undone_three_deep() {
    let token = joined("ghp_aB3dE5gH7jK9¦mN1pQ3sT5vW7yZ9bC1eF3hJ5");
    let encode = |text: &str, times: usize| {
        (0..times).fold(text.replace('p', "%70"), |text, _| text.replace('%', "%25"))
    };
    for times in 0..40 {
        let text = encode(&token, times);
        let clean = sanitize(&text, &RuleGroup::REMOVAL).text;
        assert!(times >= 3 || clean == "YOUR_TOKEN", "{times}: {clean}");
        holds_promises(&text, &RuleGroup::REMOVAL);
    }
}
