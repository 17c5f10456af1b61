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
use recall_kit_settings::{EmbeddingProvider, Secret, Settings};
use recall_kit_store::StoreOptions;

use super::*;
use crate::{
    access::{
        Caller, Projects, Scope,
        api_keys::{self, KeyError, NewKey},
        audit,
    },
    app::App,
};

const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const DAY: i64 = 24 * 60 * 60;

/// A server of its own on a fresh database.
struct Place {
    app: Arc<App>,
    seconds: Arc<AtomicI64>,
    folder: tempfile::TempDir,
}

impl Place {
    async fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("recall-kit.db");
        Self::on(&database, folder).await
    }

    /// Another server on the same database, with another clock.
    async fn beside(&self) -> Self {
        let database = self.folder.path().join("recall-kit.db");
        Self::on(&database, tempfile::tempdir().unwrap()).await
    }

    async fn on(database: &Path, folder: tempfile::TempDir) -> Self {
        let mut settings = Settings {
            data_dir: Some(folder.path().to_owned()),
            ..Settings::default()
        };
        settings.embeddings.provider = EmbeddingProvider::Off;
        let url = format!("sqlite:{}", database.display());
        let options = StoreOptions::new(url.as_str(), Duration::from_secs(5));
        let store = recall_kit_store::open(&options).await.unwrap();
        let seconds = Arc::new(AtomicI64::new(1_900_000_000));
        let hand = Arc::clone(&seconds);
        let clock = Arc::new(move || Timestamp::from_second(hand.load(Ordering::SeqCst)).unwrap());
        Self {
            app: App::with(settings, store, None, clock).await.unwrap(),
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
        let store = self.app.store.as_ref();
        let made = create(store, &Caller::local(), new, self.app.now()).await;
        made.unwrap()
    }

    async fn change(&self, user: &User, change: Change) -> Result<User, PeopleError> {
        let store = self.app.store.as_ref();
        super::change(store, &Caller::local(), (user.id, change), self.app.now()).await
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
        sign_in(&self.app, credentials, origin).await
    }

    async fn signed_in(&self, name: &str) -> SignedIn {
        self.sign_in(name, &pass_of(name)).await.unwrap()
    }

    async fn counts(&self, signed_in: &SignedIn) -> bool {
        let found = session(&self.app, signed_in.token.expose()).await;
        found.unwrap().is_some()
    }

    async fn noted(&self) -> Vec<(String, Option<String>)> {
        let page = audit::list(self.app.store.as_ref(), &Caller::local(), None, 50).await;
        let records = page.unwrap().records.into_iter();
        let noted = records.map(|record| (record.event.action, record.event.details));
        noted.collect()
    }
}

/// Made of the name, so that no word here looks like somebody's.
fn pass_of(name: &str) -> String {
    format!("{name} knows it by heart")
}

#[test]
fn passwords_are_long_and_not_the_name_and_nothing_else_is_asked() {
    let check = |text: &str, expected: Result<(), PasswordError>| {
        let made = Password::new(text, "Zoë of Ghent, 3").map(drop);
        assert_eq!(made, expected, "{text:?}");
    };
    check(&"é".repeat(12), Ok(()));
    check(&"😀".repeat(200), Ok(()));
    check(&"é".repeat(11), Err(PasswordError::Length(11)));
    // As long as it looks, however it is written.
    check(&"e\u{301}".repeat(11), Err(PasswordError::Length(11)));
    check(&"a".repeat(201), Err(PasswordError::Length(201)));
    check("zoe\u{308} OF ghent, 3 ", Err(PasswordError::Name));
    let shown = format!("{:?}", Password::new("correct horse", "zoe"));
    assert!(!shown.contains("horse"), "{shown}");
}

#[tokio::test]
async fn who_signs_in_is_who_it_is_until_the_session_ends() {
    let place = Place::fresh().await;
    let zoe = place.user("Zoë", Scope::Write).await;
    let shop = Projects::only(["Shop".to_owned()]).unwrap();
    let zoe = place.change(&zoe, Change::Projects(shop.clone())).await;
    let zoe = zoe.unwrap();
    let SignedIn { token, session, .. } = place.sign_in("ZOË", &pass_of("Zoë")).await.unwrap();
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

    let found = super::session(&place.app, token.expose()).await.unwrap();
    assert_eq!(found, Some(session));
    for wrong in ["", "rk_", &token.expose()[1..], &pass_of("Zoë")] {
        let found = super::session(&place.app, wrong).await.unwrap();
        assert_eq!(found, None, "{wrong:?}");
    }
    // What the database has is of no use in the place of a token.
    let (other, hash) = sessions::token().unwrap();
    assert_eq!(sessions::hash_of(other.expose()), Some(hash));
    assert!(sign_out(&place.app, token.expose()).await.unwrap());
    assert!(!sign_out(&place.app, token.expose()).await.unwrap());
    assert!(
        super::session(&place.app, token.expose())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn sessions_end_unused_or_in_the_end() {
    let place = Place::fresh().await;
    place.user("zoe", Scope::Read).await;
    let (used, unused) = (place.signed_in("zoe").await, place.signed_in("zoe").await);
    for _ in 0..5 {
        place.pass(6 * DAY - 1);
        assert!(place.counts(&used).await);
    }
    assert!(!place.counts(&unused).await);
    // Thirty days and not one second more.
    place.pass(4);
    assert!(place.counts(&used).await);
    place.pass(1);
    assert!(!place.counts(&used).await);
    let idle = place.signed_in("zoe").await;
    place.pass(7 * DAY);
    assert!(place.counts(&idle).await);
    place.pass(7 * DAY + 1);
    assert!(!place.counts(&idle).await);
    let store = place.app.store.as_ref();
    place
        .app
        .people
        .tidy_up(store, place.app.now())
        .await
        .unwrap();
    assert_eq!(
        store
            .purge_sessions(Timestamp::MAX, Timestamp::MAX)
            .await
            .unwrap(),
        0
    );
}

#[tokio::test]
async fn a_change_counts_at_once() {
    let place = Place::fresh().await;
    let zoe = place.user("zoe", Scope::Write).await;
    let (first, second) = (place.signed_in("zoe").await, place.signed_in("zoe").await);
    place.change(&zoe, Change::Role(Scope::Read)).await.unwrap();
    let found = session(&place.app, first.token.expose()).await.unwrap();
    assert_eq!(found.unwrap().caller.scope, Scope::Read);

    let present = Secret::new(pass_of("zoe"));
    let own = async |present: &Secret, new: &str| {
        change_own_password(&place.app, first.token.expose(), (present, new)).await
    };
    let wrong = own(&Secret::new("something else"), "a new one, longer").await;
    assert!(
        matches!(wrong, Err(PeopleError::OtherPassword)),
        "{wrong:?}"
    );
    own(&present, "a new one, longer").await.unwrap();
    assert!(place.counts(&first).await && !place.counts(&second).await);
    assert!(matches!(
        place.sign_in("zoe", present.expose()).await,
        Err(SignInError::Wrong)
    ));
    let third = place.sign_in("zoe", "a new one, longer").await.unwrap();

    place.change(&zoe, Change::Disable).await.unwrap();
    assert!(!place.counts(&first).await && !place.counts(&third).await);
    let disabled = place.sign_in("zoe", "a new one, longer").await;
    assert!(
        matches!(disabled, Err(SignInError::Disabled)),
        "{disabled:?}"
    );
    place.change(&zoe, Change::Enable).await.unwrap();
    assert!(!place.counts(&first).await, "what ended stays so");
    let fourth = place.sign_in("zoe", "a new one, longer").await.unwrap();
    let ended = sign_out_everywhere(&place.app, &fourth.session.caller).await;
    assert_eq!(ended.unwrap(), 1);
    assert!(!place.counts(&fourth).await);
}

#[tokio::test]
async fn a_session_of_a_key_ends_with_the_key() {
    let place = Place::fresh().await;
    let store = place.app.store.as_ref();
    let local = Caller::local();
    let new = |name: &str, expires: Option<&str>| NewKey {
        name: name.parse().unwrap(),
        scope: Scope::Write,
        expires: expires.map(|expires| expires.parse().unwrap()),
        projects: Projects::only(["shop".to_owned()]).unwrap(),
    };
    let mut sessions = Vec::new();
    for new in [new("ci", None), new("short", Some("1h"))] {
        let made = api_keys::create(store, &local, new, place.app.now()).await;
        let credentials = Credentials::ApiKey(made.unwrap().1);
        let signed_in = place.sign_in_from(HOME, &credentials, None).await.unwrap();
        assert!(!signed_in.session.caller.projects.is_all());
        sessions.push(signed_in);
    }
    assert!(place.counts(&sessions[0]).await && place.counts(&sessions[1]).await);
    let revoked = api_keys::revoke(store, &local, "ci", place.app.now()).await;
    revoked.unwrap();
    assert!(!place.counts(&sessions[0]).await && place.counts(&sessions[1]).await);
    place.pass(3_600);
    assert!(!place.counts(&sessions[1]).await);
    let unlimited = NewKey {
        scope: Scope::Admin,
        ..new("root", None)
    };
    let refused = api_keys::create(store, &local, unlimited, place.app.now()).await;
    assert!(
        matches!(refused, Err(KeyError::LimitedAdmin)),
        "{refused:?}"
    );
}

#[tokio::test]
async fn strangers_cannot_keep_a_user_out() {
    let place = Place::fresh().await;
    place.user("ada", Scope::Admin).await;
    let credentials = |password: &str| Credentials::Password {
        name: "ada".to_owned(),
        password: Secret::new(password),
    };
    let (wrong, right) = (
        credentials("a guess, and wrong"),
        credentials(&pass_of("ada")),
    );
    let device = place.signed_in("ada").await.device.unwrap();
    let stranger = |host: u8| IpAddr::V4(Ipv4Addr::new(198, 51, 100, host));
    for host in 0..4 {
        for _ in 0..3 {
            let refused = place.sign_in_from(stranger(host), &wrong, None).await;
            assert!(matches!(refused, Err(SignInError::Wrong)), "{refused:?}");
        }
    }
    // Elsewhere nobody waits; where strangers failed only a browser that is known does not.
    place.signed_in("ada").await;
    let waits = place.sign_in_from(stranger(0), &right, None).await;
    assert!(matches!(waits, Err(SignInError::Wait(1))), "{waits:?}");
    let known = Some(device.expose());
    place
        .sign_in_from(stranger(0), &right, known)
        .await
        .unwrap();

    // The order of another process counts here.
    let other = place.beside().await;
    People::clear_waits(other.app.store.as_ref(), place.app.now())
        .await
        .unwrap();
    place.sign_in_from(stranger(0), &right, None).await.unwrap();
}

#[tokio::test]
async fn repeated_failures_make_wait_and_are_audited() {
    let place = Place::fresh().await;
    place.user("zoe", Scope::Read).await;
    let typed = pass_of("a secret typed as a name");
    for (name, seconds) in [("zoe", 0), (typed.as_str(), 0), ("ZOE", 0), ("zoe", 1)] {
        place.pass(seconds);
        let wrong = place.sign_in(name, "something else").await;
        assert!(matches!(wrong, Err(SignInError::Wrong)), "{wrong:?}");
    }
    let waits = place.sign_in("zoe", &pass_of("zoe")).await;
    assert!(matches!(waits, Err(SignInError::Wait(1))), "{waits:?}");
    place.pass(1);
    place.signed_in("zoe").await;

    let noted = place.noted().await;
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
async fn a_refused_sign_in_is_audited_when_the_client_hangs_up() {
    let place = Place::fresh().await;
    place.user("zoe", Scope::Read).await;
    {
        let mut guess = Box::pin(place.sign_in("zoe", "something else"));
        assert!(futures::poll!(&mut guess).is_pending());
    }
    let noted = async { while place.noted().await.len() < 2 {} };
    let noted = tokio::time::timeout(Duration::from_secs(60), noted).await;
    assert!(noted.is_ok(), "{:?}", place.noted().await);
    assert_eq!(place.noted().await[0].0, "session.refused");
}

#[tokio::test]
async fn of_several_set_up_links_one_makes_the_administrator_once() {
    let place = Place::fresh().await;
    let app = &place.app;
    let first = invite(app).await.unwrap().unwrap();
    let second = invite(app).await.unwrap().unwrap();
    assert!(!is_invited(app, first.expose()) && is_invited(app, second.expose()));
    let set_up = async |token: &Secret, name: &str| {
        let password = Password::new(&pass_of(name), name).unwrap();
        super::set_up(app, token.expose(), name.parse().unwrap(), password).await
    };
    place.pass(DAY);
    let late = set_up(&second, "ada").await;
    assert!(matches!(late, Err(SetUpError::NotInvited)), "{late:?}");

    let token = invite(app).await.unwrap().unwrap();
    let (one, two) = tokio::join!(set_up(&token, "ada"), set_up(&token, "eve"));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    let signed_in = one.or(two).unwrap();
    assert_eq!(signed_in.session.caller.scope, Scope::Admin);
    assert!(place.counts(&signed_in).await);
    assert!(!is_invited(app, token.expose()));
    assert!(invite(app).await.unwrap().is_none());
    assert_eq!(place.noted().await[0].0, "user.set_up");

    let admin = named(
        app.store.as_ref(),
        &Caller::local(),
        &signed_in.session.name,
    )
    .await;
    let admin = admin.unwrap();
    for last in [Change::Disable, Change::Role(Scope::Write)] {
        let refused = place.change(&admin, last).await;
        assert!(
            matches!(refused, Err(PeopleError::LastAdmin(_))),
            "{refused:?}"
        );
    }
    let shop = Projects::only(["shop".to_owned()]).unwrap();
    let limited = place.change(&admin, Change::Projects(shop)).await;
    assert!(
        matches!(limited, Err(PeopleError::LimitedAdmin)),
        "{limited:?}"
    );
}

#[tokio::test]
async fn only_administrators_make_list_and_change() {
    let place = Place::fresh().await;
    let zoe = place.user("zoe", Scope::Write).await;
    let by = Caller::of_user(&zoe);
    let (store, now) = (place.app.store.as_ref(), place.app.now());
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
    let made = api_keys::revoke(store, &by, "ci", now).await;
    assert!(matches!(made, Err(KeyError::Forbidden(_))), "{made:?}");
}

#[tokio::test]
async fn servers_on_one_database_agree() {
    let here = Place::fresh().await;
    let there = here.beside().await;
    let invited = [&here, &there].map(|place| &place.app);
    let mut links = Vec::new();
    for app in invited {
        links.push((app, invite(app).await.unwrap().unwrap()));
    }
    let attempts = links
        .iter()
        .zip(["ada", "eve"])
        .map(|((app, token), name)| {
            let password = Password::new(&pass_of(name), name).unwrap();
            set_up(app, token.expose(), name.parse().unwrap(), password)
        });
    let made = futures::future::join_all(attempts).await;
    let first = made.iter().flatten().count();
    assert_eq!(first, 1, "{made:?}");

    let zoe = here.user("zoe", Scope::Write).await;
    let signed_in = here.signed_in("zoe").await;
    assert!(there.counts(&signed_in).await);
    there.change(&zoe, Change::Disable).await.unwrap();
    assert!(!here.counts(&signed_in).await);
    let disabled = here.sign_in("zoe", &pass_of("zoe")).await;
    assert!(
        matches!(disabled, Err(SignInError::Disabled)),
        "{disabled:?}"
    );
}
