//! Part by part: a text that is cut into parts comes out the same in whatever pieces it arrives, and
//! two paragraphs that share nothing come out together as they do apart.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recall_kit_sanitizer::{Finding, RuleGroup, fuzzing, sanitize};

fuzz_target!(|bytes: &[u8]| {
    let [part, piece, middle, bytes @ ..] = bytes else {
        return;
    };
    let (one, two) = bytes.split_at(bytes.len().min(usize::from(*middle)));
    let (one, two) = (fuzzing::text(one), fuzzing::text(two));
    let whole = format!("{one}\n\n{two}");
    let part = 40 + usize::from(*part);
    let pieces = streamed(whole.as_bytes(), usize::from(*piece) + 1, part);
    assert_eq!(pieces, streamed(whole.as_bytes(), whole.len(), part));
    assert_eq!(pieces.split('\n').count(), whole.split('\n').count());
    apart(&one, &two, &whole);
});

fn streamed(bytes: &[u8], piece: usize, part: usize) -> String {
    let mut stream = fuzzing::stream(&RuleGroup::REMOVAL, part);
    let mut text = String::new();
    for piece in bytes.chunks(piece) {
        text += &stream.push(piece).text;
    }
    text + &stream.finish().text
}

/// Compares the whole with its two parts where nothing crosses the cut: no finding of the whole spans
/// it, and no part holds what the other gives away.
fn apart(one: &str, two: &str, whole: &str) {
    let clean = sanitize(whole, &RuleGroup::REMOVAL);
    let parts = [one, two].map(|part| sanitize(part, &RuleGroup::REMOVAL));
    let cut = one.len()..one.len() + 2;
    let crosses = |found: &Finding| found.span.start < cut.end && found.span.end > cut.start;
    let shared = |found: &Finding| {
        let secret = whole.get(found.span.clone()).unwrap_or_default();
        whole.matches(secret).nth(1).is_some()
    };
    if clean.findings.iter().any(|found| crosses(found) || shared(found)) {
        return;
    }
    let [one, two] = parts.map(|part| part.text);
    assert_eq!(clean.text, format!("{one}\n\n{two}"));
}
