//! The expressions for what stands between a key and its value, tried only where they may begin.

use std::ops::Range;
use std::sync::OnceLock;

use crate::rules::shape::Regex;

/// What may stand between a key and its value, or open a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    ValueField,
    DefaultField,
    Call,
    Option,
    NextElement,
    Typed,
    TypedAfter,
    Operator,
    Comma,
    Cell,
    Element,
    Flag,
    Prose,
    Opener,
}

/// The expressions of the parts, in their order.
const PARTS: &[&str] = &[
    r#"(?i)^\\*["']?(?:\s*,\s*\\*["'](?:type|description|sensitive|secret|enabled|required|scope|masked|protected)\\*["']\s*:\s*[^,\n{}]{0,60}){0,3}\s*,?\s*\\*["']?(?:[\w-]+:)?(?:value|val|content|default|defaultValue|initial_value|plaintext)\\*["']?\s*[:=]>?[ \t]*"#,
    r#"^(?:\\*["']?\s*:?\s*\{[^{}]{0,160}?["']?[dD]efault(?:Value)?["']?\s*[:=]|:[ \t]*\n(?:[ \t]+[\w-]+:[^\n]*\n){0,3}[ \t]+(?:default|value|example):)[ \t]*"#,
    r#"^\(\s*(?:Some\(\s*)?["'`]"#,
    r#"^["']?[ \t]+(?:--body|--value|--secret-string|--string-value|-b|-v)[ =]+"#,
    r"^</[\w:.-]+>\s*<(?:value|string|param-value|Value|val)\b[^<>]{0,40}>\s*",
    r"^\s*\??:\s*(?:&(?:'\w+ )?)?[A-Za-z_][\w<>\[\]?.&|: ]{0,40}?\s?=[ \t]*",
    r"^[ \t]+(?:[Aa][Ss] )?[*\[\]\w.()]{1,24}[ \t]*:?=[ \t]*",
    r#"^(?:\[\w{0,12}\])?\\*["'`]?\]?\)?\*{0,2}[ \t]*(?:=(?:>|={0,2})|:[=:]?|\?{1,2}=|\+=|\|\|=|!={1,2}|->|<-|[：＝→⇒←])(?:\*\*)?\s*(?:[|>][+-]?\d?[ \t]*\n[ \t]+|&[\w-]+[ \t]+|!!\w+[ \t]+)?"#,
    r#"^\\*["'`][ \t]*,[ \t]*"#,
    r"^[ \t]*\|[ \t]*`?",
    r#"^(?:\\*["'][^<>\n]{0,40}|(?:[ \t]+[\w:.-]{1,30}="[^"<>\n]{0,60}"){1,4})?>\s*"#,
    r#"^(?:\\*["'],?)?\s+"#,
    r"^(?:[ \t]+(?:is|was|are|set to|equals|es|est|ist|lautet|é|è|será|sera|era|wird|war|était|foi|fue)[ \t:]+|[ \t]*(?:是|为|為|は|が|=|는|은|就是|設定為|设为|[—–])[ \t]*|[ \t]-[ \t]|[ \t]+)",
    r#"^(?:\[\s*)?(?:(?:new\s+)?[A-Za-z_][\w.:]{0,40}!?\(\s*)?(?:[bBrRfFuUN@L$]{0,2})(?P<secret>\\*["'`])"#,
];

/// The parts, and which of them may begin with a byte, and go on with another, as bits.
pub(super) struct Separators {
    parts: Vec<Regex>,
    begin: [[u16; 256]; 2],
}

impl Separators {
    fn new() -> Self {
        let regex = |pattern: &&str| Regex::new(pattern).expect("the pattern is a constant");
        let parts: Vec<Regex> = PARTS.iter().map(regex).collect();
        let mut begin = [[0; 256]; 2];
        for (part, regex) in parts.iter().enumerate() {
            for (place, table) in regex.places().iter().zip(&mut begin) {
                for (byte, parts) in (0..=u8::MAX).zip(table) {
                    *parts |= u16::from(place.contains(byte)) << part;
                }
            }
        }
        Self { parts, begin }
    }

    /// The parts that a text may begin with, by its first bytes.
    pub(super) fn beginning(&'static self, text: &str) -> Beginning {
        let mut open = u16::MAX;
        for (table, byte) in self.begin.iter().zip(text.bytes()) {
            open &= table.get(usize::from(byte)).copied().unwrap_or(0);
        }
        Beginning {
            parts: &self.parts,
            open,
        }
    }
}

/// The parts that a text may begin with.
pub(super) struct Beginning {
    parts: &'static [Regex],
    open: u16,
}

impl Beginning {
    /// Whether any part but an opening quote may stand there.
    pub(super) fn is_possible(&self) -> bool {
        self.open & !(1 << Part::Opener as u16) != 0
    }

    /// Finds the part where the text begins: all of it, and its group `secret`.
    pub(super) fn find(&self, part: Part, text: &str) -> Option<(Range<usize>, Range<usize>)> {
        let open = self.open >> part as u16 & 1 == 1;
        let open = open && may_have(part, text.as_bytes());
        self.parts.get(part as usize).filter(|_| open)?.find(text)
    }
}

/// Whether a text has the sign that a part cannot do without.
fn may_have(part: Part, text: &[u8]) -> bool {
    match part {
        Part::Typed | Part::TypedAfter => memchr::memchr(b'=', text).is_some(),
        Part::Opener => memchr::memchr3(b'"', b'\'', b'`', text).is_some(),
        _ => true,
    }
}

pub(super) fn separators() -> &'static Separators {
    static CELL: OnceLock<Separators> = OnceLock::new();
    CELL.get_or_init(Separators::new)
}
