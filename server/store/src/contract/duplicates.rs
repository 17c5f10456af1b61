//! Experiences with the same content: stored once while one of them is visible.

use sqlx::{AssertSqlSafe, Connection as _};

use super::*;
use crate::{
    ChangedExperience, ExperienceChange, IdempotencyKey, StoredExperience, SubmittedExperience,
};

fn known(id: Uuid) -> SubmittedExperience {
    SubmittedExperience { id, is_known: true }
}

fn stored(id: Uuid) -> SubmittedExperience {
    SubmittedExperience {
        id,
        is_known: false,
    }
}

fn keyed(title: &str, key: &str, fingerprint: u8) -> NewExperience {
    NewExperience {
        created_at: Timestamp::from_second(1_800_000_000 + i64::from(fingerprint)).unwrap(),
        idempotency: Some(IdempotencyKey {
            key: key.to_owned(),
            fingerprint: [fingerprint; 32],
        }),
        ..new(title)
    }
}

/// Submits a record and returns the outcome.
async fn submit(store: &Arc<dyn Store>, new: NewExperience) -> SubmittedExperience {
    store.insert_experience(new).await.unwrap()
}

/// Submits a record that is expected to be stored as a new one; returns its id.
async fn submit_new(store: &Arc<dyn Store>, title: &str) -> Uuid {
    let new = new(title);
    let id = new.id;
    assert_eq!(submit(store, new).await, stored(id));
    id
}

async fn change(store: &Arc<dyn Store>, id: Uuid, change: ExperienceChange) {
    let changed = ChangedExperience {
        id,
        expected: None,
        change,
        now: Timestamp::from_second(1_900_000_000).unwrap(),
        event: None,
    };
    store.change_experience(&changed).await.unwrap();
}

/// Writes as an older program does, which does not know content hashes. In the statements `HEAD` stands
/// for the table with the head, and `ITS` for the condition that selects its row.
async fn write_as_older_program(database: &TestDatabase, statements: &[&str]) {
    let url = database.url();
    for statement in statements {
        match database {
            TestDatabase::Sqlite(_) => {
                let statement = statement.replace("HEAD", "head").replace("ITS", "true");
                let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
                let done = sqlx::query(AssertSqlSafe(statement)).execute(&mut connection);
                done.await.unwrap();
                connection.close().await.unwrap();
            }
            #[cfg(unix)]
            TestDatabase::Postgres(..) => {
                let statement = statement.replace("HEAD", "heads");
                let statement = statement.replace("ITS", "family = 'experiences'");
                let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
                let done = sqlx::query(AssertSqlSafe(statement)).execute(&mut connection);
                done.await.unwrap();
                connection.close().await.unwrap();
            }
        }
    }
}

pub(super) async fn the_same_content_is_stored_once_while_it_is_visible(database: TestDatabase) {
    let store = database.open().await;
    let first = submit_new(&store, "it breaks").await;
    assert_eq!(submit(&store, new("  it\r\n breaks ")).await, known(first));
    let other_keywords = NewExperience {
        content: ExperienceContent {
            keywords: Vec::new(),
            context: None,
            ..content("it breaks")
        },
        ..new("")
    };
    assert_eq!(submit(&store, other_keywords).await, known(first));
    assert_eq!(store.head_seq_and_size().await.unwrap(), (1, 1));

    change(&store, first, ExperienceChange::Hide).await;
    let second = submit_new(&store, "it breaks").await;
    change(&store, second, ExperienceChange::Delete).await;
    let third = submit_new(&store, "it breaks").await;
    change(&store, first, ExperienceChange::Unhide).await;
    let oldest = first.min(third);
    assert_eq!(submit(&store, new("it breaks")).await, known(oldest));

    change(&store, first, ExperienceChange::Delete).await;
    let edit = ExperienceChange::Edit {
        content: Box::new(content("it breaks now")),
        vector: None,
    };
    change(&store, third, edit).await;
    assert_eq!(submit(&store, new("it breaks now")).await, known(third));
    submit_new(&store, "it breaks").await;
}

pub(super) async fn an_imported_duplicate_is_stored_and_recognised_afterwards(
    database: TestDatabase,
) {
    let (store, elsewhere) = (database.open().await, database.another());
    let first = submit_new(&store, "shared").await;
    let mut import = record_of(&elsewhere, "imported").await;
    import.experience.content = content("shared");
    let imported = import.experience.id;
    let imports = store.import_experiences(None, &[import]).await.unwrap();
    assert_eq!(imports, [crate::Import::Stored]);
    assert_eq!(store.head_seq_and_size().await.unwrap(), (2, 2));
    change(&store, first, ExperienceChange::Delete).await;
    assert_eq!(submit(&store, new("shared")).await, known(imported));
}

/// Submits a record to a database and returns it as stored there.
async fn record_of(database: &TestDatabase, title: &str) -> StoredExperience {
    let store = database.open().await;
    let id = submit_new(&store, title).await;
    store.stored_experience(id).await.unwrap().unwrap()
}

pub(super) async fn idempotency_keys_work_for_submissions_of_known_records(database: TestDatabase) {
    let store = database.open().await;
    let own = keyed("own", "a", 1);
    assert_eq!(submit(&store, own.clone()).await, stored(own.id));
    let again = keyed("own", "a", 1);
    assert_eq!(submit(&store, again).await, stored(own.id));
    for _ in 0..2 {
        let same = keyed("own", "b", 2);
        assert_eq!(submit(&store, same).await, known(own.id));
    }
    change(&store, own.id, ExperienceChange::Hide).await;
    let repeated = keyed("own", "b", 2);
    assert_eq!(
        submit(&store, repeated).await,
        known(own.id),
        "recognised by its key"
    );
    for key in ["a", "b"] {
        let other = store.insert_experience(keyed("other", key, 3)).await;
        assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    }
    assert_eq!(store.head_seq_and_size().await.unwrap(), (2, 0));
}

pub(super) async fn of_concurrent_submissions_of_the_same_content_one_is_stored(
    database: TestDatabase,
) {
    const ROUNDS: u64 = 20;
    let servers = [database.open().await, database.open().await];
    for round in 0..ROUNDS {
        let title = format!("the same {round}");
        let keys = ["a", "b"].map(|key| keyed(&title, &format!("{key} {round}"), 1));
        let all = keys.into_iter().chain((0..4).map(|_| new(&title)));
        let submits = servers.iter().cycle().zip(all);
        let submits = submits.map(|(server, new)| submit(server, new));
        let submitted = futures::future::join_all(submits).await;
        let new = submitted.iter().filter(|one| !one.is_known).count();
        assert_eq!(new, 1, "{submitted:?}");
        assert!(submitted.iter().all(|one| one.id == submitted[0].id));
    }
    let seen = servers[1].head_seq_and_size().await.unwrap();
    assert_eq!(seen, (ROUNDS, ROUNDS));
}

pub(super) async fn records_written_by_an_older_program_are_recognised_as_duplicates(
    database: TestDatabase,
) {
    let store = database.open().await;
    let edited = submit_new(&store, "as submitted").await;
    let inserted = Uuid::from_u128(7);
    let mut older = content("of an older program");
    older.problem_description = "it breaks".to_owned();
    older.context = None;
    write_as_older_program(
        &database,
        &[
            "update HEAD set seq = seq + 1 where ITS",
            &format!(
                "update experiences set seq = (select seq from HEAD where ITS), title = 'as edited' \
                 where id = '{edited}'"
            ),
            "update HEAD set seq = seq + 1 where ITS",
            &format!(
                "insert into experiences (seq, id, title, problem_description, solution, keywords, \
                 created_at, updated_at) select seq, '{inserted}', 'of an older program', \
                 'it breaks', '{}', '[]', 1, 1 from HEAD where ITS",
                older.solution
            ),
        ],
    )
    .await;
    let same = NewExperience {
        content: older,
        ..new("")
    };
    assert_eq!(submit(&store, same).await, known(inserted));
    assert_eq!(submit(&store, new("as edited")).await, known(edited));
    submit_new(&store, "as submitted").await;
    assert_eq!(store.hash_experiences(9).await.unwrap(), 0);
}

pub(super) async fn existing_records_are_hashed_in_batches(database: TestDatabase) {
    let store = database.open().await;
    let mut ids = Vec::new();
    for number in 0..70 {
        ids.push(submit_new(&store, &format!("record {number}")).await);
    }
    let before = [
        "update experiences set content_hash = null",
        "update HEAD set hashed = 0 where ITS",
    ];
    write_as_older_program(&database, &before).await;
    assert_eq!(submit(&store, new("record 5")).await, known(ids[5]));
    let hashed = async || store.hash_experiences(4).await.unwrap();
    assert_eq!((hashed().await, hashed().await), (4, 2));
    assert_eq!(hashed().await, 0);
    assert_eq!(submit(&store, new("record 69")).await, known(ids[69]));
    assert_eq!(store.head_seq_and_size().await.unwrap(), (70, 70));
}
