//! Makes a text from a frame and values.

use super::super::dice::Dice;
use super::disguise::disguised;
use super::set::{Frame, Tables};
use super::slot::{Case, Role, Slot, parts};

/// A text, and what has to go or to stay in it.
#[derive(Debug)]
pub(crate) struct Sample<'t> {
    pub(crate) frame: &'t Frame,
    pub(crate) text: String,
    /// The text without its secrets.
    pub(crate) rest: String,
    pub(crate) secrets: Vec<String>,
    pub(crate) kept: Vec<String>,
}

/// Kinds whose secrets bring lines of their own along: armour, wrapped words.
const WITHOUT_LINES: &[&str] = &[
    "hidden text",
    "private key without its frame",
    "encoded secret",
    "seed phrase",
];

/// Fills the slots of a frame.
pub(crate) fn compose<'t>(tables: &Tables, frame: &'t Frame, dice: &mut Dice) -> Sample<'t> {
    let mut text = Marked::default();
    let mut secrets = Vec::new();
    for (before, slot) in parts(&frame.text) {
        text.push_frame(before);
        let Some(slot) = slot else { continue };
        let plain = value(tables, &slot, dice);
        let shown = match slot.disguise {
            Some(disguise) => disguised(disguise, &plain),
            None => plain.clone(),
        };
        match slot.role {
            _ if frame.harmless => text.push_frame(&shown),
            Role::Kept => text.push_frame(&shown),
            Role::Open => text.push_value(&shown),
            Role::Secret => {
                text.push_value(&shown);
                secrets.push(
                    match slot
                        .disguise
                        .map(|name| name.split_once(':').unwrap_or((name, "")).0)
                    {
                        Some("base64") => shown,
                        // Each piece has to go.
                        Some(name @ ("split" | "thirds")) => {
                            disguised(&format!("{name}: "), &plain)
                        }
                        _ => plain,
                    },
                );
            }
        }
    }
    let mut kept = text.kept;
    if !WITHOUT_LINES.contains(&frame.kind) {
        let whole = |line: &&str| !line.contains(GAP) && !line.trim().is_empty();
        kept.extend(text.rest.lines().filter(whole).map(str::to_owned));
    }
    Sample {
        frame,
        text: text.text,
        rest: text.rest,
        secrets,
        kept,
    }
}

/// A value that fits its slot.
fn value(tables: &Tables, slot: &Slot<'_>, dice: &mut Dice) -> String {
    for _ in 0..1000 {
        let value = expand(tables, slot.list, dice);
        let value = match slot.case {
            Case::AsIs => value,
            Case::Upper => value.to_uppercase(),
            Case::Capital => {
                let first = value.chars().next().map_or(0, char::len_utf8);
                value[..first].to_uppercase() + &value[first..]
            }
        };
        if slot.takes(&value) {
            return value;
        }
    }
    panic!("no value of {} fits {:?}", slot.list, slot.fit)
}

/// A value of a list, or a run of characters.
pub(crate) fn expand(tables: &Tables, list: &str, dice: &mut Dice) -> String {
    if let Some((characters, length)) = list.split_once('*') {
        let characters = match characters {
            "9" => super::super::dice::DIGITS,
            "a" => super::super::dice::LOWER,
            "h" => super::super::dice::HEX,
            "x" => "abcdefghijkmnopqrstuvwxyz0123456789",
            "B" => super::super::dice::BASE64,
            other => panic!("no characters are called {other}"),
        };
        return dice.run(characters, length.parse().expect("a length"));
    }
    let Some(list) = tables.lists.get(list) else {
        panic!("no list is called {list}")
    };
    let chosen = &list[dice.below(list.len())];
    let mut text = String::new();
    for (before, slot) in parts(chosen) {
        text.push_str(before);
        if let Some(slot) = slot {
            text.push_str(&value(tables, &slot, dice));
        }
    }
    text
}

/// Stands in the rest of a text where a value stood.
pub(crate) const GAP: char = '\u{fffc}';

/// A text that grows, and what of it is marked.
#[derive(Default)]
struct Marked {
    text: String,
    rest: String,
    kept: Vec<String>,
    open: Option<usize>,
}

impl Marked {
    fn push_frame(&mut self, part: &str) {
        for one in part.chars() {
            match one {
                '⟦' => self.open = Some(self.text.len()),
                '⟧' => {
                    let start = self.open.take().expect("⟦ before ⟧");
                    self.kept.push(self.text[start..].trim().to_owned());
                }
                _ => {
                    self.text.push(one);
                    self.rest.push(one);
                }
            }
        }
    }

    fn push_value(&mut self, shown: &str) {
        self.text.push_str(shown);
        // As many lines as the value has: a line of the frame that it touches is not whole.
        let gaps = shown.split('\n').map(|_| GAP.to_string());
        self.rest.push_str(&gaps.collect::<Vec<_>>().join("\n"));
    }
}
