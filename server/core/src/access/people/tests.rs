//! Users, passwords, sessions and the set-up link, with a clock that the tests set.

#![allow(clippy::unwrap_used)]

use std::{
    net::{IpAddr, Ipv4Addr},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use recall_kit_settings::{Secret, Settings};
use recall_kit_store::StoreOptions;

use super::*;
use crate::{
    access::{
        Access, Caller, Projects, Scope,
        api_keys::{self, KeyError, NewKey},
        audit,
    },
    clock::Clock,
};

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DAY: i64 = 24 * 60 * 60;

/// A server with its own clock, on a database.
struct TestServer {
    access: Arc<Access>,
    seconds: Arc<AtomicI64>,
    folder: tempfile::TempDir,
}

impl TestServer {
    async fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("recall-kit.db");
        Self::on(&database, folder).await
    }

    /// Starts another server on the same database, with another clock.
    async fn second_on_same_database(&self) -> Self {
        let database = self.folder.path().join("recall-kit.db");
        Self::on(&database, tempfile::tempdir().unwrap()).await
    }

    async fn on(database: &Path, folder: tempfile::TempDir) -> Self {
        let settings = Settings {
            data_dir: Some(folder.path().to_owned()),
            ..Settings::default()
        };
        let url = format!("sqlite:{}", database.display());
        let options = StoreOptions::new(url.as_str(), Duration::from_secs(5));
        let store = recall_kit_store::open(&options).await.unwrap();
        let seconds = Arc::new(AtomicI64::new(1_900_000_000));
        let shown = Arc::clone(&seconds);
        let clock =
            Clock::new(move || Timestamp::from_second(shown.load(Ordering::SeqCst)).unwrap());
        Self {
            access: Access::new(&settings, &store, &clock).await.unwrap(),
            seconds,
            folder,
        }
    }

    fn pass(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    async fn user(&self, name: &str, role: Scope) -> User {
        let new = NewUser {
            name: name.parse().unwrap(),
            role,
            projects: Projects::All,
            password: Some(Password::new(&pass_of(name), name).unwrap()),
        };
        let store = self.access.store.as_ref();
        let result = create(store, &Caller::local(), new, self.access.clock.now()).await;
        result.unwrap()
    }

    async fn change(&self, user: &User, change: Change) -> Result<User, PeopleError> {
        let store = self.access.store.as_ref();
        super::change(
            store,
            &Caller::local(),
            (user.id, change),
            self.access.clock.now(),
        )
        .await
    }

    async fn sign_in(&self, name: &str, password: &str) -> Result<SignedIn, SignInError> {
        let credentials = Credentials::Password {
            name: name.to_owned(),
            password: Secret::new(password),
        };
        self.sign_in_from(HOME, &credentials, None).await
    }

    async fn sign_in_from(
        &self,
        address: IpAddr,
        credentials: &Credentials,
        device: Option<&str>,
    ) -> Result<SignedIn, SignInError> {
        let origin = SignInOrigin { address, device };
        sign_in(&self.access, credentials, origin).await
    }

    async fn signed_in(&self, name: &str) -> SignedIn {
        self.sign_in(name, &pass_of(name)).await.unwrap()
    }

    async fn counts(&self, signed_in: &SignedIn) -> bool {
        let found = session(&self.access, signed_in.token.expose()).await;
        found.unwrap().is_some()
    }

    async fn noted(&self) -> Vec<(String, Option<String>)> {
        let page = audit::list(self.access.store.as_ref(), &Caller::local(), None, 50).await;
        let records = page.unwrap().records.into_iter();
        let noted = records.map(|record| (record.event.action, record.event.details));
        noted.collect()
    }
}

/// Returns a password made of the name, so that none is written here.
fn pass_of(name: &str) -> String {
    format!("{name} knows it by heart")
}

#[test]
fn a_password_must_be_long_and_not_the_name_and_has_no_other_rules() {
    let check = |text: &str, expected: Result<(), PasswordError>| {
        let result = Password::new(text, "Zoë of Ghent, 3").map(drop);
        assert_eq!(result, expected, "{text:?}");
    };
    check(&"é".repeat(12), Ok(()));
    check(&"😀".repeat(200), Ok(()));
    check(&"é".repeat(11), Err(PasswordError::Length(11)));
    // Composed and decomposed characters count the same.
    check(&"e\u{301}".repeat(11), Err(PasswordError::Length(11)));
    check(&"a".repeat(201), Err(PasswordError::Length(201)));
    check("zoe\u{308} OF ghent, 3 ", Err(PasswordError::Name));
    let shown = format!("{:?}", Password::new("correct horse", "zoe"));
    assert!(!shown.contains("horse"), "{shown}");
}

#[tokio::test]
async fn a_session_identifies_its_user_until_it_ends() {
    let server = TestServer::fresh().await;
    let zoe = server.user("Zoë", Scope::Write).await;
    let shop = Projects::only(["Shop".to_owned()]).unwrap();
    let zoe = server.change(&zoe, Change::Projects(shop.clone())).await;
    let zoe = zoe.unwrap();
    let SignedIn { token, session, .. } = server.sign_in("ZOË", &pass_of("Zoë")).await.unwrap();
    assert_eq!(token.expose().len(), 43);
    assert_eq!(session.name, "Zoë");
    let Caller {
        key,
        user,
        scope,
        projects,
        ..
    } = session.caller.clone();
    assert_eq!(
        (key, user, scope, projects),
        (None, Some(zoe.id), Scope::Write, shop)
    );

    let found = super::session(&server.access, token.expose())
        .await
        .unwrap();
    assert_eq!(found, Some(session));
    for wrong in ["", "rk_", &token.expose()[1..], &pass_of("Zoë")] {
        let found = super::session(&server.access, wrong).await.unwrap();
        assert_eq!(found, None, "{wrong:?}");
    }
    // The database has only the hash, which is not accepted as a token.
    let (other, hash) = sessions::token().unwrap();
    assert_eq!(sessions::hash_of(other.expose()), Some(hash));
    assert!(sign_out(&server.access, token.expose()).await.unwrap());
    assert!(!sign_out(&server.access, token.expose()).await.unwrap());
    assert!(
        super::session(&server.access, token.expose())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn sessions_end_after_a_week_without_use_or_thirty_days() {
    let server = TestServer::fresh().await;
    server.user("zoe", Scope::Read).await;
    let (used, unused) = (server.signed_in("zoe").await, server.signed_in("zoe").await);
    for _ in 0..5 {
        server.pass(6 * DAY - 1);
        assert!(server.counts(&used).await);
    }
    assert!(!server.counts(&unused).await);
    // Exactly thirty days.
    server.pass(4);
    assert!(server.counts(&used).await);
    server.pass(1);
    assert!(!server.counts(&used).await);
    let idle = server.signed_in("zoe").await;
    server.pass(7 * DAY);
    assert!(server.counts(&idle).await);
    server.pass(7 * DAY + 1);
    assert!(!server.counts(&idle).await);
    let store = server.access.store.as_ref();
    server.access.tidy_up().await.unwrap();
    assert_eq!(
        store
            .purge_sessions(Timestamp::MAX, Timestamp::MAX)
            .await
            .unwrap(),
        0
    );
}

#[tokio::test]
async fn changes_of_a_user_take_effect_at_once() {
    let server = TestServer::fresh().await;
    let zoe = server.user("zoe", Scope::Write).await;
    let (first, second) = (server.signed_in("zoe").await, server.signed_in("zoe").await);
    server
        .change(&zoe, Change::Role(Scope::Read))
        .await
        .unwrap();
    let found = session(&server.access, first.token.expose()).await.unwrap();
    assert_eq!(found.unwrap().caller.scope, Scope::Read);

    let current = Secret::new(pass_of("zoe"));
    let own = async |current: &Secret, new: &str| {
        change_own_password(&server.access, first.token.expose(), (current, new)).await
    };
    let wrong = own(&Secret::new("something else"), "a new one, longer").await;
    assert!(
        matches!(wrong, Err(PeopleError::OtherPassword)),
        "{wrong:?}"
    );
    own(&current, "a new one, longer").await.unwrap();
    assert!(server.counts(&first).await && !server.counts(&second).await);
    assert!(matches!(
        server.sign_in("zoe", current.expose()).await,
        Err(SignInError::Wrong)
    ));
    let third = server.sign_in("zoe", "a new one, longer").await.unwrap();

    server.change(&zoe, Change::Disable).await.unwrap();
    assert!(!server.counts(&first).await && !server.counts(&third).await);
    let disabled = server.sign_in("zoe", "a new one, longer").await;
    assert!(
        matches!(disabled, Err(SignInError::Disabled)),
        "{disabled:?}"
    );
    server.change(&zoe, Change::Enable).await.unwrap();
    assert!(!server.counts(&first).await, "an ended session stays ended");
    let fourth = server.sign_in("zoe", "a new one, longer").await.unwrap();
    let ended = sign_out_everywhere(&server.access, &fourth.session.caller).await;
    assert_eq!(ended.unwrap(), 1);
    assert!(!server.counts(&fourth).await);
}

#[tokio::test]
async fn a_session_of_a_key_ends_with_the_key() {
    let server = TestServer::fresh().await;
    let store = server.access.store.as_ref();
    let local = Caller::local();
    let new = |name: &str, expires: Option<&str>| NewKey {
        name: name.parse().unwrap(),
        scope: Scope::Write,
        expires: expires.map(|expires| expires.parse().unwrap()),
        projects: Projects::only(["shop".to_owned()]).unwrap(),
        is_trusted: false,
    };
    let mut sessions = Vec::new();
    for new in [new("ci", None), new("short", Some("1h"))] {
        let result = api_keys::create(store, &local, new, server.access.clock.now()).await;
        let credentials = Credentials::ApiKey(result.unwrap().1);
        let signed_in = server.sign_in_from(HOME, &credentials, None).await.unwrap();
        assert!(!signed_in.session.caller.projects.is_all());
        sessions.push(signed_in);
    }
    assert!(server.counts(&sessions[0]).await && server.counts(&sessions[1]).await);
    let revoked = api_keys::revoke(store, &local, "ci", server.access.clock.now()).await;
    revoked.unwrap();
    assert!(!server.counts(&sessions[0]).await && server.counts(&sessions[1]).await);
    server.pass(3_600);
    assert!(!server.counts(&sessions[1]).await);
    let unlimited = NewKey {
        scope: Scope::Admin,
        ..new("root", None)
    };
    let refused = api_keys::create(store, &local, unlimited, server.access.clock.now()).await;
    assert!(
        matches!(refused, Err(KeyError::LimitedAdmin)),
        "{refused:?}"
    );
}

#[tokio::test]
async fn strangers_cannot_lock_a_user_out() {
    let server = TestServer::fresh().await;
    server.user("ada", Scope::Admin).await;
    let credentials = |password: &str| Credentials::Password {
        name: "ada".to_owned(),
        password: Secret::new(password),
    };
    let (wrong, right) = (
        credentials("a guess, and wrong"),
        credentials(&pass_of("ada")),
    );
    let device = server.signed_in("ada").await.device.unwrap();
    let stranger = |host: u8| IpAddr::V4(Ipv4Addr::new(198, 51, 100, host));
    for host in 0..4 {
        for _ in 0..3 {
            let refused = server.sign_in_from(stranger(host), &wrong, None).await;
            assert!(matches!(refused, Err(SignInError::Wrong)), "{refused:?}");
        }
    }
    // On another network there is no wait; on the strangers' network only a known browser need not wait.
    server.signed_in("ada").await;
    let waits = server.sign_in_from(stranger(0), &right, None).await;
    assert!(matches!(waits, Err(SignInError::Wait(1))), "{waits:?}");
    let known = Some(device.expose());
    server
        .sign_in_from(stranger(0), &right, known)
        .await
        .unwrap();

    // Clearing through another process takes effect here.
    let other = server.second_on_same_database().await;
    People::clear_waits(other.access.store.as_ref(), server.access.clock.now())
        .await
        .unwrap();
    server
        .sign_in_from(stranger(0), &right, None)
        .await
        .unwrap();
}

#[tokio::test]
async fn repeated_failures_cause_waits_and_are_audited() {
    let server = TestServer::fresh().await;
    server.user("zoe", Scope::Read).await;
    let typed = pass_of("a secret typed as a name");
    for (name, seconds) in [("zoe", 0), (typed.as_str(), 0), ("ZOE", 0), ("zoe", 1)] {
        server.pass(seconds);
        let wrong = server.sign_in(name, "something else").await;
        assert!(matches!(wrong, Err(SignInError::Wrong)), "{wrong:?}");
    }
    let waits = server.sign_in("zoe", &pass_of("zoe")).await;
    assert!(matches!(waits, Err(SignInError::Wait(1))), "{waits:?}");
    server.pass(1);
    server.signed_in("zoe").await;

    let noted = server.noted().await;
    let actions: Vec<&str> = noted.iter().map(|(action, _)| action.as_str()).collect();
    let refused = "session.refused";
    assert_eq!(
        actions,
        [
            "session.begun",
            refused,
            refused,
            refused,
            refused,
            "user.created"
        ]
    );
    assert!(!format!("{noted:?}").contains("typed as"), "{noted:?}");
}

#[tokio::test]
async fn a_rejected_sign_in_is_audited_even_if_the_client_disconnects() {
    let server = TestServer::fresh().await;
    server.user("zoe", Scope::Read).await;
    {
        let mut guess = Box::pin(server.sign_in("zoe", "something else"));
        assert!(futures::poll!(&mut guess).is_pending());
    }
    let noted = async { while server.noted().await.len() < 2 {} };
    let noted = tokio::time::timeout(Duration::from_secs(60), noted).await;
    assert!(noted.is_ok(), "{:?}", server.noted().await);
    assert_eq!(server.noted().await[0].0, "session.refused");
}

#[tokio::test]
async fn only_one_set_up_link_creates_the_administrator_and_only_once() {
    let server = TestServer::fresh().await;
    let access = &server.access;
    let first = invite(access).await.unwrap().unwrap();
    let second = invite(access).await.unwrap().unwrap();
    assert!(!is_invited(access, first.expose()) && is_invited(access, second.expose()));
    let set_up = async |token: &Secret, name: &str| {
        let password = Password::new(&pass_of(name), name).unwrap();
        super::set_up(access, token.expose(), name.parse().unwrap(), password).await
    };
    server.pass(DAY);
    let late = set_up(&second, "ada").await;
    assert!(matches!(late, Err(SetUpError::NotInvited)), "{late:?}");

    let token = invite(access).await.unwrap().unwrap();
    let (one, two) = tokio::join!(set_up(&token, "ada"), set_up(&token, "eve"));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    let signed_in = one.or(two).unwrap();
    assert_eq!(signed_in.session.caller.scope, Scope::Admin);
    assert!(server.counts(&signed_in).await);
    assert!(!is_invited(access, token.expose()));
    assert!(invite(access).await.unwrap().is_none());
    assert_eq!(server.noted().await[0].0, "user.set_up");

    let admin = named(
        server.access.store.as_ref(),
        &Caller::local(),
        &signed_in.session.name,
    )
    .await;
    let admin = admin.unwrap();
    for last in [Change::Disable, Change::Role(Scope::Write)] {
        let refused = server.change(&admin, last).await;
        assert!(
            matches!(refused, Err(PeopleError::LastAdmin(_))),
            "{refused:?}"
        );
    }
    let shop = Projects::only(["shop".to_owned()]).unwrap();
    let limited = server.change(&admin, Change::Projects(shop)).await;
    assert!(
        matches!(limited, Err(PeopleError::LimitedAdmin)),
        "{limited:?}"
    );
}

#[tokio::test]
async fn only_administrators_create_list_and_change_users_and_keys() {
    let server = TestServer::fresh().await;
    let zoe = server.user("zoe", Scope::Write).await;
    let by = Caller::of_user(&zoe);
    let (store, now) = (server.access.store.as_ref(), server.access.clock.now());
    let change = (zoe.id, Change::Role(Scope::Admin));
    let changed = super::change(store, &by, change, now).await;
    let listed = list(store, &by).await;
    let refusals = [changed.map(drop), listed.map(drop)];
    for refused in refusals {
        assert!(
            matches!(refused, Err(PeopleError::Forbidden(_))),
            "{refused:?}"
        );
    }
    let noted = audit::list(store, &by, None, 5).await;
    assert!(
        matches!(noted, Err(audit::AuditError::Forbidden(_))),
        "{noted:?}"
    );
    let result = api_keys::revoke(store, &by, "ci", now).await;
    assert!(matches!(result, Err(KeyError::Forbidden(_))), "{result:?}");
}

#[tokio::test]
async fn servers_on_one_database_agree() {
    let first = TestServer::fresh().await;
    let second = first.second_on_same_database().await;
    let invited = [&first, &second].map(|server| &server.access);
    let mut links = Vec::new();
    for access in invited {
        links.push((access, invite(access).await.unwrap().unwrap()));
    }
    let attempts = links
        .iter()
        .zip(["ada", "eve"])
        .map(|((access, token), name)| {
            let password = Password::new(&pass_of(name), name).unwrap();
            set_up(access, token.expose(), name.parse().unwrap(), password)
        });
    let results = futures::future::join_all(attempts).await;
    let successes = results.iter().flatten().count();
    assert_eq!(successes, 1, "{results:?}");

    let zoe = first.user("zoe", Scope::Write).await;
    let signed_in = first.signed_in("zoe").await;
    assert!(second.counts(&signed_in).await);
    second.change(&zoe, Change::Disable).await.unwrap();
    assert!(!first.counts(&signed_in).await);
    let disabled = first.sign_in("zoe", &pass_of("zoe")).await;
    assert!(
        matches!(disabled, Err(SignInError::Disabled)),
        "{disabled:?}"
    );
}
