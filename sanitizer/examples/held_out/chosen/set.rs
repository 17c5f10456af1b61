//! Reads the tables of a set.

use std::collections::BTreeMap;
use std::str::FromStr;

/// One of the sets of frames and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    /// The set that rules may be fitted to.
    Tuning,
    /// Sets that figures came from until those who write rules had read them.
    Development,
    Development2,
    Development3,
    Development4,
    /// The set that figures are reported from.
    Reported,
    /// The newest of the sets that were read. It comes last, so that the others keep their seeds.
    Development5,
}

impl FromStr for Set {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "tuning" => Ok(Self::Tuning),
            "development" => Ok(Self::Development),
            "development_2" => Ok(Self::Development2),
            "development_3" => Ok(Self::Development3),
            "development_4" => Ok(Self::Development4),
            "development_5" => Ok(Self::Development5),
            "reported" => Ok(Self::Reported),
            other => Err(format!(
                "no set is called {other:?}: tuning, development, development_2, development_3, development_4, development_5, reported"
            )),
        }
    }
}

/// A text with slots.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: &'static str,
    pub(crate) label: &'static str,
    pub(crate) text: String,
    pub(crate) harmless: bool,
}

/// The frames of a set and the lists that their slots are filled from.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) lists: BTreeMap<&'static str, Vec<String>>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) harmless: Vec<Frame>,
}

impl Tables {
    pub(crate) fn of(set: Set) -> Self {
        let [values, frames, harmless] = match set {
            Set::Tuning => [
                include_str!("tuning/values.txt"),
                include_str!("tuning/frames.txt"),
                include_str!("tuning/harmless.txt"),
            ],
            Set::Development => [
                include_str!("development/values.txt"),
                include_str!("development/frames.txt"),
                include_str!("development/harmless.txt"),
            ],
            Set::Development2 => [
                include_str!("development_2/values.txt"),
                include_str!("development_2/frames.txt"),
                include_str!("development_2/harmless.txt"),
            ],
            Set::Development3 => [
                include_str!("development_3/values.txt"),
                include_str!("development_3/frames.txt"),
                include_str!("development_3/harmless.txt"),
            ],
            Set::Development4 => [
                include_str!("development_4/values.txt"),
                include_str!("development_4/frames.txt"),
                include_str!("development_4/harmless.txt"),
            ],
            Set::Reported => [
                include_str!("reported/values.txt"),
                include_str!("reported/frames.txt"),
                include_str!("reported/harmless.txt"),
            ],
            Set::Development5 => [
                include_str!("development_5/values.txt"),
                include_str!("development_5/frames.txt"),
                include_str!("development_5/harmless.txt"),
            ],
        };
        Self {
            lists: read_lists(values),
            frames: read_frames(frames, false),
            harmless: read_frames(harmless, true),
        }
    }
}

/// Reads `name = a | b`, which lines that start with spaces continue.
fn read_lists(table: &'static str) -> BTreeMap<&'static str, Vec<String>> {
    let mut lists = BTreeMap::<&str, String>::new();
    let mut name = "";
    for line in lines(table) {
        let alternatives = match line.split_once(" = ") {
            Some((start, rest)) if !line.starts_with(' ') => {
                name = start;
                assert!(!lists.contains_key(name), "{name} stands there twice");
                rest
            }
            _ => line,
        };
        let list = lists.entry(name).or_default();
        list.push(' ');
        list.push_str(alternatives.trim());
    }
    let split = |list: &str| list.trim().split(" | ").map(unmarked).collect();
    lists
        .iter()
        .map(|(name, list)| (*name, split(list)))
        .collect()
}

/// Reads `label | text` below `[kind]`; a harmless text is its own label.
fn read_frames(table: &'static str, harmless: bool) -> Vec<Frame> {
    let mut kind = "";
    let mut frames = Vec::new();
    for line in lines(table) {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
            && !name.contains(['=', '‹', '"'])
        {
            kind = name;
            continue;
        }
        let (label, text) = match harmless {
            true => (line, line),
            false => line.split_once(" | ").expect("a label before each text"),
        };
        frames.push(Frame {
            kind,
            label,
            text: unmarked(text) + "\n",
            harmless,
        });
    }
    frames
}

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    let comment = |line: &&str| !line.is_empty() && !line.starts_with("#:");
    table.lines().filter(comment)
}

/// The text with the characters that its marks stand for.
fn unmarked(text: &str) -> String {
    text.replace('⏎', "\n")
        .replace('⇥', "\t")
        .replace('␛', "\u{1b}")
        .replace('␣', "\u{200b}")
}
