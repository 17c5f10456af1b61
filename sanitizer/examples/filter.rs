//! Sanitizes JSON lines `{"id","text","rules"?}` from standard input to `{"id","text"}` on standard output.
//!
//! A line with `"findings":true` is answered with its findings too: which rule found what, where.

use std::borrow::Cow;
use std::io::{BufRead, Write};

use recall_kit_sanitizer::{Finding, RuleGroup, Sanitizer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A line of the input.
#[derive(Deserialize)]
struct LineIn<'l> {
    #[serde(borrow)]
    id: &'l RawValue,
    #[serde(borrow)]
    text: Cow<'l, str>,
    rules: Option<Vec<RuleGroup>>,
    #[serde(default)]
    findings: bool,
}

/// A line of the output.
#[derive(Serialize)]
struct LineOut<'l> {
    id: &'l RawValue,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Finding>>,
}

fn main() -> std::io::Result<()> {
    const ROOM: usize = 1 << 16;
    let sanitizer = Sanitizer::builtin();
    let mut input = std::io::BufReader::with_capacity(ROOM, std::io::stdin().lock());
    let mut out = std::io::BufWriter::with_capacity(ROOM, std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let read: LineIn<'_> = serde_json::from_str(&line)?;
        let groups = read.rules.as_deref().unwrap_or(&RuleGroup::REMOVAL);
        let clean = sanitizer.sanitize(&read.text, groups);
        let answer = LineOut {
            id: read.id,
            text: clean.text,
            findings: read.findings.then_some(clean.findings),
        };
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
        line.clear();
        // Another program may wait for the answer before it goes on.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    out.flush()
}
