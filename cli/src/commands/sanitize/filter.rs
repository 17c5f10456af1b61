//! `sanitize --json-lines`: a filter that another program runs permanently.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use anyhow::{Context as _, anyhow};
use recall_kit_sanitizer::RuleGroup;
use serde::{Deserialize, Serialize};
use serde_json::{error::Category, value::RawValue};

use super::Rules;

/// The size of the buffers. *Unit*: bytes.
const BUFFER: usize = 1 << 17;

/// A line of the filter's input.
#[derive(Debug, Deserialize)]
pub(super) struct LineIn<'l> {
    /// Is returned unchanged.
    #[serde(borrow)]
    id: &'l RawValue,
    #[serde(borrow)]
    text: Cow<'l, str>,
    /// Overrides `--rules` for this line.
    #[serde(default)]
    rules: Option<Vec<RuleGroup>>,
}

/// A line of the filter's output.
#[derive(Debug, Serialize)]
struct LineOut<'l> {
    id: &'l RawValue,
    text: String,
}

/// Answers line by line. Answers are buffered only while the next line is already available, so that a caller that
/// waits for an answer gets it.
pub(super) fn run(input: impl Read, rules: &Rules<'_>) -> anyhow::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER, input);
    let mut output = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    let mut line = String::new();
    let mut number = 0_u64;
    loop {
        number += 1;
        line.clear();
        let read = input.read_line(&mut line);
        if read.with_context(|| format!("line {number} cannot be read"))? == 0 {
            break;
        }
        if !line.trim().is_empty() {
            answer(line_of(&line, number)?, rules, &mut output)?;
        }
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(())
}

fn answer(line: LineIn<'_>, rules: &Rules<'_>, output: &mut impl Write) -> io::Result<()> {
    let groups = line.rules.as_deref().unwrap_or(rules.groups);
    let answer = LineOut {
        text: rules.sanitizer.sanitize(&line.text, groups).text,
        id: line.id,
    };
    serde_json::to_writer(&mut *output, &answer)?;
    output.write_all(b"\n")
}

/// Parses one line of input. An error does not quote it, because it may contain the secrets that have to be removed.
pub(super) fn line_of(line: &str, number: u64) -> anyhow::Result<LineIn<'_>> {
    serde_json::from_str(line).map_err(|error| {
        let what = match error.classify() {
            Category::Data => "a missing or invalid value",
            Category::Syntax => "wrong syntax",
            Category::Eof | Category::Io => "an unexpected end",
        };
        let column = error.column();
        anyhow!("line {number} is not {{\"id\", \"text\", \"rules\"?}}: {what} at column {column}")
    })
}
