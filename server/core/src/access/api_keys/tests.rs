//! Key format, lifetimes, the cache, and the life cycle of keys.

#![allow(clippy::unwrap_used)]

use std::{collections::HashSet, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use recall_kit_store::{HashedApiKey, Projects, Store};

use super::{
    ApiKeys, KeyError, KeyName, KeyNameError, Lifetime, LifetimeError, NewKey, Refusal, Revocation,
    Scope, Verified, cache::Cache, create, format, list, revoke,
};
use crate::access::Caller;

fn now() -> Timestamp {
    "2030-05-06T07:08:09Z".parse().unwrap()
}

fn later(seconds: i64) -> Timestamp {
    now()
        .checked_add(SignedDuration::from_secs(seconds))
        .unwrap()
}

/// A store on a fresh file, and the folder that must outlive it.
async fn fresh() -> (tempfile::TempDir, Arc<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("keys.db").display());
    let store = recall_kit_store::open(&recall_kit_store::StoreOptions::new(
        url.as_str(),
        Duration::from_secs(5),
    ))
    .await
    .unwrap();
    (folder, store)
}

fn named(name: &str) -> NewKey {
    NewKey {
        name: name.parse().unwrap(),
        scope: Scope::Write,
        expires: None,
        projects: Projects::All,
        is_trusted: false,
    }
}

#[test]
fn generated_keys_have_the_key_format_and_never_repeat() {
    let keys: HashSet<String> = (0..100).map(|_| format::generate().unwrap()).collect();
    assert_eq!(keys.len(), 100);
    let hashes: HashSet<_> = keys.iter().map(|key| format::hash_of(key)).collect();
    assert_eq!(hashes.len(), 100);
    assert!(!hashes.contains(&None));

    let key = keys.iter().next().unwrap();
    assert_eq!(key.len(), 55);
    assert_eq!(format::showable(key), key[..11]);
    assert_eq!(
        format::showable("a name as long as it likes"),
        "a name as long as it likes"
    );
    for wrong in [
        "",
        "rk_",
        "rk__",
        &key[1..],
        &key[..54],
        &format!("{key}0"),
        &format!(" {key}"),
        &key.replace("rk_", "sk_"),
        &format!("{}é", &key[..53]),
        &format!("{}-", &key[..54]),
    ] {
        assert_eq!(format::hash_of(wrong), None, "{wrong:?}");
    }
}

#[test]
fn lifetimes_are_parsed_and_their_end_is_computed() {
    let check = |text: &str, expected: Result<&str, LifetimeError>| {
        let end = text.parse::<Lifetime>().and_then(|life| life.end(now()));
        assert_eq!(
            end.map(|end| end.to_string()),
            expected.map(str::to_owned),
            "{text:?}"
        );
    };
    check("12h", Ok("2030-05-06T19:08:09Z"));
    check("90d", Ok("2030-08-04T07:08:09Z"));
    check("2w", Ok("2030-05-20T07:08:09Z"));
    check("1y", Ok("2031-05-06T07:08:09Z"));
    check("2030-05-07", Ok("2030-05-07T00:00:00Z"));
    for unreadable in [
        "",
        "d",
        "90",
        "90m",
        "90 d",
        "-1d",
        "1.5d",
        "1d2h",
        "soon",
        "2030-13-01",
        "2030-5-7",
        "２d",
        "2030-05-07T01:02:03Z",
    ] {
        check(unreadable, Err(LifetimeError::Unreadable));
    }
    check("0h", Err(LifetimeError::Past(now())));
    let yesterday = "2030-05-05T00:00:00Z".parse().unwrap();
    check("2030-05-05", Err(LifetimeError::Past(yesterday)));
    for long in ["9000y", "9999999999h", "99999999999999999999d"] {
        check(long, Err(LifetimeError::TooLong));
    }
}

#[test]
fn key_names_are_short_and_visible_and_do_not_look_like_keys() {
    for good in ["ci", "Ada's laptop", "团队", &"x".repeat(100)] {
        assert!(good.parse::<KeyName>().is_ok(), "{good:?}");
    }
    for (bad, error) in [
        ("", KeyNameError::Length(0)),
        (&*"é".repeat(101), KeyNameError::Length(101)),
        (" ci", KeyNameError::Unshowable),
        ("c\u{1b}[2Ji", KeyNameError::Unshowable),
        ("rk_1", KeyNameError::LikeKey),
    ] {
        assert_eq!(bad.parse::<KeyName>(), Err(error), "{bad:?}");
    }
}

#[test]
fn scopes_are_ordered_and_their_words_are_parsed() {
    assert!(Scope::Read < Scope::Write && Scope::Write < Scope::Admin);
    for scope in Scope::ALL {
        assert_eq!(scope.as_str().parse::<Scope>().unwrap(), scope);
    }
}

#[tokio::test]
async fn a_key_is_accepted_until_it_expires_or_is_revoked() {
    let (_folder, store) = fresh().await;
    let keys = ApiKeys::new(Arc::clone(&store));
    let new = NewKey {
        expires: Some("1h".parse().unwrap()),
        ..named("ci")
    };
    let (key, secret) = create(store.as_ref(), &Caller::local(), new, now())
        .await
        .unwrap();
    let verified = Verified {
        id: key.id,
        name: "ci".to_owned(),
        scope: Scope::Write,
        projects: Projects::All,
    };
    let presented = secret.expose();
    assert_eq!(
        keys.verify(presented, later(3_599)).await.unwrap(),
        verified
    );
    let expired = keys.verify(presented, later(3_600)).await;
    assert!(matches!(expired, Err(Refusal::Expired)), "{expired:?}");

    let unknown = keys.verify(&format::generate().unwrap(), now()).await;
    assert!(matches!(unknown, Err(Refusal::Unknown)), "{unknown:?}");
    let malformed = keys.verify("ci", now()).await;
    assert!(
        matches!(malformed, Err(Refusal::Malformed)),
        "{malformed:?}"
    );

    // Revoked through the store, as another process would do it, without notifying the verifier.
    revoke(store.as_ref(), &Caller::local(), "ci", later(1))
        .await
        .unwrap();
    let revoked = keys.verify(presented, later(2)).await;
    assert!(matches!(revoked, Err(Refusal::Revoked)), "{revoked:?}");
    store.close().await;
    let unchecked = keys.verify(presented, later(2)).await;
    assert!(
        matches!(unchecked, Err(Refusal::Unchecked(_))),
        "{unchecked:?}"
    );
}

#[tokio::test]
async fn a_key_is_revoked_by_name_id_prefix_or_itself() {
    let (_folder, store) = fresh().await;
    let store = store.as_ref();
    let (first, _) = create(store, &Caller::local(), named("ci"), now())
        .await
        .unwrap();
    let taken = create(store, &Caller::local(), named("ci"), now()).await;
    assert!(matches!(taken, Err(KeyError::NameTaken(_))), "{taken:?}");
    let done = revoke(store, &Caller::local(), "ci", later(1))
        .await
        .unwrap();
    assert!(
        matches!(&done, Revocation::Done(key) if key.id == first.id),
        "{done:?}"
    );
    let again = revoke(store, &Caller::local(), &first.id.to_string(), later(2))
        .await
        .unwrap();
    assert!(
        matches!(&again, Revocation::Before(key) if key.revoked_at == Some(later(1))),
        "{again:?}"
    );

    // The name is free again, and then refers to the key that is not revoked.
    let (second, secret) = create(store, &Caller::local(), named("ci"), later(3))
        .await
        .unwrap();
    let (third, _) = create(store, &Caller::local(), named("third"), later(3))
        .await
        .unwrap();
    let unknown = revoke(store, &Caller::local(), &secret.expose()[..20], later(4))
        .await
        .unwrap_err();
    let message = unknown.to_string();
    assert!(
        message.contains(&second.prefix) && !message.contains(&secret.expose()[..20]),
        "{message}"
    );
    let by_key = revoke(store, &Caller::local(), secret.expose(), later(4))
        .await
        .unwrap();
    assert!(
        matches!(&by_key, Revocation::Done(key) if key.id == second.id),
        "{by_key:?}"
    );
    let by_prefix = revoke(store, &Caller::local(), &third.prefix[..10], later(4))
        .await
        .unwrap();
    assert!(
        matches!(&by_prefix, Revocation::Done(key) if key.id == third.id),
        "{by_prefix:?}"
    );
    for nothing in ["", "rk_", "nobody", "CI"] {
        let unknown = revoke(store, &Caller::local(), nothing, later(5)).await;
        assert!(
            matches!(unknown, Err(KeyError::Unknown(_))),
            "{nothing:?}: {unknown:?}"
        );
    }
    assert_eq!(list(store).await.unwrap().len(), 3);
}

#[tokio::test]
async fn an_ambiguous_beginning_revokes_no_key() {
    let (_folder, store) = fresh().await;
    let store = store.as_ref();
    for name in ["one", "two"] {
        let (mut record, _) = create(store, &Caller::local(), named(name), now())
            .await
            .unwrap();
        record.id = uuid::Uuid::now_v7();
        record.name = format!("twin of {name}");
        record.prefix = format!("rk_same{name}0");
        let hash = [name.len() as u8 + record.name.as_bytes()[8]; 32];
        store
            .insert_api_key(&HashedApiKey { record, hash }, None)
            .await
            .unwrap();
    }
    let message = revoke(store, &Caller::local(), "rk_same", now())
        .await
        .unwrap_err()
        .to_string();
    for part in [
        "2 keys",
        "rk_sameone0 (twin of one)",
        "rk_sametwo0 (twin of two)",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let keys = list(store).await.unwrap();
    assert!(keys.iter().all(|key| key.is_active(now())));
}

#[tokio::test]
async fn uses_are_stored_once_a_minute_and_at_the_end() {
    let (_folder, store) = fresh().await;
    let keys = ApiKeys::new(Arc::clone(&store));
    let (_, secret) = create(store.as_ref(), &Caller::local(), named("ci"), now())
        .await
        .unwrap();
    let stored = async || list(store.as_ref()).await.unwrap()[0].last_used_at;
    for (second, due, expected) in [
        (1, later(1), Some(later(1))),
        (30, later(31), Some(later(1))),
        (40, later(61), Some(later(40))),
    ] {
        keys.verify(secret.expose(), later(second)).await.unwrap();
        keys.flush_due_uses(due).await.unwrap();
        assert_eq!(stored().await, expected, "used at {second}");
    }
    keys.verify(secret.expose(), later(62)).await.unwrap();
    keys.flush_uses(later(63)).await.unwrap();
    assert_eq!(stored().await, Some(later(62)));
}

#[tokio::test]
async fn cached_keys_are_dropped_at_the_next_revision() {
    let (_folder, store) = fresh().await;
    let (record, _) = create(store.as_ref(), &Caller::local(), named("ci"), now())
        .await
        .unwrap();
    let key = |n: u16| {
        let mut hash = [0; 32];
        hash[..2].copy_from_slice(&n.to_be_bytes());
        let record = record.clone();
        Arc::new(HashedApiKey { record, hash })
    };
    let cache = Cache::default();
    cache.put(7, key(1));
    assert!(cache.get(7, &key(1).hash).is_some());
    assert!(cache.get(7, &key(2).hash).is_none());
    assert!(cache.get(8, &key(1).hash).is_none());
    cache.put(8, key(2));
    assert!(cache.get(7, &key(1).hash).is_none());
    assert!(cache.get(8, &key(1).hash).is_none());
    // Bounded, however many keys there are.
    (0..5_000).for_each(|n| cache.put(9, key(n)));
    let cached = (0..5_000).filter(|n| cache.get(9, &key(*n).hash).is_some());
    assert!((1..=1_024).contains(&cached.count()));
}
