//! Examples: which code blocks become chunks of their own, and how these are described.

use std::borrow::Cow;

use recall_kit_code::{Tag, guess, of_tag};

use super::{
    Chunk, ChunkKind, HARD_MAX_TOKENS, sections::Section, sentences, visible::visible, whole,
};
use crate::{
    document::{Block, BlockKind},
    tokens,
};

/// Longer descriptions are truncated.
const MAX_DESCRIPTION_CHARS: usize = 300;
/// Characters that are common in code and rare in words, numbers, paths and addresses.
const CODE_MARKS: [char; 12] = ['(', ')', '{', '}', '[', ']', '<', '>', '=', ';', '|', '$'];

/// A code block with its context.
pub(super) struct Example<'a> {
    line: u32,
    tag: Option<&'a str>,
    caption: Option<&'a str>,
    /// The sentence before it in its section.
    before: Option<&'a str>,
    language: Option<&'static str>,
    text: Cow<'a, str>,
}

impl<'a> Example<'a> {
    /// Returns the code block at an index of a section; `None` for other blocks.
    pub(super) fn of(blocks: &'a [Block], at: usize) -> Option<Self> {
        let block = blocks.get(at)?;
        let BlockKind::Code {
            language: tag,
            text,
            caption,
        } = &block.kind
        else {
            return None;
        };
        let language = match tag.as_deref().map(of_tag) {
            Some(Tag::Named(name)) => Some(name),
            Some(Tag::Text) => None,
            Some(Tag::Unknown) | None => guess(text),
        };
        Some(Self {
            line: block.line,
            tag: tag.as_deref(),
            caption: caption.as_deref(),
            before: sentence_before(blocks, at),
            language,
            text: visible(language, text),
        })
    }

    /// Whether it is useless alone: a single word, a program's output, or only an include of another file.
    pub(super) fn is_trivial(&self) -> bool {
        let text = self.text.trim();
        let bare_word = !text.contains(char::is_whitespace) && !self.is_code(text);
        let named_text = self.tag.is_some_and(|it| of_tag(it) == Tag::Text);
        let only_included = text.lines().all(|it| {
            let line = it.trim();
            line.is_empty() || line.starts_with("{{#")
        });
        let said_output = self.language.is_none()
            && self.before.is_some_and(|it| {
                let it = it.trim_end_matches([':', ' ']).to_ascii_lowercase();
                [
                    "output",
                    "outputs",
                    "prints",
                    "printed",
                    "output is",
                    "yields",
                ]
                .iter()
                .any(|end| it.ends_with(end))
            });
        bare_word || named_text || only_included || said_output
    }

    /// Whether a single word is code, as opposed to a name, a number or a line of output.
    fn is_code(&self, word: &str) -> bool {
        match self.language {
            // A command.
            Some("bash" | "powershell") => true,
            Some(_) => word.contains(|it: char| !it.is_alphanumeric() && it != '_'),
            None => word.contains(CODE_MARKS),
        }
    }

    /// Returns the example in a fence longer than any in it.
    pub(super) fn fenced(&self) -> String {
        let mut fence = "```".to_owned();
        while self.text.contains(&fence) && fence.len() < 64 {
            fence.push('`');
        }
        let language = self.language.unwrap_or_default();
        format!("{fence}{language}\n{}\n{fence}", self.text)
    }

    fn description(&self) -> Option<String> {
        let text = self.caption.or(self.before)?;
        let mut short: String = text.chars().take(MAX_DESCRIPTION_CHARS).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        Some(short)
    }
}

fn sentence_before(blocks: &[Block], at: usize) -> Option<&str> {
    let before = blocks.get(..at)?;
    let text = before.iter().rev().find_map(|it| match &it.kind {
        BlockKind::Text(text) => Some(text),
        _ => None,
    })?;
    // A file name above an example is not a description.
    Some(sentences::last(text)).filter(|it| !it.is_empty() && !it.starts_with("Filename: "))
}

/// Which text of a section becomes a chunk when its examples are chunks of their own.
pub(super) enum Text {
    /// Text and examples, because they can only be understood together.
    Whole,
    /// The text alone, because the section consists mostly of examples.
    WithoutExamples,
    /// None, because the text only introduces the examples, and their descriptions contain it.
    None,
}

/// Decides this for a section.
pub(super) fn only_described(section: &Section<'_>) -> Text {
    let (mut code, mut rest) = (0, 0);
    let mut described = true;
    for (at, block) in section.blocks.iter().enumerate() {
        match Example::of(section.blocks, at) {
            Some(example) if !example.is_trivial() => {
                code += example.text.len();
            }
            Some(example) => {
                described = false;
                rest += example.text.len();
            }
            None => match &block.kind {
                BlockKind::Text(text) => {
                    let next = Example::of(section.blocks, at + 1);
                    described &= next.is_some_and(|it| {
                        !it.is_trivial() && it.caption.is_none() && it.before == Some(text.trim())
                    }) && text.trim().ends_with(':')
                        && text.len() <= MAX_DESCRIPTION_CHARS;
                    rest += text.len();
                }
                BlockKind::Table(text) => {
                    described = false;
                    rest += text.len();
                }
                BlockKind::Heading { .. } | BlockKind::Code { .. } => {}
            },
        }
    }
    // Two thirds or more is code: the chunk would be a copy of the examples.
    if code == 0 || code <= rest * 2 {
        Text::Whole
    } else if described {
        Text::None
    } else {
        Text::WithoutExamples
    }
}

/// Returns the examples of a section, each as a chunk.
pub(super) fn of(section: &Section<'_>) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for at in 0..section.blocks.len() {
        let example = Example::of(section.blocks, at).filter(|it| !it.is_trivial());
        let Some(example) = example else {
            continue;
        };
        let description = example.description().or_else(|| heading(section));
        for (line, text, size) in runs(&example.text) {
            chunks.push(Chunk {
                kind: ChunkKind::Code,
                title: section.title(),
                description: description.clone(),
                language: example.language.map(str::to_owned),
                text,
                line: example.line.saturating_add(line),
                tokens: size,
            });
        }
    }
    chunks
}

/// Returns the heading above an example, with its parent heading if it is as general as "Usage".
fn heading(section: &Section<'_>) -> Option<String> {
    let (last, above) = section.path.split_last()?;
    let general = ["example", "examples", "usage", "synopsis"]
        .iter()
        .any(|it| last.eq_ignore_ascii_case(it));
    match above.last() {
        Some(above) if general => Some(format!("{above}: {last}")),
        _ => Some(last.clone().into_owned()),
    }
}

/// Returns an example, split only if it is beyond the hard limit: first line, text, tokens.
fn runs(text: &str) -> Vec<(u32, String, u32)> {
    let size = tokens::count(text);
    if size <= HARD_MAX_TOKENS {
        return vec![(0, text.to_owned(), size)];
    }
    whole::runs(text, HARD_MAX_TOKENS)
        .into_iter()
        .map(|(line, text)| {
            let text = text.trim_end_matches('\n').to_owned();
            let size = tokens::count(&text);
            (line, text, size)
        })
        .filter(|(_, text, _)| !text.is_empty())
        .collect()
}
