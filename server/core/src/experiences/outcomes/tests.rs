//! Who reports decides how far an outcome counts; every outcome is shown.

#![allow(clippy::unwrap_used)]

use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_shared_types::outcomes::{OutcomeKind, StandingState};
use recall_kit_store::{ExperienceContent, StoreOptions};

use super::*;
use crate::{
    access::api_keys::{self, NewKey},
    access::limit_to,
    app::App,
    experiences::{Query, Submission, explained_query, hide, submit},
    validation::{OutcomeInput, validate_outcome},
};

const DAY: i64 = 24 * 60 * 60;

struct TestServer {
    app: Arc<App>,
    database: String,
    second: Arc<AtomicI64>,
    _folder: tempfile::TempDir,
}

impl TestServer {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = format!("sqlite:{}", folder.path().join("memory.db").display());
        Self::on(database, folder, 1_800_000_000).await
    }

    /// Starts another server on the same database, whose clock has another time.
    async fn beside(&self, seconds: i64) -> Self {
        let time = self.second.load(Ordering::Relaxed) + seconds;
        Self::on(self.database.clone(), tempfile::tempdir().unwrap(), time).await
    }

    async fn on(database: String, folder: tempfile::TempDir, time: i64) -> Self {
        let mut settings = Settings {
            data_dir: Some(folder.path().to_owned()),
            ..Settings::default()
        };
        settings.embeddings.provider = EmbeddingProvider::Off;
        let options = StoreOptions::new(database.as_str(), Duration::from_secs(5));
        let store = recall_kit_store::open(&options).await.unwrap();
        let second = Arc::new(AtomicI64::new(time));
        let shown = Arc::clone(&second);
        let clock = move || Timestamp::from_second(shown.load(Ordering::Relaxed)).unwrap();
        let app = App::with(settings, store, None, Clock::new(clock)).await;
        Self {
            app: app.unwrap(),
            database,
            second,
            _folder: folder,
        }
    }

    fn wait(&self, days: i64) {
        self.second.fetch_add(days * DAY, Ordering::Relaxed);
    }

    async fn submitted(&self, by: &Caller, solution: &str) -> Uuid {
        let submission = Submission {
            content: ExperienceContent {
                title: "The wombat tunnel collapses".to_owned(),
                problem_description: "the wombat tunnel collapses".to_owned(),
                solution: solution.to_owned(),
                ..ExperienceContent::default()
            },
            notes: Vec::new(),
            idempotency_key: None,
        };
        let submitted = submit(&self.app.experiences, by, submission).await;
        submitted.unwrap().id.parse().unwrap()
    }

    async fn key(&self, name: &str, is_trusted: bool) -> Caller {
        let new = NewKey {
            name: name.parse().unwrap(),
            scope: Scope::Write,
            expires: None,
            projects: limit_to(&[]).unwrap(),
            is_trusted,
        };
        let (store, now) = (self.app.store.as_ref(), self.app.clock.now());
        let (key, _) = api_keys::create(store, &Caller::local(), new, now)
            .await
            .unwrap();
        Caller::of_key(&key)
    }

    async fn report(&self, by: &Caller, id: &str, kind: OutcomeKind) -> ReportOutcomeData {
        self.try_report(by, id, kind).await.unwrap()
    }

    async fn try_report(
        &self,
        by: &Caller,
        id: &str,
        kind: OutcomeKind,
    ) -> Result<ReportOutcomeData, ServiceError> {
        let input = OutcomeInput {
            experience_id: Some(id.to_owned()),
            outcome: Some(kind.as_str().to_owned()),
            evidence: Evidence::Person,
            ..OutcomeInput::default()
        };
        report(&self.app.outcomes, by, validate_outcome(input).unwrap()).await
    }

    async fn tier_of(&self, by: &Caller, id: Uuid) -> f64 {
        let reported = self.report(by, &id.to_string(), OutcomeKind::Worked).await;
        self.stored(id, &reported.id).await.tier
    }

    async fn stored(&self, experience: Uuid, id: &str) -> Report {
        let all = self.app.store.outcomes_of(experience, 1_000).await.unwrap();
        let stored = all.into_iter().find(|one| one.id.to_string() == id);
        stored.unwrap().report.unwrap()
    }

    /// Returns the solutions in the order in which a query returns them, with relevances and ranks.
    async fn ranked(&self) -> Vec<(String, f64, f64)> {
        let query = Query {
            keywords: "wombat tunnel collapses".to_owned(),
            limit: 10,
            offset: 0,
            ..Query::default()
        };
        let (data, parts) = explained_query(&self.app.experiences, query).await.unwrap();
        let both = data.experiences.into_iter().zip(parts);
        let shown = both.map(|(one, parts)| (one.solution, one.relevance_score, parts.rank));
        shown.collect()
    }
}

fn anonymous(last: u8) -> Caller {
    Caller {
        scope: Scope::Write,
        origin: Origin::Network(Ipv4Addr::new(192, 0, 2, last).into()),
        ..Caller::unknown()
    }
}

fn user() -> Caller {
    Caller {
        user: Some(Uuid::new_v4()),
        scope: Scope::Write,
        ..Caller::unknown()
    }
}

#[tokio::test]
async fn the_caller_decides_how_far_an_outcome_counts() {
    let server = TestServer::new().await;
    let author = server.key("author", true).await;
    let id = server.submitted(&author, "prop it up").await;
    assert_eq!(server.tier_of(&author, id).await, 0.0);
    assert_eq!(server.tier_of(&Caller::local(), id).await, 1.0);
    assert_eq!(server.tier_of(&user(), id).await, 1.0);
    assert_eq!(
        server.tier_of(&server.key("trusted", true).await, id).await,
        1.0
    );
    assert_eq!(server.tier_of(&anonymous(1), id).await, 0.0);
    let machine = Caller {
        origin: Origin::ThisMachine,
        ..anonymous(1)
    };
    assert_eq!(server.tier_of(&machine, id).await, 0.0, "there are keys");

    let key = server.key("new", false).await;
    server.wait(13);
    assert_eq!(server.tier_of(&key, id).await, 0.1);
    for solution in ["brace it", "dig anew"] {
        let other = server.submitted(&author, solution).await;
        assert_eq!(server.tier_of(&key, other).await, 0.1);
        server
            .report(&user(), &other.to_string(), OutcomeKind::WorkedWithChanges)
            .await;
    }
    assert_eq!(server.tier_of(&key, id).await, 0.1, "one day too young");
    server.wait(1);
    assert_eq!(server.tier_of(&key, id).await, 1.0);
    let stranger = server.key("stranger", false).await;
    server.wait(14);
    assert_eq!(
        server.tier_of(&stranger, id).await,
        0.1,
        "agreed with nobody"
    );

    // The person at the machine counts, whatever keys there are, for what is their own, too.
    let own = server.submitted(&Caller::local(), "leave it").await;
    assert_eq!(server.tier_of(&Caller::local(), own).await, 1.0);

    let own = TestServer::new().await;
    let id = own.submitted(&machine, "prop it up").await;
    assert_eq!(own.tier_of(&machine, id).await, 1.0);
}

#[tokio::test]
async fn new_keys_do_not_make_each_other_known() {
    let server = TestServer::new().await;
    let mut keys = Vec::new();
    for number in 0..8 {
        keys.push(server.key(&format!("key {number}"), false).await);
    }
    let mut ids = Vec::new();
    for solution in ["prop it up", "brace it", "dig anew", "leave it"] {
        ids.push(server.submitted(&user(), solution).await);
    }
    server.wait(14);
    for id in &ids {
        for key in &keys {
            assert_eq!(server.tier_of(key, *id).await, 0.1);
        }
    }
    for id in &ids[..3] {
        server.tier_of(&user(), *id).await;
    }
    assert_eq!(server.tier_of(&keys[0], ids[3]).await, 1.0);
}

#[tokio::test]
async fn a_person_is_believed_and_audited_where_the_server_can_know_it() {
    let server = TestServer::new().await;
    let id = server.submitted(&user(), "prop it up").await;
    let key = server.key("key", true).await;
    let audited = async || server.app.store.audit(None, 99).await.unwrap().len();
    for (by, said, expected, is_listed) in [
        (user(), Evidence::Person, Evidence::Person, true),
        (Caller::local(), Evidence::Person, Evidence::Person, true),
        (
            Caller::local(),
            Evidence::Observed,
            Evidence::Observed,
            false,
        ),
        (key.clone(), Evidence::Person, Evidence::Agent, false),
        (anonymous(1), Evidence::Person, Evidence::Agent, false),
        (key, Evidence::Observed, Evidence::Observed, false),
        (user(), Evidence::Agent, Evidence::Agent, true),
    ] {
        let before = audited().await;
        let input = OutcomeInput {
            experience_id: Some(id.to_string()),
            outcome: Some("worked".to_owned()),
            evidence: said,
            ..OutcomeInput::default()
        };
        let input = validate_outcome(input).unwrap();
        let reported = report(&server.app.outcomes, &by, input).await.unwrap();
        let stored = server.stored(id, &reported.id).await;
        assert_eq!(stored.evidence, expected, "{by:?}");
        let lines = usize::from(is_listed);
        assert_eq!(audited().await - before, lines, "{by:?}, audit list");
    }
}

#[tokio::test]
async fn a_report_that_is_repeated_from_another_network_is_the_same() {
    let server = TestServer::new().await;
    let id = server.submitted(&user(), "prop it up").await;
    let report = async |by: &Caller, outcome: &str| {
        let input = OutcomeInput {
            experience_id: Some(id.to_string()),
            outcome: Some(outcome.to_owned()),
            idempotency_key: Some("once".to_owned()),
            ..OutcomeInput::default()
        };
        let input = validate_outcome(input).unwrap();
        report(&server.app.outcomes, by, input).await
    };
    let first = report(&anonymous(1), "worked").await.unwrap();
    let again = report(&anonymous(2), "worked").await.unwrap();
    assert_eq!(again, first);
    assert_eq!(again.standing.voices, 1);
    assert!(report(&anonymous(1), "did_not_work").await.is_err());
    let of_a_user = report(&user(), "did_not_work").await.unwrap();
    assert_ne!(of_a_user.id, first.id, "the key of another caller");
}

#[tokio::test]
async fn standings_of_another_server_are_seen_whatever_its_clock_says() {
    let server = TestServer::new().await;
    server.submitted(&user(), "prop it up").await;
    let good = server.submitted(&user(), "brace it now").await.to_string();
    let first = async |server: &TestServer| {
        server.app.outcomes.refresh().await.unwrap();
        server.ranked().await[0].clone()
    };
    // One that is an hour behind writes after one that is an hour ahead.
    let (ahead, behind) = (server.beside(3_600).await, server.beside(-3_600).await);
    let alone = first(&server).await.2;
    ahead.report(&user(), &good, OutcomeKind::Worked).await;
    let (solution, _, once) = first(&server).await;
    assert_eq!(solution, "brace it now");
    assert!(once > alone, "{once} {alone}");
    behind.report(&user(), &good, OutcomeKind::Worked).await;
    let twice = first(&server).await.2;
    assert!(twice > once, "{twice} {once}");
    assert_eq!(first(&server).await.2, twice);
    let late = server.beside(0).await;
    assert_eq!(first(&late).await.2, twice, "it reads them at its start");
}

#[tokio::test]
async fn a_caller_is_one_voice_and_outcomes_without_weight_are_shown() {
    let server = TestServer::new().await;
    let id = server.submitted(&user(), "prop it up").await;
    let short = &id.to_string()[..13];
    for by in [anonymous(1), anonymous(2), anonymous(1)] {
        assert!(!server.report(&by, short, OutcomeKind::Worked).await.counted);
    }
    let by = user();
    assert!(
        !server
            .report(&by, short, OutcomeKind::NotApplicable)
            .await
            .counted
    );
    let last = server.report(&by, short, OutcomeKind::DidNotWork).await;
    assert!(last.counted);
    // Of reports without weight, one a day is stored.
    assert_eq!((last.standing.worked, last.standing.did_not_work), (2, 1));
    assert_eq!(
        (last.standing.voices, last.standing.state),
        (3, StandingState::Fresh)
    );
    assert_eq!(last.experience_id, id.to_string());
    let shown = standings(&server.app.outcomes, &[id, Uuid::now_v7()])
        .await
        .unwrap();
    assert_eq!(shown, BTreeMap::from([(id, last.standing)]));
}

#[tokio::test]
async fn what_is_not_visible_is_not_found() {
    let server = TestServer::new().await;
    let id = server.submitted(&user(), "prop it up").await;
    hide(&server.app.experiences, &user(), (id, None))
        .await
        .unwrap();
    let long = id.to_string();
    for unknown in [
        &long,
        &long[..13],
        "0",
        "01HX1234567890ABCDEFGHJKMN",
        "\u{0}",
    ] {
        let refused = server
            .try_report(&user(), unknown, OutcomeKind::Worked)
            .await;
        let body = refused.unwrap_err().body();
        assert_eq!(body.code, ErrorCode::NotFound, "{unknown}");
    }
    let reader = Caller {
        scope: Scope::Read,
        ..user()
    };
    let refused = server.try_report(&reader, &long, OutcomeKind::Worked).await;
    assert!(matches!(refused, Err(ServiceError::Forbidden(_))));
}

#[tokio::test]
async fn outcomes_change_the_rank_and_not_the_relevance() {
    let server = TestServer::new().await;
    let (bad, good) = (
        server.submitted(&user(), "prop it up").await.to_string(),
        server.submitted(&user(), "brace it now").await.to_string(),
    );
    server.submitted(&user(), "dig it anew").await;
    let before = server.ranked().await;
    let relevance = before[0].1;
    assert!(
        before
            .iter()
            .all(|one| (one.1, one.2) == (relevance, before[0].2)),
        "{before:?}"
    );
    let (one, other) = (user(), user());
    for by in [&one, &other] {
        server.report(by, &bad, OutcomeKind::DidNotWork).await;
        server.report(by, &good, OutcomeKind::Worked).await;
    }
    let after = server.ranked().await;
    let order: Vec<&str> = after.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(order, ["brace it now", "dig it anew", "prop it up"]);
    assert!(after.iter().all(|one| one.1 == relevance), "{after:?}");
    assert!(after.windows(2).all(|two| two[0].2 > two[1].2), "{after:?}");
    server.wait(3_600);
    server.app.outcomes.refresh().await.unwrap();
    let much_later = server.ranked().await;
    let distance = |ranked: &[(String, f64, f64)]| ranked[0].2 - ranked[2].2;
    // Both are ageing, so that they come a little after the one that nobody has tried.
    assert_eq!(much_later[0].0, "dig it anew");
    assert!(
        distance(&much_later) < distance(&after) / 4.0,
        "{much_later:?}"
    );
}
