//! When an episode ends, and what is reported of it.

use std::{collections::HashSet, fs, iter, path::Path};

use super::{
    super::{
        super::{
            adoption::Use,
            hash::{Hash, Hasher, SALT_BYTES},
        },
        MAX_OPEN, Part, Place, Store,
    },
    *,
};

const MINUTE: i64 = 60_000;
const BEGIN: i64 = 1_800_000_000_000;
const ERROR: Hash = 1;
const SERVER: Hash = 7;

/// Returns where the commands of a line run.
fn place(line: &str) -> Place {
    let hasher = Hasher::new([7; SALT_BYTES]);
    let parts = command::mains(line).into_iter().map(|main| Part {
        name: hasher.hash(&main.family.name),
        program: command::public_name(main.family.program()).to_owned(),
        ..Part::default()
    });
    Place::new(parts.collect(), 1)
}

fn act(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.act(HashSet::new(), Use::Done);
    }
}

/// Returns what is reported when a line works.
fn works(session: &mut Session, line: &str, now: i64) -> Vec<ReportEpisodeRequest> {
    act(session, 1);
    let solved = session.succeed(&place(line), &HashSet::new()).into_iter();
    let ended = solved.filter_map(|open| session.ended(open, true, now));
    ended
        .map(|episode| episode.report("codex".to_owned()))
        .collect()
}

/// Returns what is reported when a line fails.
fn fails(session: &mut Session, line: &str, error: Hash, now: i64) -> Vec<ReportEpisodeRequest> {
    act(session, 1);
    let forgotten = session.fail(&place(line), error, now).forgotten;
    let ended = forgotten.into_iter();
    let ended = ended.filter_map(|open| session.ended(open, false, now));
    ended
        .map(|episode| episode.report("codex".to_owned()))
        .collect()
}

/// Returns what is reported when a turn ends.
fn stops(session: &mut Session, now: i64) -> Vec<ReportEpisodeRequest> {
    let ended = session.give_up(now).into_iter();
    ended
        .map(|episode| episode.report("codex".to_owned()))
        .collect()
}

#[test]
fn a_command_that_works_again_ends_an_episode() {
    let mut session = Session::default();
    assert_eq!(fails(&mut session, "cargo test", ERROR, BEGIN), []);
    act(&mut session, 2);
    assert_eq!(fails(&mut session, "cargo test", ERROR, BEGIN + 500), []);
    act(&mut session, 1);
    assert_eq!(works(&mut session, "npm test", BEGIN + 800), []);
    let ended = works(&mut session, "cargo test", BEGIN + 2345);
    let [episode] = ended.as_slice() else {
        panic!("{ended:?}")
    };
    episode.id.parse::<Uuid>().expect("the id is a UUID");
    let expected = ReportEpisodeRequest {
        id: episode.id.clone(),
        recall_id: None,
        host: "codex".to_owned(),
        family: "cargo".to_owned(),
        failures: 2,
        recovered: true,
        ms: 2345,
        // Two edits, the second failure, one edit, and what npm did.
        commands: 5,
    };
    assert_eq!(*episode, expected);
    assert_eq!(works(&mut session, "cargo test", BEGIN + 3000), [], "once");
}

#[test]
fn an_episode_is_given_up_when_a_turn_ends_long_after_its_last_failure() {
    let mut session = Session::default();
    fails(&mut session, "pytest", ERROR, BEGIN);
    fails(&mut session, "pytest", ERROR, BEGIN + 20 * MINUTE);
    assert_eq!(stops(&mut session, BEGIN + 49 * MINUTE), []);
    let ended = stops(&mut session, BEGIN + 50 * MINUTE);
    assert_eq!(ended.len(), 1, "{ended:?}");
    let given_up = &ended[0];
    assert!(!given_up.recovered, "{given_up:?}");
    assert_eq!((given_up.failures, given_up.commands), (2, 1));
    assert_eq!(given_up.ms, 50 * MINUTE as u64);
    // It is reported once, also if the command comes to work after all.
    assert_eq!(stops(&mut session, BEGIN + 90 * MINUTE), []);
    let mut solved = session.clone();
    assert_eq!(works(&mut solved, "pytest", BEGIN + 95 * MINUTE), []);
    // If it fails again, that is another episode.
    fails(&mut session, "pytest", ERROR, BEGIN + 99 * MINUTE);
    let ended = works(&mut session, "pytest", BEGIN + 100 * MINUTE);
    assert_eq!(ended.len(), 1, "{ended:?}");
    let next = &ended[0];
    assert_ne!(next.id, given_up.id);
    assert!(next.recovered, "{next:?}");
    assert_eq!((next.failures, next.ms), (1, MINUTE as u64));
}

#[test]
fn an_episode_that_a_session_has_no_room_for_is_given_up() {
    let mut session = Session::default();
    for error in 0..MAX_OPEN as Hash {
        assert_eq!(fails(&mut session, "go build", error, BEGIN), [], "{error}");
    }
    let ended = fails(&mut session, "tsc", 99, BEGIN + 700);
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert!(!ended[0].recovered && ended[0].ms == 700, "{ended:?}");
    assert_eq!(ended[0].family, "go");
    let rest = works(&mut session, "go build", BEGIN + 900);
    assert_eq!(rest.len(), MAX_OPEN - 1, "{rest:?}");
    assert!(rest.iter().all(|episode| episode.recovered), "{rest:?}");
}

#[test]
fn the_first_recall_that_showed_something_counts() {
    let recalls = |ids: &[(Hash, Option<&str>)]| {
        let mut session = Session::default();
        fails(&mut session, "make", ERROR, BEGIN);
        for (error, id) in ids {
            session.show_for(*error, id.map(str::to_owned));
        }
        let ended = works(&mut session, "make", BEGIN).into_iter();
        ended.map(|episode| episode.recall_id).collect::<Vec<_>>()
    };
    let id = |id: &str| vec![Some(id.to_owned())];
    assert_eq!(recalls(&[]), [None]);
    assert_eq!(
        recalls(&[(2, Some("a"))]),
        [None],
        "it was for another error"
    );
    assert_eq!(recalls(&[(ERROR, Some("a")), (ERROR, Some("b"))]), id("a"));
    // It is unknown which recall it was: it is none without a recall.
    assert_eq!(recalls(&[(ERROR, None), (ERROR, Some("b"))]), []);
    // What was shown for the error before, as for a prompt or another command, counts too.
    let mut session = Session::default();
    session.show_for(ERROR, Some("a".to_owned()));
    fails(&mut session, "make", ERROR, BEGIN);
    let ended = works(&mut session, "make", BEGIN);
    assert_eq!(ended[0].recall_id.as_deref(), Some("a"));
}

#[test]
fn only_names_of_well_known_programs_are_reported() {
    let check = |lines: &[&str], expected: &str| {
        let mut session = Session::default();
        for line in lines {
            fails(&mut session, line, ERROR, BEGIN);
        }
        let last = lines.last().expect("a line fails");
        let ended = works(&mut session, last, BEGIN);
        assert_eq!(ended.len(), 1, "{lines:?}");
        assert_eq!(ended[0].family, expected, "{lines:?}");
    };
    check(&["cd /srv/acme && cargo test -p acme-core"], "cargo");
    check(&["npm run acme:deploy"], "npm");
    check(&["python3 acme/deploy.py --key x"], "python");
    check(&["/opt/acme/bin/pytest tests/acme.py"], "pytest");
    check(&["g++ acme.cpp"], "gcc");
    check(&["docker-compose up"], "docker-compose");
    check(&["./bin/acme-deploy prod"], "other");
    check(&["acmectl get pods"], "other");
    check(&["\"/srv/acme tool/run me\" now"], "other");
    check(&["CARGO build"], "cargo");
    // Nobody knows which of them failed, until one fails alone.
    check(&["npm ci && npm test"], "npm");
    check(&["cargo build && acmectl apply"], "other");
    check(&["cargo build && npm test", "npm test"], "npm");
    // A state that something else wrote.
    let mut session = Session::default();
    fails(&mut session, "make", ERROR, BEGIN);
    session.open[0].place.parts[0].program = "acmectl".to_owned();
    assert_eq!(works(&mut session, "make", BEGIN)[0].family, "other");
}

#[test]
fn a_report_stays_within_the_limits_of_servers() {
    let spent = |from: i64, to: i64| {
        let mut session = Session::default();
        fails(&mut session, "make", ERROR, from);
        works(&mut session, "make", to)[0].ms
    };
    assert_eq!(spent(BEGIN, BEGIN - 5), 0, "the clock was set back");
    assert_eq!(spent(0, i64::MAX), episode_limits::MAX_MS);
    assert_eq!(spent(i64::MAX, i64::MIN), 0);
    let mut session = Session::default();
    fails(&mut session, "make", ERROR, BEGIN);
    for open in &mut session.open {
        let episode = open.episode.as_mut().expect("it has begun");
        (episode.failures, episode.commands) = (u64::MAX, u64::MAX);
    }
    let episode = &works(&mut session, "make", BEGIN)[0];
    let most = episode_limits::MAX_COUNT;
    assert_eq!((episode.failures, episode.commands), (most, most));
}

/// The sessions of a folder, at minutes after [`BEGIN`].
struct Sessions {
    folder: tempfile::TempDir,
    store: Store,
}

impl Sessions {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let store = Store::open(folder.path().join("hooks")).expect("the folder can be made");
        Self { folder, store }
    }

    fn at(&self, session: &str, minutes: i64, change: impl FnOnce(&mut Session, i64)) {
        let ms = BEGIN + minutes * MINUTE;
        let done = self
            .store
            .update(session, ms / 1000, |session| change(session, ms));
        done.expect("the folder can be used");
    }

    /// A command fails in a session that reports to this server, under the name of the session as its host.
    fn fail_for(&self, server: Option<Hash>, session: &str, minutes: i64) {
        self.at(session, minutes, |state, now| {
            session.clone_into(&mut state.host);
            state.report_to(server);
            state.fail(&place("pytest"), ERROR, now);
        });
    }

    fn fail(&self, session: &str, minutes: i64) {
        self.fail_for(Some(SERVER), session, minutes);
    }

    /// Returns what a session reports that begins now and reports to this server.
    fn stopped_for(&self, server: Hash, minutes: i64) -> Vec<ReportEpisodeRequest> {
        let stopped = self
            .store
            .stopped("next", server, BEGIN + minutes * MINUTE)
            .expect("the folder can be used");
        let stopped = stopped.into_iter();
        stopped
            .map(|(host, episode)| episode.report(host))
            .collect()
    }

    /// Returns the hosts of what is reported.
    fn stopped(&self, minutes: i64) -> Vec<String> {
        let reported = self.stopped_for(SERVER, minutes).into_iter();
        reported.map(|episode| episode.host).collect()
    }

    /// Returns the file of a session with this host.
    fn file(&self, host: &str) -> std::path::PathBuf {
        let files = fs::read_dir(self.folder.path().join("hooks")).expect("it is a folder");
        let mut files = files.map(|file| file.expect("it can be read").path());
        let is_it = |path: &Path| fs::read_to_string(path).is_ok_and(|text| text.contains(host));
        files.find(|path| is_it(path)).expect("there is one")
    }
}

#[test]
fn what_was_open_in_a_session_that_stopped_is_reported_by_another_one() {
    let sessions = Sessions::new();
    sessions.fail("stopped", 0);
    sessions.fail("stopped", 5);
    sessions.fail("solved", 0);
    sessions.at("solved", 1, |session, _| {
        session.succeed(&place("pytest"), &HashSet::new());
    });
    sessions.fail("next", 6);
    assert_eq!(sessions.stopped(34), [""; 0], "it may go on");
    let reported = sessions.stopped_for(SERVER, 90);
    let [episode] = reported.as_slice() else {
        panic!("{reported:?}")
    };
    let counts = (
        episode.host.as_str(),
        episode.failures,
        episode.ms,
        episode.recovered,
    );
    // Nobody knows when it stopped: the last failure is the end.
    assert_eq!(counts, ("stopped", 2, 5 * MINUTE.unsigned_abs(), false));
    assert_eq!(sessions.stopped(91), [""; 0], "once");
    // Its failure stays open: the session may be resumed.
    sessions.at("stopped", 100, |session, now| {
        assert_eq!(
            works(session, "pytest", now),
            [],
            "the episode was reported"
        );
        assert_eq!(session.open.len(), 0, "but the command works again");
    });
}

#[test]
fn a_session_in_which_something_happens_has_not_stopped() {
    let sessions = Sessions::new();
    sessions.fail("working", 0);
    sessions.at("working", 50, |session, now| {
        assert!(session.is_new(1, true, now / 1000));
    });
    assert_eq!(sessions.stopped(60), [""; 0]);
    assert_eq!(sessions.stopped(80), ["working"]);
}

#[test]
fn an_episode_is_reported_only_to_the_server_of_its_session() {
    const OTHER: Hash = 8;
    let sessions = Sessions::new();
    sessions.fail_for(None, "off", 0);
    sessions.fail_for(Some(OTHER), "other", 0);
    assert_eq!(sessions.stopped(90), [""; 0]);
    let reported = sessions.stopped_for(OTHER, 90);
    assert_eq!(reported.len(), 1, "it was not dropped");
    // Settings that change in a session do not send what was counted under earlier ones.
    for before in [None, Some(OTHER)] {
        let mut session = Session::default();
        session.report_to(before);
        fails(&mut session, "make", ERROR, BEGIN);
        session.show_for(ERROR, Some("recall".to_owned()));
        session.report_to(Some(SERVER));
        fails(&mut session, "npm test", 2, BEGIN);
        assert_eq!(works(&mut session, "make", BEGIN), [], "{before:?}");
        assert_eq!(works(&mut session, "npm test", BEGIN).len(), 1);
    }
}

#[test]
fn sessions_that_yield_nothing_do_not_hold_up_others() {
    let sessions = Sessions::new();
    for session in ["one", "two", "three", "four"] {
        sessions.fail(session, 89);
    }
    // The clock was set back since.
    sessions.fail("future", 10_000);
    sessions.fail("large", 0);
    sessions.fail("stopped", 0);
    // It can be read, but is too large to be written again.
    let large = sessions.file("large");
    let text = fs::read_to_string(&large).expect("it can be read");
    let mut state: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    state["pending"] = iter::repeat_n(serde_json::json!({}), 3000).collect();
    fs::write(&large, state.to_string()).expect("it is writable");
    assert_eq!(sessions.stopped(90), ["future", "stopped"]);
    // What could not be noted is tried again.
    fs::write(&large, text).expect("it is writable");
    assert_eq!(sessions.stopped(91), ["large"]);
}
