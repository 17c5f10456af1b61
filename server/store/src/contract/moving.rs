//! Moving keys of both kinds, and files with their vectors, to another database.

use ulid::Ulid;

use super::{
    knowledge::{moment, new_entry},
    libraries::file,
    *,
};
use crate::{
    ApiKey, HashedApiKey, IdempotencyKey, KeyFamily, KeyImport, NewEntry, NewVector, Projects,
    Scope, StoredIdempotencyKey, chunk_id,
};

fn api_key(name: &str, byte: u8) -> HashedApiKey {
    HashedApiKey {
        record: ApiKey {
            id: Uuid::from_u128(u128::from(byte)),
            name: name.to_owned(),
            prefix: "rk_x".to_owned(),
            scope: Scope::Write,
            created_at: moment(1),
            expires_at: Some(moment(100)),
            last_used_at: Some(moment(10)),
            revoked_at: None,
            projects: Projects::only(["Shop \u{0} 1".to_owned()]).unwrap(),
            is_trusted: true,
        },
        hash: [byte; 32],
    }
}

pub(super) async fn moved_api_keys_keep_their_last_use_and_stay_revoked(database: TestDatabase) {
    let store = database.open().await;
    let mut revoked = api_key("same \u{0} name", 2);
    revoked.record.revoked_at = Some(moment(20));
    let keys = [api_key("same \u{0} name", 1), revoked.clone()];
    let imports = store.import_api_keys(&keys).await.unwrap();
    assert_eq!(imports, [KeyImport::Stored; 2]);
    assert_eq!(store.hashed_api_keys().await.unwrap(), keys);

    let (mut later, mut earlier) = (keys[0].clone(), revoked.clone());
    later.record.last_used_at = Some(moment(30));
    later.record.revoked_at = Some(moment(40));
    (earlier.record.last_used_at, earlier.record.revoked_at) = (None, None);
    let other_name = HashedApiKey {
        record: ApiKey {
            name: "other".to_owned(),
            ..keys[0].record.clone()
        },
        ..keys[0]
    };
    let mut same_hash = api_key("third", 3);
    same_hash.hash = [1; 32];
    let again = [later.clone(), earlier, other_name, same_hash];
    let imports = store.import_api_keys(&again).await.unwrap();
    use KeyImport::{Conflict, Existing};
    assert_eq!(imports, [Existing, Existing, Conflict, Conflict]);
    assert_eq!(store.hashed_api_keys().await.unwrap(), [later, revoked]);
}

pub(super) async fn moved_idempotency_keys_protect_the_target_database(database: TestDatabase) {
    let store = database.open().await;
    let idempotency = |key: &str| IdempotencyKey {
        key: key.to_owned(),
        fingerprint: [7; 32],
    };
    let experience = NewExperience {
        idempotency: Some(idempotency("b")),
        ..new("keyed")
    };
    store.insert_experience(experience.clone()).await.unwrap();
    let entry = NewEntry {
        idempotency: Some(idempotency("e")),
        ..new_entry(1)
    };
    store.insert_entry(entry.clone()).await.unwrap();
    let page = async |store: &Arc<dyn Store>, family, since, after: &str| {
        let page = store.idempotency_keys(family, (since, after), 10).await;
        page.unwrap()
    };
    let stored = |key: &str, record, created_at| StoredIdempotencyKey {
        key: key.to_owned(),
        fingerprint: [7; 32],
        record,
        created_at,
    };
    let created_at = rounded_time(experience.created_at);
    let of_experience = stored("b", experience.id, created_at);
    let of_entry = stored("e", Uuid::from(Ulid(1)), moment(0));
    let (one, two) = (KeyFamily::Experiences, KeyFamily::Entries);
    let min = Timestamp::MIN;
    let of_experiences = page(&store, one, min, "").await;
    assert_eq!(
        of_experiences.as_slice(),
        std::slice::from_ref(&of_experience)
    );
    let of_entries = page(&store, two, min, "").await;
    assert_eq!(of_entries.as_slice(), std::slice::from_ref(&of_entry));
    assert_eq!(page(&store, two, moment(1), "").await, []);
    assert_eq!(page(&store, one, min, "b").await, []);

    let elsewhere = database.another();
    let target = elsewhere.open().await;
    let without_key = NewExperience {
        idempotency: None,
        ..experience.clone()
    };
    target.insert_experience(without_key).await.unwrap();
    let missing = stored("a", Uuid::from_u128(9), moment(0));
    let mut other = of_experience.clone();
    other.fingerprint = [8; 32];
    let keys = [missing, of_experience.clone(), of_experience.clone(), other];
    let imports = target.import_idempotency_keys(one, &keys).await.unwrap();
    use KeyImport::{Conflict, Existing, RecordMissing, Stored};
    assert_eq!(imports, [RecordMissing, Stored, Existing, Conflict]);
    assert_eq!(page(&target, one, min, "").await, [of_experience]);
    let repeated = NewExperience {
        id: Uuid::now_v7(),
        ..experience.clone()
    };
    assert_eq!(
        target.insert_experience(repeated).await.unwrap().id,
        experience.id
    );
    let entries = target.import_idempotency_keys(two, &[of_entry]).await;
    assert_eq!(entries.unwrap(), [RecordMissing]);
}

pub(super) async fn chunks_are_exported_by_position_with_their_vectors(database: TestDatabase) {
    let store = database.open().await;
    store.claim_embedding_model(MODEL).await.unwrap();
    let mut long = file("a.md", 1);
    // Documentation and code alternate, all with the same line: only positions determine their order.
    long.chunks = (0..6_usize)
        .map(|number| {
            let mut chunk = long.chunks[number % 2].clone();
            chunk.text = format!("chunk {number}");
            chunk.line = 0;
            chunk
        })
        .collect();
    let ids = store.insert_docs_files(&[long.clone()], moment(0)).await;
    let second = chunk_id(ids.unwrap()[0], long.chunks[1].kind, 1, &long.hash);
    let vector = NewVector {
        id: second,
        vector: vec![1, 2],
    };
    store.put_chunk_vectors(MODEL, &[vector]).await.unwrap();
    let chunks = store.stored_chunks(long.hash, Some(MODEL)).await.unwrap();
    let contents: Vec<_> = chunks.iter().map(|chunk| chunk.content.clone()).collect();
    assert_eq!(contents, long.chunks);
    let positions: Vec<_> = chunks.iter().map(|chunk| chunk.place).collect();
    assert_eq!(positions, [0, 1, 2, 3, 4, 5]);
    let vectors: Vec<_> = chunks.iter().map(|chunk| chunk.vector.as_deref()).collect();
    assert_eq!(vectors, [None, Some(&[1, 2][..]), None, None, None, None]);
    let without_vectors = store.stored_chunks(long.hash, None).await.unwrap();
    assert!(without_vectors.iter().all(|chunk| chunk.vector.is_none()));
    assert_eq!(store.stored_chunks([9; 32], None).await.unwrap(), []);
}
