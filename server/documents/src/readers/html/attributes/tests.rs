//! Surplus attributes are removed, and the tokenizer never gets a tag with more, whatever a page looks like.

use std::cell::Cell;

use html5ever::{
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};

use super::{limited_to, raw_kind};

#[test]
fn surplus_attributes_are_removed() {
    fn check(html: &str, expected: &str) {
        assert_eq!(limited_to(html, 2), expected, "{html}");
    }
    check("<p a b c d>x</p>", "<p a b >x</p>");
    check("<p a=1 b='>' c=\">\" d>x", "<p a=1 b='>' >x");
    check("<p a/b/c/>x</p d e f>y", "<p a/b/>x</p d e >y");
    check("<p\na = 1\r\nb\tc=>x<b>", "<p\na = 1\r\nb\t>x<b>");
    check("<p a b\u{e9} \u{e9}c>\u{e9}", "<p a b\u{e9} >\u{e9}");
    check("<p =a =b =c =d =e>", "<p =a =b =c =d >");
    check("<p a b c", "<p a b ");
    // Text that only looks like tags.
    for html in [
        "a < b c d e >",
        "<!-- <p a b c d> --!> <!--> <!---> <p a b>",
        "<!doctype html a b c d><?x a b c d></ a b c d>",
        "<script a>'<p a b c d>'</script b>",
        "<STYLE><p a b c d></styles><p a b c></STYLE>",
        "<title><p a b c d></p></title>",
    ] {
        check(html, html);
    }
    check(
        "<script><!--<script></script><p a b c>",
        "<script><!--<script></script><p a b >",
    );
}

/// A sink that records the most attributes of a tag.
#[derive(Default)]
struct Most(Cell<usize>);

impl TokenSink for Most {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            self.0.set(self.0.get().max(tag.attrs.len()));
            let is_start = tag.kind == html5ever::tokenizer::TagKind::StartTag;
            if let Some(kind) = raw_kind(&tag.name).filter(|_| is_start) {
                return TokenSinkResult::RawData(kind);
            }
        }
        TokenSinkResult::Continue
    }
}

#[test]
fn the_tokenizer_never_gets_more_attributes() {
    const PARTS: &[&str] = &[
        "<p ", "<b", "</p ", "</script", "<script", "<title ", "</title", ">", ">", "/", "=", "= ",
        " a", " b", " c", " d", " e", " f", "\n", "'", "\"", "<!--", "-->", "--!>", "-", "!",
        "<!x", "<?", "</", "<", "\u{e9}", "x",
    ];
    let mut seed = 7_u32;
    let mut below = |limit: usize| {
        // xorshift
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed as usize % limit
    };
    let mut cut = 0;
    for _ in 0..20_000 {
        let html: String = (0..below(40) + 3)
            .map(|_| PARTS[below(PARTS.len())])
            .collect();
        let limited = limited_to(&html, 3);
        cut += usize::from(limited != html);
        let tokenizer = Tokenizer::new(Most::default(), TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from_slice(&limited));
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        let most = tokenizer.sink.0.get();
        assert!(most <= 3, "{most} in {html:?}, limited to {limited:?}");
    }
    assert!(cut > 1_000, "{cut}");
}
