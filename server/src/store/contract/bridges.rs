//! Keys, promotions, changed entries, and the knowledge base on its way between databases.

use recall_kit_shared_types::knowledge::{EntryStatus, RelationType, SuggestionType};
use ulid::Ulid;

use super::{
    knowledge::{link, moment, new_entry, suggestion, with_entries},
    *,
};
use crate::store::{
    EntryBatch, EntryUpdate, IdempotencyKey, KnowledgeCounts, KnowledgeImport, KnowledgeRecord,
    NewEntry, Note, Promotion,
};

#[tokio::test]
async fn a_key_adds_once_and_brings_its_suggestions() {
    let (_folder, store) = with_entries(2).await;
    let keyed = |id, fingerprint| NewEntry {
        idempotency: Some(IdempotencyKey {
            key: "key".to_owned(),
            fingerprint,
        }),
        suggestions: vec![suggestion(50 + id, SuggestionType::Link, &[1, id], 0.8)],
        ..new_entry(id)
    };
    assert_eq!(
        store.insert_entry(keyed(3, [1; 32])).await.unwrap(),
        Ulid(3)
    );
    assert_eq!(
        store.insert_entry(keyed(4, [1; 32])).await.unwrap(),
        Ulid(3)
    );
    let other = store.insert_entry(keyed(5, [2; 32])).await;
    assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    let counts = KnowledgeCounts {
        entries: 3,
        links: 0,
        suggestions: 1,
        pending: 1,
    };
    assert_eq!(store.knowledge_counts().await.unwrap(), counts);
    assert_eq!(store.entry_head_seq().await.unwrap(), 3, "no gap");
}

#[tokio::test]
async fn an_experience_is_promoted_once() {
    let (_folder, store) = with_entries(1).await;
    let experience = store.insert_experience(new("solved")).await.unwrap();
    assert_eq!(
        store
            .insert_promoted(&new_entry(2), experience)
            .await
            .unwrap(),
        None
    );
    let again = store
        .insert_promoted(&new_entry(3), experience)
        .await
        .unwrap();
    assert_eq!(again, Some(Ulid(2)));
    let expected = [Promotion {
        experience,
        entry: Ulid(2),
    }];
    for ids in [[experience], [Ulid(2).into()]] {
        assert_eq!(store.promotions(&ids).await.unwrap(), expected);
    }
    assert_eq!(store.promotions(&[Ulid(1).into()]).await.unwrap(), []);
    assert_eq!(store.promoted().await.unwrap(), [experience]);
    let prefix = &experience.to_string()[..13];
    assert_eq!(
        store.experiences_with_prefix(prefix, 2).await.unwrap(),
        [experience]
    );
}

#[tokio::test]
async fn an_entry_changes_only_from_what_is_known_of_it() {
    let (_folder, store) = with_entries(1).await;
    let batch = |known| {
        let mut content = new_entry(1).content;
        content.title = "changed".to_owned();
        EntryBatch {
            updates: vec![EntryUpdate {
                id: Ulid(1),
                content,
                known,
                now: moment(9),
            }],
            notes: vec![Note {
                entry: Ulid(1),
                path: "a.md".to_owned(),
                head: String::new(),
                updated_at: moment(0),
            }],
            ..EntryBatch::default()
        }
    };
    store.insert_entries(&batch(moment(0))).await.unwrap();
    let entry = store.entry(Ulid(1)).await.unwrap().unwrap();
    assert_eq!(
        (entry.content.title.as_str(), entry.updated_at),
        ("changed", moment(9))
    );
    assert_eq!(
        store.notes(&[Ulid(1)]).await.unwrap()[0].updated_at,
        moment(9)
    );
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (2, 1));
    let late = store.insert_entries(&batch(moment(0))).await;
    assert!(
        matches!(late, Err(StoreError::EntryChanged(Ulid(1)))),
        "{late:?}"
    );
}

#[tokio::test]
async fn what_is_exported_is_what_is_imported() {
    let (_folder, old) = with_entries(3).await;
    old.insert_link(&link(11, 1, RelationType::Supersedes, 2))
        .await
        .unwrap();
    let made = [suggestion(51, SuggestionType::Link, &[1, 3], 0.8)];
    old.insert_link_suggestions(&made).await.unwrap();
    old.reject_suggestion(Ulid(51), moment(7)).await.unwrap();
    let entries = old.stored_entries(Ulid::nil(), None, 10).await.unwrap();
    let links = old.stored_links(Ulid::nil(), 10).await.unwrap();
    let suggestions = old.stored_suggestions(Ulid::nil(), 10).await.unwrap();
    assert_eq!((entries.len(), links.len(), suggestions.len()), (3, 1, 1));
    let boxed = entries
        .iter()
        .cloned()
        .map(|one| KnowledgeRecord::Entry(Box::new(one)));
    let mut records: Vec<KnowledgeRecord> = boxed.collect();
    records.extend(links.iter().cloned().map(KnowledgeRecord::Link));
    records.extend(suggestions.iter().cloned().map(KnowledgeRecord::Suggestion));

    let (_folder, new) = sqlite().await;
    let imported = new.import_knowledge(None, &records).await.unwrap();
    assert_eq!(imported, vec![KnowledgeImport::Stored; 5]);
    assert_eq!(
        new.stored_entries(Ulid::nil(), None, 10).await.unwrap(),
        entries
    );
    assert_eq!(new.stored_links(Ulid::nil(), 10).await.unwrap(), links);
    assert_eq!(
        new.stored_suggestions(Ulid::nil(), 10).await.unwrap(),
        suggestions
    );
    assert_eq!(entries[1].entry.status, EntryStatus::Obsolete);
    assert_eq!(new.entry_count(2).await.unwrap(), 2);
    assert_eq!(
        new.entry_head_seq().await.unwrap(),
        3,
        "nothing was written twice"
    );
    let again = new.import_knowledge(None, &records).await.unwrap();
    assert!(!again.contains(&KnowledgeImport::Stored), "{again:?}");
    let odd = [
        KnowledgeRecord::Link(link(12, 2, RelationType::Supersedes, 1)),
        KnowledgeRecord::Link(link(13, 2, RelationType::Related, 9)),
    ];
    let refused = new.import_knowledge(None, &odd).await.unwrap();
    assert_eq!(
        refused,
        [KnowledgeImport::Circle, KnowledgeImport::EntryMissing]
    );
    assert_eq!(new.broken_links().await.unwrap(), 0);
}
