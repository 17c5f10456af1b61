//! Experiences that say the same: stored once while one of them is visible.

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

/// Submits a record and returns what became of it.
async fn submit(store: &Arc<dyn Store>, new: NewExperience) -> SubmittedExperience {
    store.insert_experience(new).await.unwrap()
}

/// Submits a record that is stored as one of its own; returns its id.
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

/// Writes as a program does that knows nothing of hashes; `HEAD` stands for the table with the head,
/// `ITS` for the condition that finds it.
async fn write_as_older_program(place: &Place, statements: &[&str]) {
    let url = place.url();
    for statement in statements {
        match place {
            Place::Sqlite(_) => {
                let statement = statement.replace("HEAD", "head").replace("ITS", "true");
                let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
                let done = sqlx::query(AssertSqlSafe(statement)).execute(&mut connection);
                done.await.unwrap();
                connection.close().await.unwrap();
            }
            #[cfg(unix)]
            Place::Postgres(..) => {
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

pub(super) async fn the_same_is_stored_once_while_it_is_visible(place: Place) {
    let store = place.open().await;
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

pub(super) async fn an_import_is_stored_whatever_it_says_and_known_from_then_on(place: Place) {
    let (store, elsewhere) = (place.open().await, place.another());
    let first = submit_new(&store, "shared").await;
    let mut import = store_of(&elsewhere, "imported").await;
    import.experience.content = content("shared");
    let imported = import.experience.id;
    let imports = store.import_experiences(None, &[import]).await.unwrap();
    assert_eq!(imports, [crate::Import::Stored]);
    assert_eq!(store.head_seq_and_size().await.unwrap(), (2, 2));
    change(&store, first, ExperienceChange::Delete).await;
    assert_eq!(submit(&store, new("shared")).await, known(imported));
}

/// Returns a record as another database has it.
async fn store_of(place: &Place, title: &str) -> StoredExperience {
    let store = place.open().await;
    let id = submit_new(&store, title).await;
    store.stored_experience(id).await.unwrap().unwrap()
}

pub(super) async fn a_key_means_the_same_where_the_record_is_known(place: Place) {
    let store = place.open().await;
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
    assert_eq!(submit(&store, repeated).await, known(own.id), "by its key");
    for key in ["a", "b"] {
        let other = store.insert_experience(keyed("other", key, 3)).await;
        assert!(matches!(other, Err(StoreError::KeyReused)), "{other:?}");
    }
    assert_eq!(store.head_seq_and_size().await.unwrap(), (2, 0));
}

pub(super) async fn of_many_who_submit_the_same_at_once_one_is_stored(place: Place) {
    const ROUNDS: u64 = 20;
    let servers = [place.open().await, place.open().await];
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

pub(super) async fn what_an_older_program_wrote_is_known(place: Place) {
    let store = place.open().await;
    let edited = submit_new(&store, "as submitted").await;
    let inserted = Uuid::from_u128(7);
    let mut older = content("of an older program");
    older.problem_description = "it breaks".to_owned();
    older.context = None;
    write_as_older_program(
        &place,
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

pub(super) async fn what_was_there_before_is_hashed_a_batch_at_a_time(place: Place) {
    let store = place.open().await;
    let mut ids = Vec::new();
    for number in 0..70 {
        ids.push(submit_new(&store, &format!("record {number}")).await);
    }
    let before = [
        "update experiences set content_hash = null",
        "update HEAD set hashed = 0 where ITS",
    ];
    write_as_older_program(&place, &before).await;
    assert_eq!(submit(&store, new("record 5")).await, known(ids[5]));
    let hashed = async || store.hash_experiences(4).await.unwrap();
    assert_eq!((hashed().await, hashed().await), (4, 2));
    assert_eq!(hashed().await, 0);
    assert_eq!(submit(&store, new("record 69")).await, known(ids[69]));
    assert_eq!(store.head_seq_and_size().await.unwrap(), (70, 70));
}
