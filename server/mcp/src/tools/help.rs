//! The guide to the knowledge base that agents ask for once.
//!
//! Source: seeds knowledge document, `rekall_help`. Its text is `help.md`.

use recall_kit_shared_types::knowledge::{HelpData, HelpTopic};

/// Sections begin with `## `, the topic that they belong to in front of a colon.
const GUIDE: &str = include_str!("help.md");

/// Returns one section of the guide, or all of it.
pub(super) fn help(topic: HelpTopic) -> HelpData {
    let mut guide = String::from("# Rekall - Agent Guide\n");
    for section in GUIDE.split("\n## ").skip(1) {
        let Some((name, text)) = section.split_once('\n') else {
            continue;
        };
        let (own, title) = name.split_once(": ").unwrap_or((name, name));
        if topic == HelpTopic::All || own == topic.as_str() {
            guide.push_str(&format!("\n## {title}\n{}\n", text.trim()));
        }
    }
    let topics = HelpTopic::ALL.iter().map(ToString::to_string);
    HelpData {
        guide,
        topics_available: topics.collect(),
    }
}
