//! Ways in which a text hides what it says, and the dice that choose among them.

/// Numbers that are the same in every run (xorshift).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub(crate) fn word(&mut self, alphabet: &str, length: usize) -> String {
        let bytes = alphabet.as_bytes();
        (0..length).map(|_| char::from(self.pick(bytes))).collect()
    }
}

pub(crate) const ALL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const HEX: &str = "0123456789abcdef";

/// Where a secret is cut: behind its prefix, or anywhere.
pub(crate) fn cut(secret: &str, dice: &mut Dice) -> (String, String) {
    if secret.len() < 3 {
        return (secret.to_owned(), String::new());
    }
    let at = match dice.below(3) {
        0 => secret.find(['_', '-']).map_or(1, |at| at + 1),
        _ => 1 + dice.below(secret.len() - 2),
    };
    let at = at.min(secret.len() - 1);
    (secret[..at].to_owned(), secret[at..].to_owned())
}

fn each(secret: &str, dice: &mut Dice, share: usize, write: impl Fn(char) -> String) -> String {
    let chars = secret.chars();
    let mut hidden: String = chars
        .map(|c| match dice.below(100) < share {
            true => write(c),
            false => c.to_string(),
        })
        .collect();
    if hidden == secret {
        hidden = secret.chars().map(write).collect();
    }
    hidden
}

pub(crate) type Hide = fn(&str, &mut Dice) -> String;

/// Kinds of hiding that work in any frame.
pub(crate) const HIDINGS: &[(&str, Hide)] = &[
    ("ansi grep", |s, d| {
        let (a, b) = cut(s, d);
        format!("\u{1b}[01;31m\u{1b}[K{a}\u{1b}[m\u{1b}[K{b}")
    }),
    ("ansi whole", |s, _| format!("\u{1b}[32m{s}\u{1b}[0m")),
    ("ansi json", |s, d| {
        let (a, b) = cut(s, d);
        format!(r"\u001b[01;31m\u001b[K{a}\u001b[m\u001b[K{b}")
    }),
    ("ansi x1b", |s, d| {
        let (a, b) = cut(s, d);
        format!(r"\x1b[1m{a}\x1b[0m{b}")
    }),
    ("ansi 033", |s, d| {
        let (a, b) = cut(s, d);
        format!(r"{a}\033[1;33m{b}\033[0m")
    }),
    ("ansi caret", |s, d| {
        let (a, b) = cut(s, d);
        format!("^[[31m{a}^[[0m{b}")
    }),
    ("ansi bare", |s, d| {
        let (a, b) = cut(s, d);
        format!("[01;31m[K{a}[m[K{b}")
    }),
    ("zero width", |s, d| {
        let (a, b) = cut(s, d);
        format!("{a}\u{200b}{b}")
    }),
    ("soft hyphen", |s, d| {
        let (a, b) = cut(s, d);
        format!("{a}\u{ad}{b}")
    }),
    ("entity shy", |s, d| {
        let (a, b) = cut(s, d);
        format!("{a}&shy;{b}")
    }),
    ("escaped zero width", |s, d| {
        let (a, b) = cut(s, d);
        format!(r"{a}\u200b{b}")
    }),
    ("markdown escape", |s, _| {
        s.replace('_', r"\_").replace('-', r"\-")
    }),
    ("bold prefix", |s, d| {
        let (a, b) = cut(s, d);
        format!("**{a}**{b}")
    }),
    ("bold inside", |s, d| {
        let (a, b) = cut(s, d);
        let (b, c) = cut(&b, d);
        format!("{a}**{b}**{c}")
    }),
    ("italic", |s, d| {
        let (a, b) = cut(s, d);
        format!("*{a}*{b}")
    }),
    ("tag", |s, d| {
        let (a, b) = cut(s, d);
        let (tag, end) = d.pick(&[
            ("<b>", "</b>"),
            ("<span class=\"hl\">", "</span>"),
            ("<em>", "</em>"),
        ]);
        format!("{tag}{a}{end}{b}")
    }),
    ("full-width some", |s, d| {
        each(s, d, 30, |c| {
            char::from_u32(u32::from(c) - 0x20 + 0xff00)
                .into_iter()
                .collect()
        })
    }),
    ("full-width all", |s, d| {
        each(s, d, 100, |c| {
            char::from_u32(u32::from(c) - 0x20 + 0xff00)
                .into_iter()
                .collect()
        })
    }),
    ("mathematical", |s, d| {
        each(s, d, 100, |c| match c {
            'a'..='z' => char::from_u32(0x1d5ee + u32::from(c) - 97)
                .into_iter()
                .collect(),
            'A'..='Z' => char::from_u32(0x1d5d4 + u32::from(c) - 65)
                .into_iter()
                .collect(),
            _ => c.to_string(),
        })
    }),
    ("entity decimal", |s, d| {
        each(s, d, 20, |c| format!("&#{};", u32::from(c)))
    }),
    ("entity hex all", |s, d| {
        each(s, d, 100, |c| format!("&#x{:x};", u32::from(c)))
    }),
    ("entity named", |s, _| {
        s.replace('_', "&lowbar;").replace('-', "&hyphen;")
    }),
    ("percent some", |s, d| {
        each(s, d, 20, |c| format!("%{:02X}", u32::from(c)))
    }),
    ("percent all", |s, d| {
        each(s, d, 100, |c| format!("%{:02x}", u32::from(c)))
    }),
    ("percent twice", |s, d| {
        each(s, d, 20, |c| format!("%25{:02X}", u32::from(c)))
    }),
    ("u some", |s, d| {
        each(s, d, 20, |c| format!("\\u{:04x}", u32::from(c)))
    }),
    ("u all", |s, d| {
        each(s, d, 100, |c| format!("\\u{:04X}", u32::from(c)))
    }),
    ("u doubled", |s, d| {
        each(s, d, 20, |c| format!("\\\\u{:04x}", u32::from(c)))
    }),
    ("x some", |s, d| {
        each(s, d, 20, |c| format!("\\x{:02x}", u32::from(c)))
    }),
    ("octal all", |s, d| {
        each(s, d, 100, |c| format!("\\{:03o}", u32::from(c)))
    }),
    ("entity in percent", |s, d| {
        each(s, d, 20, |c| format!("%26%23{}%3B", u32::from(c)))
    }),
    ("percent in u", |s, d| {
        each(s, d, 20, |c| format!("\\u0025{:02x}", u32::from(c)))
    }),
    ("Greek and Cyrillic", |s, d| {
        let looks = [
            ('o', 'о'),
            ('a', 'а'),
            ('p', 'р'),
            ('c', 'с'),
            ('x', 'х'),
            ('e', 'е'),
            ('A', 'Α'),
        ];
        let place = d.below(s.len());
        let mut hidden = String::new();
        for (at, c) in s.char_indices() {
            let like = looks
                .iter()
                .find(|(latin, _)| *latin == c)
                .map(|(_, like)| *like);
            hidden.push(like.filter(|_| at >= place || at < 8).unwrap_or(c));
        }
        hidden
    }),
    ("continued", |s, d| {
        let (a, b) = cut(s, d);
        format!("{a}\\\n{b}")
    }),
    ("base64", |s, _| {
        base64(format!("TOKEN={s}\nPORT=80\n").as_bytes())
    }),
    ("base64 alone", |s, _| base64(s.as_bytes())),
    ("base64 twice", |s, _| {
        base64(base64(s.as_bytes()).as_bytes())
    }),
    ("colour and emphasis", |s, d| {
        let (a, b) = cut(s, d);
        let (b, c) = cut(&b, d);
        format!("\u{1b}[1m{a}\u{1b}[0m**{b}**{c}")
    }),
];

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let mut three = [0; 3];
        three[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() {
                char::from(digit)
            } else {
                '='
            });
        }
    }
    out
}
