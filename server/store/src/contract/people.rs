//! Users, their sessions, and the audit list.

use super::{knowledge::moment, *};
use crate::{
    Actor, ActorKind, ApiKey, AuditEvent, AuditRecord, HashedApiKey, HashedUser, KeyImport,
    NewSession, PasswordHash, Projects, Scope, SessionOf, SessionOwner, User, UserChange,
    access::people::{AUDIT_MAX, SESSIONS_MAX},
};

pub(super) fn user(name: &str, number: u128, role: Scope) -> HashedUser {
    HashedUser {
        record: User {
            id: Uuid::from_u128(number),
            name: name.to_owned(),
            role,
            projects: Projects::All,
            created_at: moment(1),
            disabled_at: None,
            last_seen_at: None,
        },
        password: Some(PasswordHash::new(format!("hash {number}"))),
    }
}

fn session(of: SessionOf, byte: u8, second: i64) -> NewSession {
    NewSession {
        hash: [byte; 32],
        of,
        created_at: moment(second),
        expires_at: moment(1_000),
        event: None,
    }
}

fn event(second: i64, details: Option<&str>) -> AuditEvent {
    AuditEvent {
        at: moment(second),
        actor: Actor {
            kind: ActorKind::User,
            id: Some(Uuid::from_u128(7)),
            name: Some("Zoë \u{0}".to_owned()),
        },
        action: "user.created".to_owned(),
        subject: Some(("user".to_owned(), "an id".to_owned())),
        details: details.map(str::to_owned),
    }
}

async fn session_exists(store: &Arc<dyn Store>, byte: u8) -> bool {
    store.session(&[byte; 32]).await.unwrap().is_some()
}

pub(super) async fn user_names_ignore_case_and_a_change_is_atomic(database: TestDatabase) {
    let store = database.open().await;
    let mut zoe = user("Zoë", 1, Scope::Write);
    store.insert_user(&zoe, None).await.unwrap();
    let taken = store.insert_user(&user("ZOË", 2, Scope::Read), None).await;
    assert!(
        matches!(taken, Err(StoreError::UserNameTaken(_))),
        "{taken:?}"
    );
    let found = store.user_by_name("zoË").await.unwrap();
    assert_eq!(found.as_ref(), Some(&zoe));
    assert_eq!(store.user(zoe.record.id).await.unwrap(), found);
    assert_eq!(store.user_by_name("zo").await.unwrap(), None);

    let projects = Projects::only(["Shop".to_owned(), "shop".to_owned(), "\u{0} b".to_owned()]);
    let change = UserChange {
        password: Some((PasswordHash::new("other".to_owned()), None)),
        role: Some(Scope::Read),
        projects: projects.clone(),
        disabled: Some(true),
    };
    zoe.password = Some(PasswordHash::new("other".to_owned()));
    zoe.record.role = Scope::Read;
    zoe.record.projects = projects.unwrap();
    zoe.record.disabled_at = Some(moment(5));
    let changed = store
        .change_user(zoe.record.id, &change, moment(5), None)
        .await;
    assert_eq!(changed.unwrap().as_ref(), Some(&zoe.record));
    // The time of the first disabling is kept, and so are fields that the change does not set.
    let disabled = UserChange {
        disabled: Some(true),
        ..UserChange::default()
    };
    let again = store
        .change_user(zoe.record.id, &disabled, moment(6), None)
        .await;
    assert_eq!(again.unwrap().as_ref(), Some(&zoe.record));
    assert_eq!(store.user_by_name("ZoË").await.unwrap(), Some(zoe.clone()));
    let nobody = store
        .change_user(Uuid::nil(), &disabled, moment(6), None)
        .await;
    assert_eq!(nobody.unwrap(), None);

    let ada = user("ada", 3, Scope::Write);
    store.insert_user(&ada, None).await.unwrap();
    assert_eq!(store.users().await.unwrap(), [ada.record, zoe.record]);
}

pub(super) async fn there_is_one_first_administrator_and_the_last_one_stays(
    database: TestDatabase,
) {
    let store = database.open().await;
    store
        .insert_user(&user("taken", 9, Scope::Write), None)
        .await
        .unwrap();
    let taken = store
        .insert_first_admin(&user("Taken", 1, Scope::Admin), None)
        .await;
    assert!(
        matches!(taken, Err(StoreError::UserNameTaken(_))),
        "{taken:?}"
    );
    assert!(!store.has_admin().await.unwrap());

    // As two servers would do, each with its own invitation.
    let other = database.open().await;
    let (one, two) = (user("one", 1, Scope::Admin), user("two", 2, Scope::Admin));
    let (first, second) = tokio::join!(
        store.insert_first_admin(&one, None),
        other.insert_first_admin(&two, None)
    );
    assert!(first.unwrap() != second.unwrap(), "one of them");
    assert!(other.has_admin().await.unwrap());
    let all = store.users().await.unwrap();
    let admin = all.iter().find(|user| user.role == Scope::Admin).unwrap();

    let change = |role, disabled| UserChange {
        role,
        disabled,
        ..UserChange::default()
    };
    for last in [change(Some(Scope::Write), None), change(None, Some(true))] {
        let refused = store.change_user(admin.id, &last, moment(2), None).await;
        assert!(
            matches!(refused, Err(StoreError::LastAdmin(_))),
            "{refused:?}"
        );
    }
    // With a second administrator one may be disabled; of two concurrent attempts only one succeeds.
    let third = user("third", 3, Scope::Admin);
    store.insert_user(&third, None).await.unwrap();
    let disable = change(None, Some(true));
    let (first, second) = tokio::join!(
        store.change_user(admin.id, &disable, moment(3), None),
        other.change_user(third.record.id, &disable, moment(3), None)
    );
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
}

pub(super) async fn sessions_are_found_by_hash_limited_in_number_and_ended(database: TestDatabase) {
    let store = database.open().await;
    let zoe = user("zoe", 1, Scope::Write);
    store.insert_user(&zoe, None).await.unwrap();
    let key = HashedApiKey {
        record: ApiKey {
            id: Uuid::from_u128(5),
            name: "ci".to_owned(),
            prefix: "rk_x".to_owned(),
            scope: Scope::Read,
            created_at: moment(1),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            projects: Projects::only(["shop".to_owned()]).unwrap(),
            is_trusted: true,
        },
        hash: [5; 32],
    };
    store.insert_api_key(&key, None).await.unwrap();
    let (of_user, of_key) = (
        SessionOf::User(zoe.record.id),
        SessionOf::ApiKey(key.record.id),
    );
    let begun = session(of_key, 200, 2);
    store.insert_session(&begun).await.unwrap();
    let found = store.session(&[200; 32]).await.unwrap().unwrap();
    assert_eq!(found.owner, SessionOwner::ApiKey(key.record));
    assert_eq!(
        (found.created_at, found.last_used_at, found.expires_at),
        (moment(2), moment(2), moment(1_000))
    );

    let most = u8::try_from(SESSIONS_MAX).unwrap();
    for byte in 0..=most {
        let new = session(of_user, byte, i64::from(byte));
        store.insert_session(&new).await.unwrap();
    }
    assert!(
        !session_exists(&store, 0).await,
        "the oldest session is removed"
    );
    assert!(session_exists(&store, 1).await && session_exists(&store, 200).await);

    for second in [60, 50] {
        let noted = store.note_session_use(&[1; 32], moment(second)).await;
        noted.unwrap();
    }
    let used = store.session(&[1; 32]).await.unwrap().unwrap();
    assert_eq!(used.last_used_at, moment(60));
    let mut seen = zoe.record.clone();
    seen.last_seen_at = Some(moment(60));
    assert_eq!(used.owner, SessionOwner::User(seen));
    store.note_session_use(&[99; 32], moment(70)).await.unwrap();

    assert!(store.end_session(&[2; 32]).await.unwrap());
    assert!(!store.end_session(&[2; 32]).await.unwrap());
    // The sessions that began at 3, 4, … were last used when they began.
    let purged = store.purge_sessions(moment(999), moment(5)).await;
    assert_eq!(purged.unwrap(), 3, "the key's session, 3 and 4");
    assert!(!session_exists(&store, 4).await && session_exists(&store, 5).await);
    assert!(session_exists(&store, 1).await, "used since");
    let ended = store.end_sessions(of_user, None).await.unwrap();
    assert_eq!(ended, u64::from(most) - 3);
    store
        .insert_session(&session(of_user, 7, 900))
        .await
        .unwrap();
    let purged = store.purge_sessions(moment(1_000), moment(0)).await;
    assert_eq!(purged.unwrap(), 1);
}

pub(super) async fn changing_the_password_or_disabling_a_user_ends_sessions(
    database: TestDatabase,
) {
    let store = database.open().await;
    let zoe = user("zoe", 1, Scope::Write);
    let ada = user("ada", 2, Scope::Write);
    let of = |user: &HashedUser| SessionOf::User(user.record.id);
    for (user, bytes) in [(&zoe, [1, 2]), (&ada, [3, 4])] {
        store.insert_user(user, None).await.unwrap();
        for byte in bytes {
            let new = session(of(user), byte, 1);
            store.insert_session(&new).await.unwrap();
        }
    }
    let password = |except| UserChange {
        password: Some((PasswordHash::new("new".to_owned()), except)),
        ..UserChange::default()
    };
    let change = password(Some([1; 32]));
    store
        .change_user(zoe.record.id, &change, moment(2), None)
        .await
        .unwrap();
    let left = async || {
        let mut left = Vec::new();
        for byte in 1..=4 {
            left.push(session_exists(&store, byte).await);
        }
        left
    };
    assert_eq!(left().await, [true, false, true, true]);
    let disabled = UserChange {
        disabled: Some(true),
        ..UserChange::default()
    };
    for (id, change) in [(zoe.record.id, disabled), (ada.record.id, password(None))] {
        store
            .change_user(id, &change, moment(3), None)
            .await
            .unwrap();
    }
    assert_eq!(left().await, [false; 4]);
}

pub(super) async fn the_audit_list_is_read_from_the_newest_and_limited_in_size(
    database: TestDatabase,
) {
    let store = database.open().await;
    let other = database.open().await;
    let long = "é".repeat(500);
    let local = AuditEvent {
        actor: Actor {
            kind: ActorKind::Local,
            id: None,
            name: None,
        },
        subject: None,
        ..event(2, Some(&long))
    };
    let events = [event(1, None), local];
    store.note_audit(&events).await.unwrap();
    other.note_audit(&[event(3, Some(""))]).await.unwrap();
    let page = store.audit(None, 2).await.unwrap();
    assert_eq!(page[0].event, event(3, Some("")));
    assert_eq!(page[1].event, events[1]);
    let rest = store.audit(Some(page[1].id), 2).await.unwrap();
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].event, events[0]);

    let far = AuditRecord {
        id: rest[0].id + AUDIT_MAX - 1,
        event: event(4, None),
    };
    store.import_audit(&[far]).await.unwrap();
    store.note_audit(&[event(5, None)]).await.unwrap();
    let records = store.audit(None, 10).await.unwrap();
    let times: Vec<Timestamp> = records.iter().map(|record| record.event.at).collect();
    assert_eq!(
        times,
        [moment(5), moment(4), moment(3), moment(2)],
        "the first record is removed"
    );
}

pub(super) async fn users_and_audit_records_are_imported_once(database: TestDatabase) {
    use KeyImport::{Conflict, Existing, Stored};
    let store = database.open().await;
    let zoe = user("zoe \u{0}", 1, Scope::Admin);
    assert_eq!(
        store
            .import_users(std::slice::from_ref(&zoe))
            .await
            .unwrap(),
        [Stored]
    );
    let mut seen = zoe.clone();
    seen.record.last_seen_at = Some(moment(9));
    let other = user("zoe \u{0}", 1, Scope::Read);
    let same_name = user("ZOE \u{0}", 2, Scope::Read);
    let again = [seen.clone(), other, same_name, zoe];
    assert_eq!(
        store.import_users(&again).await.unwrap(),
        [Existing, Conflict, Conflict, Existing]
    );
    assert_eq!(store.hashed_users().await.unwrap(), [seen]);

    let record = |id, second| AuditRecord {
        id,
        event: event(second, None),
    };
    let records = [record(3, 1), record(8, 2)];
    assert_eq!(
        store.import_audit(&records).await.unwrap(),
        [Stored, Stored]
    );
    assert_eq!(
        store
            .import_audit(&[record(3, 1), record(8, 3)])
            .await
            .unwrap(),
        [Existing, Conflict]
    );
    assert_eq!(store.audit_after(0, 1).await.unwrap(), records[..1]);
    assert_eq!(store.audit_after(3, 9).await.unwrap(), records[1..]);
    // Later events get the next numbers.
    store.note_audit(&[event(4, None)]).await.unwrap();
    assert_eq!(store.audit_after(8, 9).await.unwrap(), [record(9, 4)]);
}
