//! Where a long text may be cut without cutting what belongs together: between paragraphs or lines,
//! outside key blocks and words that go on in the next line; inside a line only where there is no
//! other place.

use recall_kit_view as view;

/// A place to cut at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Behind a line.
    Line(usize),
    /// Inside a line that is longer than a part may be.
    Inside(usize),
}

/// Longest key block that is kept together, in bytes.
const MAX_BLOCK: usize = 64 << 10;

/// Finds the last good place in a part of a text that goes on behind it. Only the part's bytes
/// decide, so that the same text is cut at the same places however it arrives.
pub(crate) fn cut(part: &[u8]) -> Cut {
    let whole = open_block(part).unwrap_or(part.len());
    let head = part.get(..whole).unwrap_or(part);
    // A paragraph's end in the last quarter is worth a smaller part.
    let late = head.len() / 4 * 3;
    let paragraph = ends(head).take_while(|end| *end > late).find(|end| {
        let rest = head.get(*end..).unwrap_or_default();
        rest.starts_with(b"\n") || rest.starts_with(b"\r\n")
    });
    let outdented = || {
        ends(head).take_while(|end| *end > late).find(|end| {
            let next = head.get(*end);
            next.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
                && !view::goes_on_behind(head, *end - 1)
        })
    };
    let whole_words = || {
        let mut late = ends(head).take_while(|end| *end > late);
        late.find(|end| !view::goes_on_behind(head, *end - 1))
    };
    let any = || ends(head).next();
    if let Some(end) = paragraph
        .or_else(outdented)
        .or_else(whole_words)
        .or_else(any)
    {
        return Cut::Line(end);
    }
    if let Some(end) = ends(part).next() {
        return Cut::Line(end);
    }
    Cut::Inside(inside(part))
}

/// Where lines end, from the last to the first.
fn ends(part: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memrchr_iter(b'\n', part).map(|at| at + 1)
}

/// Where the line of a key block begins that the part does not end.
fn open_block(part: &[u8]) -> Option<usize> {
    let from = part.len().saturating_sub(MAX_BLOCK);
    let near = part.get(from..)?;
    let begin = memchr::memmem::rfind(near, b"-----BEGIN ")?;
    let closed = memchr::memmem::find(near.get(begin..)?, b"-----END ").is_some();
    let line = memchr::memrchr(b'\n', part.get(..from + begin)?).map(|at| at + 1)?;
    (!closed).then_some(line)
}

/// The last place of a long line where no word or token is cut; any character where there is none.
fn inside(part: &[u8]) -> usize {
    let apart = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'}' | b']');
    let late = part.len() / 4 * 3;
    if let Some(at) = part.iter().rposition(apart).filter(|at| *at > late) {
        return at + 1;
    }
    let boundary = |at: &usize| *at > 0 && part.get(*at).is_some_and(|byte| byte & 0xc0 != 0x80);
    (late..part.len())
        .rev()
        .find(boundary)
        .unwrap_or(part.len())
}
