//! A change and its audit record are stored together, or neither is.

use recall_kit_shared_types::knowledge::{EntryStatus, RelationType, SuggestionType};
use ulid::Ulid;

use super::{
    cut_short::cancel,
    knowledge::{link, moment, new_entry, suggestion},
    people::user,
    *,
};
use crate::{
    Actor, ActorKind, ApiKey, AuditEvent, ChangedExperience, EntryBatch, EntryStatusChange,
    EventOf, ExperienceChange, HashedApiKey, NewSession, Projects, Scope, SessionOf, User,
    UserChange,
};

/// The largest number of polls after which a call is cancelled.
const POLLS: u128 = 24;
/// How often two counts are compared before the test fails.
const ATTEMPTS: usize = 20_000;

fn event(action: &str) -> AuditEvent {
    AuditEvent {
        at: moment(1),
        actor: Actor {
            kind: ActorKind::Local,
            id: None,
            name: None,
        },
        action: action.to_owned(),
        subject: None,
        details: None,
    }
}

/// Returns the actions of the audit records after `seen`, the oldest first, and updates `seen`.
async fn noted(store: &Arc<dyn Store>, seen: &mut u64) -> Vec<String> {
    let records = store.audit_after(*seen, 100).await.unwrap();
    *seen = records.last().map_or(*seen, |last| last.id);
    records.into_iter().map(|one| one.event.action).collect()
}

fn key(name: &str, byte: u8) -> HashedApiKey {
    HashedApiKey {
        record: ApiKey {
            id: Uuid::from_u128(byte.into()),
            name: name.to_owned(),
            prefix: format!("rk_{byte:08}"),
            scope: Scope::Read,
            created_at: moment(0),
            expires_at: None,
            last_used_at: None,
            revoked_at: None,
            projects: Projects::All,
            is_trusted: true,
        },
        hash: [byte; 32],
    }
}

pub(super) async fn a_change_and_its_audit_record_are_stored_together(database: TestDatabase) {
    let store = database.open().await;
    entries_and_links(&store).await;
    keys_and_people(&store).await;
    experiences(&store).await;
}

async fn entries_and_links(store: &Arc<dyn Store>) {
    let mut seen = 0;
    let batch = EntryBatch {
        entries: (1..=3).map(new_entry).collect(),
        event: Some(event("batch")),
        ..EntryBatch::default()
    };
    store.insert_entries(&batch).await.unwrap();
    assert_eq!(noted(store, &mut seen).await, ["batch"]);
    let made = link(11, 1, RelationType::Related, 2);
    let linked = event("link");
    store.insert_link(&made, Some(&linked)).await.unwrap();
    // A refused change has no audit record.
    store.insert_link(&made, Some(&linked)).await.unwrap_err();
    assert_eq!(noted(store, &mut seen).await, ["link"]);

    let proposed = [
        suggestion(21, SuggestionType::Link, &[1, 3], 0.8),
        suggestion(22, SuggestionType::Link, &[2, 3], 0.8),
    ];
    store.insert_link_suggestions(&proposed).await.unwrap();
    let (accepted, rejected) = (event("accepted"), event("rejected"));
    let (first, second) = (Ulid(21), Ulid(22));
    for expected in [true, false] {
        let done = store.accept_suggestion(first, None, moment(3), Some(&accepted));
        assert_eq!(done.await.unwrap(), expected);
        let done = store.reject_suggestion(second, moment(3), Some(&rejected));
        assert_eq!(done.await.unwrap(), expected);
    }
    assert_eq!(noted(store, &mut seen).await, ["accepted", "rejected"]);

    let change = EntryStatusChange {
        id: Ulid(1),
        known: None,
        status: EntryStatus::Obsolete,
        now: moment(5),
    };
    for _ in 0..2 {
        let obsolete = event("obsolete");
        let set = store.set_entry_status(&change, Some(&obsolete));
        set.await.unwrap();
    }
    assert_eq!(
        noted(store, &mut seen).await,
        ["obsolete"],
        "it changed once"
    );
}

async fn keys_and_people(store: &Arc<dyn Store>) {
    let mut seen = 0;
    noted(store, &mut seen).await;
    let created = event("created");
    let first = key("ci", 1);
    store.insert_api_key(&first, Some(&created)).await.unwrap();
    let second = key("ci", 2);
    let taken = store.insert_api_key(&second, Some(&created)).await;
    taken.unwrap_err();
    let revoked = event("revoked");
    for expected in [true, false] {
        let done = store.revoke_api_key(first.record.id, moment(6), Some(&revoked));
        assert_eq!(done.await.unwrap(), expected);
    }
    assert_eq!(noted(store, &mut seen).await, ["created", "revoked"]);

    let admin = user("Zoe", 1, Scope::Admin);
    let set_up = event("set up");
    for expected in [true, false] {
        let done = store.insert_first_admin(&admin, Some(&set_up)).await;
        assert_eq!(done.unwrap(), expected);
    }
    let made = event("made");
    let ada = user("ada", 2, Scope::Read);
    store.insert_user(&ada, Some(&made)).await.unwrap();
    store.insert_user(&ada, Some(&made)).await.unwrap_err();
    assert_eq!(noted(store, &mut seen).await, ["set up", "made"]);

    // These audit records contain the results of their changes.
    let changed: EventOf<User> = Arc::new(|user| event(user.role.as_str()));
    let role = UserChange {
        role: Some(Scope::Write),
        ..UserChange::default()
    };
    let id = ada.record.id;
    let now = moment(2);
    let done = store.change_user(id, &role, now, Some(&changed)).await;
    assert!(done.unwrap().is_some());
    let unknown = store.change_user(Uuid::nil(), &role, now, Some(&changed));
    assert_eq!(unknown.await.unwrap(), None);
    let last = store.change_user(admin.record.id, &role, now, Some(&changed));
    last.await.unwrap_err();
    let session = NewSession {
        hash: [7; 32],
        of: SessionOf::User(id),
        created_at: now,
        expires_at: moment(9),
        event: Some(event("begun")),
    };
    store.insert_session(&session).await.unwrap();
    let ended: EventOf<u64> = Arc::new(|ended| event(&format!("{ended} ended")));
    let ended = store.end_sessions(SessionOf::User(id), Some(&ended)).await;
    assert_eq!(ended.unwrap(), 1);
    assert_eq!(noted(store, &mut seen).await, ["write", "begun", "1 ended"]);
}

async fn experiences(store: &Arc<dyn Store>) {
    let mut seen = 0;
    noted(store, &mut seen).await;
    let id = store.insert_experience(new("hidden")).await.unwrap().id;
    let hidden = ChangedExperience {
        id,
        expected: None,
        change: ExperienceChange::Hide,
        now: moment(2),
        event: Some(event("hidden")),
    };
    for _ in 0..2 {
        store.change_experience(&hidden).await.unwrap();
    }
    assert_eq!(noted(store, &mut seen).await, ["hidden"], "it changed once");
}

pub(super) async fn a_cancelled_change_has_an_audit_record_or_did_not_happen(
    database: TestDatabase,
) {
    let store = database.open().await;
    let batch = EntryBatch {
        entries: (1..=2 * POLLS).map(new_entry).collect(),
        ..EntryBatch::default()
    };
    store.insert_entries(&batch).await.unwrap();
    for polls in 1..=POLLS {
        let made = link(
            1_000 + polls,
            2 * polls - 1,
            RelationType::Related,
            2 * polls,
        );
        let linked = event("link");
        let linking = store.insert_link(&made, Some(&linked));
        cancel(linking, usize::try_from(polls).unwrap()).await;
    }
    // A completed call ensures that there is something to compare.
    let made = link(999, 1, RelationType::Contradicts, 2);
    store
        .insert_link(&made, Some(&event("link")))
        .await
        .unwrap();
    let mut attempts = 0..ATTEMPTS;
    loop {
        let links = store.edges().await.unwrap().len();
        let records = store.audit_after(0, 1_000).await.unwrap().len();
        if links == records && links > 0 {
            return;
        }
        // Meanwhile cancelled calls are completed or rolled back.
        assert!(
            attempts.next().is_some(),
            "{links} links, {records} audit records"
        );
        tokio::task::yield_now().await;
    }
}
