//! What a session remembers, and that its file is bounded, private and safe under several processes.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    super::{
        adoption,
        hash::{Hasher, SALT_BYTES},
    },
    *,
};

fn hasher() -> Hasher {
    Hasher::new([7; SALT_BYTES])
}

fn place(family: &str) -> Place {
    let part = Part {
        name: hasher().hash(family),
        ..Part::default()
    };
    Place::new(vec![part], hasher().hash("/work"))
}

fn hashes(text: &str) -> HashSet<Hash> {
    adoption::hashes(&hasher(), text)
}

#[test]
fn a_call_counts_once_however_the_clock_goes() {
    let mut session = Session::default();
    assert!(session.is_new(1, true, 1_000));
    for now in [1_000, 90_000, -5] {
        assert!(!session.is_new(1, true, now), "{now}");
    }
    // Without an id, the same thing may happen again later.
    assert!(session.is_new(2, false, 1_000));
    for (now, expected) in [
        (1_002, false),
        (998, false),
        (1_100, true),
        (500, true),
        (i64::MIN, true),
    ] {
        assert_eq!(session.is_new(2, false, now), expected, "{now}");
    }
}

#[test]
fn an_error_is_looked_for_twice() {
    let mut session = Session::default();
    let errors = [1, 1, 2, 1, 2, 2].into_iter().enumerate();
    let asked: Vec<bool> = errors
        .map(|(call, error)| {
            let begun = session.begin(call as u64, Some(error), 400, 10_000, 0);
            session.end(call as u64, Some(error), 10);
            begun.is_some()
        })
        .collect();
    assert_eq!(asked, [true, true, true, false, true, false]);
}

#[test]
fn a_recall_that_is_not_answered_uses_nothing_up() {
    let mut session = Session::default();
    for call in 0..20 {
        assert_eq!(
            session.begin(call, Some(1), 700, 800, 0),
            Some(700),
            "{call}"
        );
        session.cancel(call);
    }
    // A hook that is killed ends nothing; the clock may go either way meanwhile.
    for (call, now) in [(20, 0), (21, 60), (22, -90), (23, i64::MIN), (24, i64::MAX)] {
        assert_eq!(
            session.begin(call, Some(1), 700, 800, now),
            Some(700),
            "{call}"
        );
    }
    // Those that are under way count, until they end.
    let mut session = Session::default();
    assert_eq!(session.begin(1, Some(1), 700, 1000, 0), Some(700));
    assert_eq!(session.begin(2, Some(1), 700, 1000, 0), Some(300));
    assert_eq!(
        session.begin(3, Some(1), 700, 9000, 0),
        None,
        "two for this error"
    );
    assert_eq!(
        session.begin(4, Some(2), 700, 1000, 0),
        None,
        "no tokens are left"
    );
    session.end(1, Some(1), 500);
    session.cancel(2);
    assert_eq!(session.begin(5, Some(2), 700, 1000, 0), Some(500));
    session.end(5, Some(2), 500);
    assert_eq!(session.tokens, 1000);
}

/// A whole episode of each kind: what is seen to come of the record that was shown.
#[test]
fn an_episode_tells_what_came_of_a_record() {
    let advice = "Run `npm install --legacy-peer-deps`.";
    let begun = || {
        let mut session = Session::default();
        session.fail(&place("npm install"), 1, 0);
        let records = [("id", None, advice.to_owned())];
        let shown = adoption::candidates(&hasher(), &records);
        session.watch(Some(&place("npm install")), 1, shown, None);
        session
    };
    let fails = |session: &mut Session, line: &str, error: Hash| -> Vec<OutcomeKind> {
        session.act(hashes(line), Use::Tried);
        let seen = session.fail(&place("npm install"), error, 0).refuted;
        seen.into_iter().map(|seen| seen.outcome).collect()
    };
    let works = |session: &mut Session, line: &str| -> Vec<OutcomeKind> {
        session.act(hashes(line), Use::Done);
        let solved = session.succeed(&place("npm install"), &HashSet::new());
        let helped = solved
            .iter()
            .filter_map(|open| adoption::helped(open.candidates()));
        helped.map(|(_, outcome)| outcome).collect()
    };
    let followed = "npm install --legacy-peer-deps";
    let none: Vec<OutcomeKind> = Vec::new();
    assert_eq!(works(&mut begun(), followed), [OutcomeKind::Worked]);
    assert_eq!(works(&mut begun(), "npm install"), none);
    // The command itself is what was advised, and it fails twice with the same error.
    let mut session = begun();
    assert_eq!(fails(&mut session, followed, 1), none);
    assert_eq!(fails(&mut session, followed, 1), [OutcomeKind::DidNotWork]);
    assert_eq!(fails(&mut session, followed, 1), none, "once");
    // Something else helps in the end.
    assert_eq!(works(&mut session, "npm install --force"), none);
    // It is used anew, and helps.
    let mut session = begun();
    fails(&mut session, followed, 1);
    assert_eq!(works(&mut session, followed), [OutcomeKind::Worked]);
    // Another error comes after it: that says nothing about this one.
    let mut session = begun();
    assert_eq!(fails(&mut session, followed, 2), none);
    assert_eq!(fails(&mut session, followed, 2), none);
}

/// A record of each recall is reported with the id of that recall, also if the recall was for a prompt before the failure.
#[test]
fn a_record_is_reported_with_the_recall_that_brought_it() {
    let lines = [
        "npm dedupe --force",
        "cargo update --aggressive",
        "pip install --upgrade setuptools",
    ];
    let watch = |session: &mut Session, place: Option<&Place>, number: usize| {
        let id = number.to_string();
        let records = [(id.as_str(), None, format!("Run `{}`.", lines[number]))];
        let shown = adoption::candidates(&hasher(), &records);
        session.watch(place, 1, shown, Some(&format!("recall {number}")));
    };
    let build = place("make");
    for (used, line) in lines.iter().enumerate() {
        let mut session = Session::default();
        watch(&mut session, None, 0);
        session.fail(&place("other"), 2, 0);
        session.fail(&build, 1, 0);
        watch(&mut session, Some(&build), 1);
        session.fail(&build, 1, 0);
        watch(&mut session, Some(&build), 2);
        session.act(hashes(line), Use::Done);
        let solved = session.succeed(&build, &HashSet::new());
        let helped = solved
            .iter()
            .filter_map(|open| adoption::helped(open.candidates()));
        let seen: Vec<_> = helped
            .map(|(candidate, outcome)| candidate.seen(outcome))
            .map(|seen| (seen.id, seen.recall_id.unwrap_or_default()))
            .collect();
        assert_eq!(seen, [(used.to_string(), format!("recall {used}"))]);
    }
}

/// What a record of a prompt advises may be done before the command fails for the first time.
#[test]
fn a_record_of_a_prompt_is_used_from_the_prompt_on() {
    let advice = "npm install --legacy-peer-deps";
    let mut session = Session::default();
    let records = [("id", None, format!("Run `{advice}`."))];
    session.watch(None, 1, adoption::candidates(&hasher(), &records), None);
    session.act(hashes(advice), Use::Tried);
    let mut fail = || session.fail(&place("npm install"), 1, 0).refuted;
    assert!(fail().is_empty());
    let seen = fail();
    let outcomes: Vec<_> = seen.iter().map(|seen| seen.outcome).collect();
    assert_eq!(outcomes, [OutcomeKind::DidNotWork]);
}

#[test]
fn the_same_command_in_the_same_folder_solves_a_failure() {
    let mut session = Session::default();
    session.fail(&place("cargo test"), 1, 0);
    session.fail(&place("cargo test"), 1, 0);
    session.fail(&place("cargo test"), 2, 0);
    session.fail(&place("npm run"), 3, 0);
    let elsewhere = Place {
        folder: hasher().hash("/other"),
        ..place("cargo test")
    };
    let none = HashSet::new();
    assert!(session.succeed(&elsewhere, &none).is_empty());
    let solved = session.succeed(&place("cargo test"), &HashSet::from([2]));
    assert_eq!(solved.len(), 1, "the output still shows the other error");
    session.fail(&place("cargo test"), 1, 0);
    session.fail(&place("cargo test"), 1, 0);
    let solved = session.succeed(&place("cargo test"), &none);
    let errors: Vec<_> = solved
        .iter()
        .map(|open| (open.fingerprint, open.failures))
        .collect();
    assert_eq!(errors, [(2, 1), (1, 2)]);
    assert_eq!(session.open.len(), 1);
}

/// `a && b` failed: either may be what failed, until one of them is known to work or fails alone.
#[test]
fn a_line_of_two_commands_is_solved_when_both_work() {
    let both = Place {
        parts: [place("a").parts, place("b").parts].concat(),
        ..place("a")
    };
    let none = HashSet::new();
    let mut session = Session::default();
    session.fail(&both, 1, 0);
    assert!(session.succeed(&place("b"), &none).is_empty());
    assert_eq!(session.succeed(&place("a"), &none).len(), 1);
    session.fail(&both, 1, 0);
    session.fail(&place("b"), 1, 0);
    assert_eq!(
        session.succeed(&place("b"), &none).len(),
        1,
        "`b` alone failed, too"
    );
    // Of a line with many commands, not all could be remembered that have to work again.
    let many = ["a", "b", "c", "d", "e"].map(|name| place(name).parts);
    let many = Place::new(many.concat(), place("a").folder);
    session.fail(&many, 1, 0);
    assert!(session.open.is_empty());
    session.fail(&place("e"), 1, 0);
    assert_eq!(
        session.succeed(&many, &none).len(),
        1,
        "each of them worked"
    );
    // A line that the host does not tell is no failure of anything.
    session.fail(&Place::default(), 1, 0);
    assert!(session.succeed(&place("b"), &none).is_empty());
}

fn in_folder(test: impl FnOnce(&Path, &Store)) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path().join("a/hooks");
    let store = Store::open(folder.clone()).expect("the folder can be made");
    test(&folder, &store);
}

fn sessions(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("it exists").flatten();
    let paths = files.map(|file| file.path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect()
}

#[test]
fn a_full_session_fits_into_its_file() {
    in_folder(|folder, store| {
        let fill = |session: &mut Session| {
            let largest = (1 << 40) - 1;
            let solution: String = (0..500).map(|number| format!("--flag={number} ")).collect();
            let commands: String = (0..50).map(|at| format!("`npm run x{at}`\n")).collect();
            let id = "01a2006f-0eef-7000-8000-000000000000";
            let records = [(); 6].map(|()| (id, Some("team"), format!("{solution}\n{commands}")));
            let candidates = adoption::candidates(store.hasher(), &records);
            let version = "9".repeat(64);
            let named = vec![json!({"name": "python", "version": version}); 20];
            let one = json!({"purl": "p".repeat(100), "version": version});
            let large = json!({"packages": vec![one; 50], "runtimes": named, "tools": named});
            let large: Environment = serde_json::from_value(large).expect("it has the shape");
            for number in 0..1_500_u64 {
                let error = largest - number;
                session.is_new(error, true, i64::MAX);
                session.begin(error, Some(error), 1, usize::MAX, i64::MAX);
                session.end(error, Some(error), 0);
                session.show(&format!("01a2006f-0eef-7000-8000-{number:012}"));
                session.learn([error]);
                let part = Part {
                    name: error,
                    items: vec![error; MAX_ITEMS],
                    options: vec![error; MAX_ITEMS],
                    is_all: false,
                    program: "golangci-lint".to_owned(),
                };
                let place = Place::new(vec![part; MAX_PARTS], error);
                session.watch(None, error, candidates[..3].to_vec(), Some(id));
                session.fail(&place, error, i64::MAX);
                session.watch(Some(&place), error, candidates.clone(), Some(id));
                session.observe(&place, error, large.clone());
                session.show_for(error, Some(id.to_owned()));
            }
            session.watch(None, 1, candidates[..3].to_vec(), Some(id));
            assert_eq!(session.open.len(), MAX_OPEN);
            let watched = |open: &Open| open.candidates.len() == MAX_CANDIDATES;
            assert!(session.open.iter().all(watched));
            assert_eq!(session.prompted.len(), MAX_PROMPTED);
        };
        store.update("s", 0, fill).expect("it fits");
        let files = sessions(folder);
        let size = fs::metadata(&files[0]).expect("the file was written").len();
        assert!(size < 68 << 10, "{size} bytes");
    });
}

#[test]
fn files_are_few_and_damage_is_no_error() {
    in_folder(|folder, store| {
        let touch = |session: &str| {
            let tokens = store.update(session, 0, |session| {
                session.tokens += 1;
                session.tokens
            });
            tokens.expect("the folder is writable")
        };
        for number in 0..80 {
            touch(&number.to_string());
        }
        assert_eq!(sessions(folder).len(), 64);
        assert_eq!(touch("16"), 2, "it was among the last 64");
        let path = folder.join(format!("{:016x}.json", store.hasher().hash("79")));
        for damage in [
            "",
            "{",
            "[]",
            "null",
            &"x".repeat(200_000),
            "{\"tokens\": -1}",
        ] {
            for file in [&path, &folder.join("sessions")] {
                fs::write(file, damage).expect("the folder is writable");
            }
            assert_eq!(touch("79"), 1, "{damage:.20}");
            assert_eq!(sessions(folder).len(), 64, "{damage:.20}");
        }
    });
}

#[cfg(unix)]
#[test]
fn files_are_private_and_tell_nothing_without_the_salt() {
    use std::os::unix::fs::PermissionsExt as _;
    let names = [(); 2].map(|()| {
        let mut found = None;
        in_folder(|folder, store| {
            store
                .update("s", 0, |session| session.tokens += 1)
                .expect("it is writable");
            for file in fs::read_dir(folder).expect("it exists").flatten() {
                let mode = file.metadata().expect("it exists").permissions().mode();
                assert_eq!(mode & 0o777, 0o600, "{file:?}");
            }
            let again = Store::open(folder.to_owned()).expect("it exists");
            assert_eq!(again.hasher(), store.hasher(), "the salt stays");
            found = sessions(folder)[0].file_name().map(ToOwned::to_owned);
        });
        found
    });
    assert_ne!(names[0], names[1], "each folder has its own salt");
}

#[test]
fn files_of_killed_processes_are_removed() {
    in_folder(|folder, store| {
        for name in ["unfinished-x1", "unfinished-x2", ".tmpA1b2"] {
            fs::write(folder.join(name), "{").expect("the folder is writable");
        }
        store
            .update("s", 0, |_| ())
            .expect("the folder is writable");
        let files = fs::read_dir(folder).expect("it exists").flatten();
        let mut names: Vec<_> = files.map(|file| file.file_name()).collect();
        names.retain(|name| !name.to_string_lossy().ends_with(".json"));
        names.sort();
        assert_eq!(names, ["lock", "salt", "sessions"]);
    });
}

#[test]
fn a_clock_that_jumps_deletes_no_session() {
    let day = 24 * 3600;
    in_folder(|folder, store| {
        let touch = |session: &str, now: i64| {
            store
                .update(session, now, |session| session.tokens += 1)
                .expect("it is writable");
            sessions(folder).len()
        };
        let start = 1_800_000_000;
        touch("a", start);
        touch("b", start + 60);
        // Back to 1970, ahead by ten years, and right again.
        for (number, now) in [
            0,
            start + 3650 * day,
            start + 120,
            i64::MAX,
            i64::MIN,
            start + 180,
        ]
        .into_iter()
        .enumerate()
        {
            let kept = touch(&format!("new {number}"), now);
            assert_eq!(kept, number + 3, "{now}");
        }
        // Those of a time in the future are not kept for ever, and neither are old ones.
        for later in [15, 16, 17] {
            touch("current", start + later * day);
        }
        assert!(sessions(folder).len() <= 4, "{}", sessions(folder).len());
        let tokens = store.update("current", start, |session| session.tokens);
        assert_eq!(tokens.expect("it is readable"), 3);
    });
}

#[test]
fn several_processes_can_change_a_session() {
    in_folder(|folder, _| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let folder = folder.to_owned();
                thread::spawn(move || {
                    for _ in 0..20 {
                        // Each is a process of its own, which may give up if the machine is busy.
                        let add = || {
                            let store = Store::open(folder.clone())?;
                            store.update("s", 0, |session| session.tokens += 1)
                        };
                        assert!((0..100).any(|_| add().is_ok()), "it is never free");
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        let store = Store::open(folder.to_owned()).expect("the folder is usable");
        let tokens = store.update("s", 0, |session| session.tokens);
        assert_eq!(tokens.expect("the file is readable"), 80);
    });
}

/// A hook waits for others only once, however often it changes the session.
#[test]
fn the_time_of_all_waits_is_bounded() {
    in_folder(|folder, store| {
        let other = fs::File::options().write(true).open(folder.join("lock"));
        let other = other.or_else(|_| fs::File::create(folder.join("lock")));
        let other = other.expect("the folder is writable");
        other.lock().expect("nobody else has it");
        let waited = |times: usize| {
            let start = Instant::now();
            for _ in 0..times {
                store.update("s", 0, |_| ()).expect_err("it is locked");
            }
            start.elapsed()
        };
        let (first, later) = (waited(1), waited(6));
        assert!(first >= Duration::from_millis(200), "{first:?}");
        assert!(later < first, "{later:?} after {first:?}");
        drop(other);
        store.update("s", 0, |_| ()).expect("it is free again");
    });
}

#[test]
fn much_is_learned_quickly() {
    let mut session = Session::default();
    for round in 0..50_u64 {
        session.learn((0..20_000).map(|number| round * 20_000 + number));
    }
    assert_eq!(session.known().len(), MAX_TERMS);
}
