//! Idempotency keys, promotions and batches of entries, and moving the knowledge base between databases.

use recall_kit_shared_types::knowledge::{EntryStatus, RelationType, SuggestionType};
use ulid::Ulid;

use super::{
    knowledge::{citation, link, moment, new_entry, suggestion, with_entries},
    *,
};
use crate::{
    Entry, EntryBatch, EntryUpdate, EntryVectors, IdempotencyKey, KnowledgeCounts, KnowledgeImport,
    KnowledgeRecord, NewEntry, Note, Promotion, StoredEntry, StoredNote,
};

pub(super) async fn an_idempotency_key_adds_an_entry_and_its_suggestions_once(
    database: TestDatabase,
) {
    let store = with_entries(&database, 2).await;
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

pub(super) async fn an_experience_is_promoted_once(database: TestDatabase) {
    let store = with_entries(&database, 1).await;
    let experience = store.insert_experience(new("solved")).await.unwrap().id;
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

pub(super) async fn an_entry_is_updated_only_at_the_known_version(database: TestDatabase) {
    let store = with_entries(&database, 1).await;
    let batch = |known| {
        let mut content = new_entry(1).content;
        content.title = "changed".to_owned();
        content.citations = vec![citation("b.rs", 'b'), citation("a.rs", 'c')];
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
    let cited = [citation("b.rs", 'b'), citation("a.rs", 'c')];
    assert_eq!(entry.content.citations, cited);
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

pub(super) async fn an_import_restores_what_was_exported(database: TestDatabase) {
    let old = with_entries(&database, 3).await;
    old.insert_link(&link(11, 1, RelationType::Supersedes, 2), None)
        .await
        .unwrap();
    let made = [suggestion(51, SuggestionType::Link, &[1, 3], 0.8)];
    old.insert_link_suggestions(&made).await.unwrap();
    old.reject_suggestion(Ulid(51), moment(7), None)
        .await
        .unwrap();
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

    let elsewhere = database.another();
    let new = elsewhere.open().await;
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
    let invalid = [
        KnowledgeRecord::Link(link(12, 2, RelationType::Supersedes, 1)),
        KnowledgeRecord::Link(link(13, 2, RelationType::Related, 9)),
    ];
    let refused = new.import_knowledge(None, &invalid).await.unwrap();
    assert_eq!(
        refused,
        [KnowledgeImport::LinkCycle, KnowledgeImport::EntryMissing]
    );
    assert_eq!(new.broken_links().await.unwrap(), 0);
}

fn note(entry: u128, path: &str) -> Note {
    Note {
        entry: Ulid(entry),
        path: path.to_owned(),
        head: "---\ntitle: \u{0}\n---\n".to_owned(),
        updated_at: moment(0),
    }
}

fn vectors(byte: u8) -> EntryVectors {
    EntryVectors {
        summary: vec![1, 0, byte],
        context: None,
    }
}

pub(super) async fn a_batch_is_stored_completely_or_not_at_all(database: TestDatabase) {
    let store = with_entries(&database, 2).await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let mut changed = new_entry(1).content;
    changed.title = "changed \u{0}".to_owned();
    // Longer than a row of an index may be, even when it is compressed.
    let parts = (1..200_u128).map(|n| Ulid(n.wrapping_mul(u128::MAX / 3_141_592)).to_string());
    let path = parts.collect::<Vec<_>>().join("/");
    let batch = EntryBatch {
        entries: vec![
            NewEntry {
                vectors: Some((MODEL.to_owned(), vectors(7))),
                ..new_entry(3)
            },
            new_entry(4),
        ],
        updates: vec![EntryUpdate {
            id: Ulid(1),
            content: changed,
            known: moment(0),
            now: moment(9),
        }],
        changed: vec![(Ulid(4), moment(5))],
        obsolete: vec![Ulid(3)],
        notes: vec![note(2, "first.md"), note(2, &path), note(4, "b.md")],
        links: vec![
            link(11, 4, RelationType::Supersedes, 2),
            link(12, 3, RelationType::Related, 1),
        ],
        event: None,
    };
    store.insert_entries(&batch).await.unwrap();
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (6, 4));
    let indexed = store.entries_after(2, 10).await.unwrap();
    let indexed: Vec<_> = indexed
        .iter()
        .map(|one| {
            let title = one.content.title.as_str();
            (title, one.status, one.row.vector.is_some())
        })
        .collect();
    assert_eq!(
        indexed,
        [
            ("entry 3", EntryStatus::Obsolete, true),
            ("entry 4", EntryStatus::Active, false),
            ("changed \u{0}", EntryStatus::Active, false),
            ("entry 2", EntryStatus::Obsolete, false),
        ]
    );
    // The link changed the entry before its note was stored.
    let expected = Note {
        updated_at: moment(1),
        ..note(2, &path)
    };
    assert_eq!(store.notes_at(&path).await.unwrap(), [expected]);
    assert_eq!(store.notes_at("first.md").await.unwrap(), []);
    let second = store.notes(&[Ulid(4)]).await.unwrap();
    assert_eq!(second[0].updated_at, moment(5));

    let impossible = EntryBatch {
        entries: vec![new_entry(5)],
        links: vec![link(13, 2, RelationType::Supersedes, 4)],
        ..EntryBatch::default()
    };
    let refused = store.insert_entries(&impossible).await;
    assert!(matches!(refused, Err(StoreError::LinkCycle)), "{refused:?}");
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (6, 4));
}

pub(super) async fn an_import_stores_the_first_of_several_entries_with_the_same_id(
    database: TestDatabase,
) {
    let store = with_entries(&database, 1).await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let experience = store.insert_experience(new("solved")).await.unwrap().id;
    let stored = |id, title: &str| {
        let mut content = new_entry(id).content;
        content.title = title.to_owned();
        StoredEntry {
            entry: Entry {
                id: Ulid(id),
                content,
                status: EntryStatus::Obsolete,
                access_count: 7,
                popularity: 21,
                last_accessed: Some(moment(3)),
                created_at: moment(1),
                updated_at: moment(2),
            },
            vectors: Some(vectors(8)),
            note: Some(StoredNote {
                path: format!("{id}.md"),
                head: String::new(),
                updated_at: moment(2),
            }),
            experience: Some(experience),
        }
    };
    let unknown = StoredEntry {
        vectors: None,
        note: None,
        experience: Some(Uuid::nil()),
        ..stored(3, "of an experience that does not exist")
    };
    let late = stored(4, "of an experience that already has an entry");
    let records = [
        stored(1, "not imported"),
        stored(2, "first"),
        stored(2, "second"),
        unknown.clone(),
        late.clone(),
    ];
    let boxed = records.map(|one| KnowledgeRecord::Entry(Box::new(one)));
    let imports = store.import_knowledge(Some(MODEL), &boxed).await.unwrap();
    let existing: Vec<&str> = imports
        .iter()
        .map(|import| match import {
            KnowledgeImport::ExistingEntry(entry) => entry.content.title.as_str(),
            KnowledgeImport::Stored => "",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(existing, ["entry 1", "", "first", "", ""]);
    let all = store.stored_entries(Ulid(1), Some(MODEL), 10).await;
    let not_promoted = |one| StoredEntry {
        experience: None,
        ..one
    };
    let expected = [
        stored(2, "first"),
        not_promoted(unknown),
        not_promoted(late),
    ];
    assert_eq!(all.unwrap(), expected);
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (4, 4));
}
