//! `rekall_help`: the guide to the knowledge base, which agents read once. Its text is `help.md`.

use recall_kit_shared_types::knowledge::{HelpData, HelpTopic};

/// The text. Sections begin with `## `, their topic and a colon.
const GUIDE: &str = include_str!("help.md");

/// Returns the sections of one topic, or the whole guide.
pub(super) fn help(topic: HelpTopic) -> HelpData {
    let mut guide = String::from("# Rekall - Agent Guide\n");
    for section in GUIDE.split("\n## ").skip(1) {
        let Some((name, text)) = section.split_once('\n') else {
            continue;
        };
        let (section_topic, title) = name.split_once(": ").unwrap_or((name, name));
        if topic == HelpTopic::All || section_topic == topic.as_str() {
            guide.push_str(&format!("\n## {title}\n{}\n", text.trim()));
        }
    }
    let topics = HelpTopic::ALL.iter().map(ToString::to_string);
    HelpData {
        guide,
        topics_available: topics.collect(),
    }
}
