//! Sanitizes JSON lines `{"id","text","rules"?}` from standard input to `{"id","text"}` on standard output.
//!
//! A line with `"findings":true` is answered with its findings too: which rule found what, where.

use std::io::{BufRead, Write};

use recall_kit_sanitizer::{RuleGroup, sanitize};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let groups = match &line["rules"] {
            Value::Null => RuleGroup::REMOVAL.to_vec(),
            rules => serde_json::from_value(rules.clone())?,
        };
        let text = line["text"].as_str().unwrap_or_default();
        let clean = sanitize(text, &groups);
        let mut answer = json!({"id": line["id"], "text": clean.text});
        if line["findings"] == true {
            answer["findings"] = serde_json::to_value(&clean.findings)?;
        }
        writeln!(out, "{answer}")?;
    }
    out.flush()
}
