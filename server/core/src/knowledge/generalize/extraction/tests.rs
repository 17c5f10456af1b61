//! What a draft contains of its sources.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use ulid::Ulid;

use super::*;

fn source(kind: EntryType, title: &str, content: &str, tags: &[&str]) -> Entry {
    Entry {
        id: Ulid(1),
        content: EntryContent {
            kind,
            title: title.to_owned(),
            content: content.to_owned(),
            tags: tags.iter().map(ToString::to_string).collect(),
            project: Some("Shop".to_owned()),
            context: None,
            confidence: 4,
            memory_type: MemoryType::Episodic,
            citations: Vec::new(),
        },
        status: EntryStatus::Active,
        access_count: 0,
        popularity: 0,
        last_accessed: None,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

#[test]
fn a_draft_contains_what_its_sources_have_in_common() {
    use EntryType::{Bug, Pitfall};
    let timeout = "It was Friday. The pool timeout was too short. We went home.";
    let mut sources = vec![
        source(Bug, "Something broke", timeout, &["pool", "friday"]),
        source(
            Pitfall,
            "Pool timeout",
            "# Why\n\n- the pool ran dry by timeout",
            &["pool"],
        ),
        source(Pitfall, "Again", "", &["pool", "db"]),
    ];
    let words = ["timeout".to_owned(), "pool".to_owned()];
    assert_eq!(kind(&sources), Pitfall);
    assert_eq!(kind(&sources[..2]), Bug);
    assert_eq!(common_title(&sources, &words), "Pool timeout");
    assert_eq!(tags(&sources), ["pool"]);
    assert_eq!(project(&sources).as_deref(), Some("Shop"));
    assert_eq!(confidence(&sources), 4);
    let text = text(&sources, &words);
    for sentence in [
        "- The pool timeout was too short\n",
        "- the pool ran dry by timeout\n",
        "- Again\n",
        "Common to 3 episodes: timeout, pool\n",
    ] {
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
    assert!(!text.contains("Friday"), "{text}");
    sources[1].content.project = None;
    sources[1].content.confidence = 1;
    assert_eq!(project(&sources), None);
    assert_eq!(confidence(&sources), 3);
}
