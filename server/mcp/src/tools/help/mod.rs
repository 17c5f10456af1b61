//! `rekall_help`: the guide to the knowledge base, which agents read once. Its text is `guide.md`.

use recall_kit_shared_types::{
    ToolName,
    knowledge::{HelpData, HelpTopic},
    which_tool,
};

/// The text. Sections begin with `## `, their topic and a colon; `{which_tool}`
/// stands for the table of tools.
const GUIDE: &str = include_str!("guide.md");

/// Returns the sections of one topic, or the whole guide.
pub(super) fn help(topic: HelpTopic) -> HelpData {
    let table = which_tool(ToolName::SubmitExperience.as_str());
    let mut guide = String::from("# Rekall - Agent Guide\n");
    for section in GUIDE.split("\n## ").skip(1) {
        let Some((name, text)) = section.split_once('\n') else {
            continue;
        };
        let (section_topic, title) = name.split_once(": ").unwrap_or((name, name));
        if topic == HelpTopic::All || section_topic == topic.as_str() {
            let text = text.trim().replace("{which_tool}", &table);
            guide.push_str(&format!("\n## {title}\n{text}\n"));
        }
    }
    let topics = HelpTopic::ALL.iter().map(ToString::to_string);
    HelpData {
        guide,
        topics_available: topics.collect(),
    }
}
