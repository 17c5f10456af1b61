//! Entries, links and suggestions.

use recall_kit_shared_types::knowledge::{
    Citation, EntryStatus, EntryType, MemoryType, RelationType, SuggestionType,
};
use ulid::Ulid;

use super::*;
use crate::{
    EntryContent, EntryVectors, NewEntry, NewEntryVectors, NewLink, NewSuggestion, SuggestionStatus,
};

pub(super) fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(super) fn new_entry(id: u128) -> NewEntry {
    NewEntry {
        id: Ulid(id),
        content: EntryContent {
            kind: EntryType::Pitfall,
            title: format!("entry {id}"),
            content: "long \u{0} text 🛠".to_owned(),
            tags: vec!["a-b".to_owned(), "\"quoted\"".to_owned()],
            project: Some("Shop".to_owned()),
            context: Some("said before".to_owned()),
            confidence: 5,
            memory_type: MemoryType::Semantic,
            citations: vec![citation("src/größe.rs", 'a')],
        },
        vectors: None,
        created_at: moment(0),
        idempotency: None,
        suggestions: Vec::new(),
    }
}

/// Returns a citation whose hash has only this digit.
pub(super) fn citation(path: &str, digit: char) -> Citation {
    Citation {
        path: path.to_owned(),
        sha256: digit.to_string().repeat(64),
    }
}

pub(super) async fn with_entries(database: &TestDatabase, count: u128) -> Arc<dyn Store> {
    let store = database.open().await;
    for id in 1..=count {
        store.insert_entry(new_entry(id)).await.unwrap();
    }
    store
}

pub(super) fn link(id: u128, source: u128, relation: RelationType, target: u128) -> NewLink {
    NewLink {
        id: Ulid(id),
        source: Ulid(source),
        target: Ulid(target),
        relation,
        created_at: moment(1),
    }
}

pub(super) fn suggestion(
    id: u128,
    kind: SuggestionType,
    entries: &[u128],
    score: f64,
) -> NewSuggestion {
    NewSuggestion {
        id: Ulid(id),
        kind,
        entries: entries.iter().copied().map(Ulid).collect(),
        score,
        reason: "alike".to_owned(),
        created_at: moment(2),
    }
}

pub(super) async fn entries_are_read_back_unchanged_and_have_their_own_seq(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    store
        .insert_experience(new("another family"))
        .await
        .unwrap();
    assert_eq!(store.entry_head_seq().await.unwrap(), 0);
    let vectors = EntryVectors {
        summary: vec![1, 0, 7],
        context: Some(vec![1, 0, 8]),
    };
    let first = NewEntry {
        vectors: Some((MODEL.to_owned(), vectors.clone())),
        ..new_entry(1)
    };
    store.insert_entry(first.clone()).await.unwrap();
    store.insert_entry(new_entry(2)).await.unwrap();
    assert_eq!(store.entry_head_seq_and_size().await.unwrap(), (2, 2));
    assert_eq!(store.head_seq().await.unwrap(), 1);

    let found = store.entry(first.id).await.unwrap().unwrap();
    assert_eq!(
        (
            &found.content,
            found.status,
            found.access_count,
            found.last_accessed
        ),
        (&first.content, EntryStatus::Active, 0, None)
    );
    assert_eq!(store.entry(Ulid(9)).await.unwrap(), None);
    let brief = store.entry_briefs(&[first.id]).await.unwrap().remove(0);
    assert_eq!(brief.citations, first.content.citations);
    let indexed = store.entries_after(0, 10).await.unwrap();
    let rows: Vec<_> = indexed
        .iter()
        .map(|one| (one.row.seq, one.row.vector.clone()))
        .collect();
    assert_eq!(rows, [(1, Some(vec![1, 0, 7, 8])), (2, None)]);
    assert_eq!(
        store.entry_rows(0, 1, 10).await.unwrap(),
        [indexed[0].row.clone()]
    );
    let labels = store.entry_labels(Ulid(1), 10).await.unwrap();
    assert_eq!(
        (labels[0].id, labels[0].project.as_deref()),
        (Ulid(2), Some("Shop"))
    );

    let count = store.count_entries_without_vectors(MODEL).await;
    assert_eq!(count.unwrap(), 1);
    let without = store
        .entries_without_vectors(MODEL, Ulid::nil(), 10)
        .await
        .unwrap();
    assert_eq!(
        without.iter().map(|one| one.id).collect::<Vec<_>>(),
        [Ulid(2)]
    );
    let put = [(2, vectors.clone()), (1, EntryVectors::default())];
    let put = put.map(|(id, vectors)| NewEntryVectors {
        id: Ulid(id),
        version: without[0].version(),
        vectors,
    });
    let refused = store.put_entry_vectors("model-b", &put).await;
    assert!(
        matches!(refused, Err(StoreError::ModelReplaced)),
        "{refused:?}"
    );
    let stored = store.put_entry_vectors(MODEL, &put).await.unwrap();
    assert_eq!(stored, [Ulid(2)]);
    assert_eq!(
        store.entry_head_seq().await.unwrap(),
        3,
        "one entry already had vectors"
    );
    let stored = store
        .entry_vectors(&[Ulid(1), Ulid(2), Ulid(9)])
        .await
        .unwrap();
    assert_eq!(stored, [(Ulid(1), vectors.clone()), (Ulid(2), vectors)]);
}

pub(super) async fn entries_are_found_by_id_prefix_and_access_counts_add_up(
    database: TestDatabase,
) {
    let store = with_entries(&database, 33).await;
    let check = async |prefix: &str, expected: &[u128]| {
        let found = store.entries_with_prefix(prefix, 3).await.unwrap();
        let ids: Vec<u128> = found.iter().map(|(id, _)| id.0).collect();
        assert_eq!(ids, expected, "{prefix}");
    };
    let id = Ulid(1).to_string();

    check(&id[..20], &[1, 2, 3]).await;
    check(&Ulid(32).to_string()[..25], &[32, 33]).await;
    check("7ZZZZ", &[]).await;
    check("%", &[]).await;
    check(&id, &[1]).await;

    let counts = new_counts([(Ulid(1).into(), 2), (Uuid::nil(), 5)]);
    store.add_access_counts(&counts, moment(5)).await.unwrap();
    store
        .add_access_counts(&counts[..1], moment(6))
        .await
        .unwrap();
    let entry = store.entry(Ulid(1)).await.unwrap().unwrap();
    assert_eq!(
        (entry.access_count, entry.popularity, entry.last_accessed),
        (4, 40, Some(moment(6)))
    );
    let since = store.access_counts_since(moment(6)).await.unwrap();
    assert_eq!(
        since
            .iter()
            .map(|one| (one.query_count, one.popularity))
            .collect::<Vec<_>>(),
        [(4, 40)]
    );
    assert!(
        store
            .access_counts_since(moment(7))
            .await
            .unwrap()
            .is_empty()
    );
}

pub(super) async fn duplicate_links_and_cycles_are_refused(database: TestDatabase) {
    use RelationType::{Contradicts, DerivedFrom, Related, Supersedes};
    let store = with_entries(&database, 3).await;
    let made = [
        link(11, 1, Related, 2),
        link(12, 2, Supersedes, 1),
        link(13, 3, Supersedes, 2),
        link(14, 1, DerivedFrom, 3),
        link(15, 1, Contradicts, 2),
    ];
    for link in &made {
        store.insert_link(link, None).await.unwrap();
    }
    for (source, relation, target) in [
        (1, Related, 2),
        (2, Related, 1),
        (2, Contradicts, 1),
        (2, Supersedes, 1),
    ] {
        let refused = store
            .insert_link(&link(20, source, relation, target), None)
            .await;
        assert!(
            matches!(refused, Err(StoreError::LinkExists)),
            "{source} {relation} {target}: {refused:?}"
        );
    }
    for (source, relation, target) in [(1, Supersedes, 2), (1, Supersedes, 3), (3, DerivedFrom, 1)]
    {
        let refused = store
            .insert_link(&link(20, source, relation, target), None)
            .await;
        assert!(
            matches!(refused, Err(StoreError::LinkCycle)),
            "{source} {relation} {target}: {refused:?}"
        );
    }
    let refused = store.insert_link(&link(20, 1, Related, 9), None).await;
    assert!(
        matches!(refused, Err(StoreError::EntryGone(Ulid(9)))),
        "{refused:?}"
    );

    let links = store.links_of(&[Ulid(3)]).await.unwrap();
    let ends: Vec<_> = links
        .iter()
        .map(|l| (l.source.0.0, l.relation, l.target.0.0))
        .collect();
    assert_eq!(ends, [(3, Supersedes, 2), (1, DerivedFrom, 3)]);
    assert_eq!(links[0].target.1, "entry 2");
    let edges = store.edges().await.unwrap();
    let edges: Vec<_> = edges
        .iter()
        .map(|edge| (edge.source.0, edge.relation, edge.target.0))
        .collect();
    let made = made.map(|link| (link.source.0, link.relation, link.target.0));
    assert_eq!(edges, made);
    let titles = store.entry_titles(&[Ulid(2), Ulid(9)]).await.unwrap();
    assert_eq!(titles, [(Ulid(2), "entry 2".to_owned())]);
    let statuses = store.entries_after(3, 10).await.unwrap();
    let statuses: Vec<_> = statuses
        .iter()
        .map(|one| (Ulid::from(one.row.id).0, one.status))
        .collect();
    assert_eq!(
        statuses,
        [(1, EntryStatus::Obsolete), (2, EntryStatus::Obsolete)]
    );
}

pub(super) async fn a_link_is_suggested_once_and_decided_once(database: TestDatabase) {
    let store = with_entries(&database, 4).await;
    let kind = SuggestionType::Link;
    store
        .insert_link(&link(11, 3, RelationType::Related, 4), None)
        .await
        .unwrap();
    let first = suggestion(21, kind, &[1, 2], 0.8);
    let reversed = suggestion(22, kind, &[2, 1], 0.9);
    let linked = suggestion(23, kind, &[4, 3], 0.9);
    let other = suggestion(24, kind, &[1, 3], 0.9);
    let stored = store
        .insert_link_suggestions(&[first, reversed.clone(), linked, other])
        .await;
    assert_eq!(stored.unwrap(), 2);
    let (pending, total) = store.pending_suggestions(kind, 1).await.unwrap();
    assert_eq!(
        (pending[0].id, pending.len(), total),
        (Ulid(24), 1, 2),
        "the best first"
    );
    let names: Vec<&str> = pending[0]
        .entries
        .iter()
        .map(|(_, title)| title.as_str())
        .collect();
    assert_eq!(names, ["entry 1", "entry 3"]);

    assert!(
        store
            .reject_suggestion(Ulid(21), moment(3), None)
            .await
            .unwrap()
    );
    assert!(
        !store
            .reject_suggestion(Ulid(21), moment(3), None)
            .await
            .unwrap()
    );
    assert!(
        !store
            .accept_suggestion(Ulid(21), None, moment(3), None)
            .await
            .unwrap()
    );
    assert_eq!(
        store.insert_link_suggestions(&[reversed]).await.unwrap(),
        0,
        "also reversed"
    );

    let impossible = link(12, 1, RelationType::Related, 9);
    let refused = store
        .accept_suggestion(Ulid(24), Some(&impossible), moment(3), None)
        .await;
    assert!(
        matches!(refused, Err(StoreError::EntryGone(_))),
        "{refused:?}"
    );
    let (known, made_of) = store.suggestion(Ulid(24)).await.unwrap().unwrap();
    assert_eq!(
        (known.status, made_of),
        (SuggestionStatus::Pending, 2),
        "nothing changed"
    );
    let made = link(12, 3, RelationType::Related, 1);
    let accepts = (0..4).map(|_| store.accept_suggestion(Ulid(24), Some(&made), moment(3), None));
    let accepts = futures::future::join_all(accepts).await;
    assert_eq!(
        accepts.iter().filter(|won| *won.as_ref().unwrap()).count(),
        1
    );
    assert_eq!(store.links_of(&[Ulid(1)]).await.unwrap().len(), 1);
    assert!(store.suggestion(Ulid(99)).await.unwrap().is_none());
}

pub(super) async fn creating_a_link_accepts_its_suggestion(database: TestDatabase) {
    let store = with_entries(&database, 4).await;
    let kind = SuggestionType::Link;
    let suggested = [
        suggestion(21, kind, &[1, 2], 0.8),
        suggestion(22, kind, &[3, 4], 0.9),
    ];
    store.insert_link_suggestions(&suggested).await.unwrap();
    let by_hand = link(11, 2, RelationType::Supersedes, 1);
    store.insert_link(&by_hand, None).await.unwrap();
    let (pending, total) = store.pending_suggestions(kind, 10).await.unwrap();
    let pending: Vec<Ulid> = pending.iter().map(|one| one.id).collect();
    assert_eq!((pending, total), (vec![Ulid(22)], 1));
    let (settled, _) = store.suggestion(Ulid(21)).await.unwrap().unwrap();
    assert_eq!(settled.status, SuggestionStatus::Accepted);
}

pub(super) async fn a_generalisation_is_updated_until_it_is_decided(database: TestDatabase) {
    let store = with_entries(&database, 4).await;
    let kind = SuggestionType::Generalize;
    store
        .put_cluster(&suggestion(31, kind, &[1, 2, 3], 0.8))
        .await
        .unwrap();
    store
        .put_cluster(&suggestion(31, kind, &[1, 2, 3, 4], 0.9))
        .await
        .unwrap();
    let (pending, total) = store.pending_suggestions(kind, 10).await.unwrap();
    assert_eq!(
        (pending[0].entries.len(), pending[0].score, total),
        (4, 0.9, 1)
    );
    store
        .reject_suggestion(Ulid(31), moment(3), None)
        .await
        .unwrap();
    store
        .put_cluster(&suggestion(31, kind, &[1, 9], 0.7))
        .await
        .unwrap();
    let clusters = store.clusters_of(&[Ulid(2), Ulid(99)]).await.unwrap();
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0].status, SuggestionStatus::Rejected);
    assert_eq!(clusters[0].entries.len(), 4, "it is not changed any more");
}
