//! The crate's promises over texts that a generator makes, with a smaller one wherever they break.

use proptest::prelude::*;

use super::{holds_promises, joined};
use crate::stream::Stream;
use crate::{Finding, RuleGroup, Sanitizer, sanitize, sanitize_all};

/// What stands before a value, and what behind it.
const FRAMES: &[(&str, &str)] = &[
    ("DB_PASSWORD=", "\n"),
    ("password: \"", "\"\n"),
    ("{\"api_token\": \"", "\", \"ttl\": 60}\n"),
    ("--token ", " --verbose"),
    ("Authorization: Bearer ", "\n"),
    ("postgres://app:", "@db.prod.oakmere.net/x\n"),
    ("https://", ".corp.oakmere.net/a?b=c "),
    ("/home/", "/x.rs:1:2\n"),
    ("密码：", "\n"),
    ("<password>", "</password>"),
    ("- name: ACME_KEY\n  value: ", "\n"),
    ("VALUES ('api_key', '", "');"),
    ("by Nadia Kurosawa <", "@oakmere.net>\n"),
    (
        "-----BEGIN PRIVATE¦ KEY-----\n",
        "\n-----END PRIVATE KEY-----\n",
    ),
    ("const t = \"sk-¦proj-", "\";\n"),
    ("ping 10.1.2.", "\n\n"),
    ("", " "),
];

/// A piece of text: a value in a frame, or anything.
fn piece() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "[A-Za-z0-9]{8,40}",
        "[a-f0-9]{32}",
        "[a-z]{4,10}-[0-9]{2}-[a-z!]{1,3}",
        "[0-9]{1,3}",
        "[a-z]{3,9}",
        "YOUR_[A-Z]{3,6}",
    ];
    let framed = (0..FRAMES.len(), value).prop_map(|(frame, value)| {
        let (before, after) = FRAMES[frame];
        joined(&format!("{before}{value}{after}"))
    });
    prop_oneof![4 => framed, 1 => ".{0,12}", 1 => "[\\n \"'`{}()<>:=|,;\\\\-]{1,6}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..10).prop_map(|pieces| pieces.concat())
}

/// Streams bytes in pieces; what comes out, and what was found.
fn streamed(bytes: &[u8], piece: usize, part: usize) -> (String, Vec<Finding>) {
    let mut stream = Stream::new(Sanitizer::builtin(), &RuleGroup::REMOVAL, part);
    let (mut text, mut findings) = (String::new(), Vec::new());
    for piece in bytes.chunks(piece) {
        let done = stream.push(piece);
        text += &done.text;
        findings.extend(done.findings);
    }
    let done = stream.finish();
    findings.extend(done.findings);
    (text + &done.text, findings)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_come_out_clean_and_stay_so(text in text()) {
        holds_promises(&text, &RuleGroup::REMOVAL);
        holds_promises(&text, &RuleGroup::ALL);
    }

    #[test]
    fn texts_of_a_document_come_out_clean_together(one in text(), two in text()) {
        let clean = sanitize_all(&[&one, &two], &RuleGroup::REMOVAL);
        let texts: Vec<&str> = clean.iter().map(|clean| clean.text.as_str()).collect();
        for again in sanitize_all(&texts, &RuleGroup::REMOVAL) {
            prop_assert_eq!(again.findings, []);
        }
    }

    #[test]
    fn pieces_do_not_matter(text in text(), piece in 1_usize..40, part in 40_usize..400) {
        let text = text.trim_start_matches('\u{feff}');
        let whole = streamed(text.as_bytes(), text.len().max(1), part);
        prop_assert_eq!(&streamed(text.as_bytes(), piece, part), &whole);
        prop_assert_eq!(whole.0.split('\n').count(), text.split('\n').count());
        let unhurried = sanitize(text, &RuleGroup::REMOVAL);
        let one_part = streamed(text.as_bytes(), piece, text.len().max(40));
        prop_assert_eq!(one_part, (unhurried.text, unhurried.findings));
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300), piece in 1_usize..50) {
        let (text, _) = streamed(&bytes, piece, 64);
        prop_assert_eq!(text.split('\n').count(), bytes.split(|byte| *byte == b'\n').count());
    }
}
