//! What a session remembers, and that its file is bounded, private and safe under several processes.

use std::{fs, sync::Arc, thread};

use super::{super::hash::hash, *};

fn place(family: &str) -> Place {
    Place {
        family: hash(family),
        folder: hash("/work"),
    }
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
    let asked = [1, 1, 2, 1, 2, 2].map(|error| session.may_recall(error));
    assert_eq!(asked, [true, true, true, false, true, false]);
}

#[test]
fn the_same_command_in_the_same_folder_solves_a_failure() {
    let mut session = Session::default();
    session.fail(place("cargo test"), 1);
    assert_eq!(session.fail(place("cargo test"), 1).failures, 2);
    session.fail(place("cargo test"), 2);
    session.fail(place("npm run"), 3);
    let elsewhere = Place {
        folder: hash("/other"),
        ..place("cargo test")
    };
    let none = HashSet::new();
    assert!(session.succeed(elsewhere, &none).is_empty());
    let solved = session.succeed(place("cargo test"), &HashSet::from([2]));
    assert_eq!(solved.len(), 1, "the output still shows the other error");
    session.fail(place("cargo test"), 1);
    session.fail(place("cargo test"), 1);
    let solved = session.succeed(place("cargo test"), &none);
    let errors: Vec<_> = solved
        .iter()
        .map(|open| (open.fingerprint, open.failures))
        .collect();
    assert_eq!(errors, [(2, 1), (1, 2)]);
    assert_eq!(session.open.len(), 1);
}

#[test]
fn a_full_session_fits_into_its_file() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let store = Store::at(folder.path().join("hooks"));
    let fill = |session: &mut Session| {
        let largest = (1 << 40) - 1;
        let solution: String = (0..500).map(|number| format!("--flag={number} ")).collect();
        let id = "01a2006f-0eef-7000-8000-000000000000";
        let candidate = Candidate::of(id, Some("team"), &solution, &|_| false, &[]);
        for number in 0..5_000_u64 {
            session.is_new(largest - number, true, i64::MAX);
            session.may_recall(largest - number);
            session.show(&format!("01a2006f-0eef-7000-8000-{number:012}"));
            session.learn([largest - number]);
            let open = session.fail(place("cargo test"), largest - number);
            open.recall_id = Some(id.to_owned());
            open.candidates = vec![candidate.clone(); 6];
        }
    };
    store.update("s", fill).expect("it fits");
    let size = fs::metadata(
        folder
            .path()
            .join("hooks")
            .join(format!("{:016x}.json", hash("s"))),
    );
    let size = size.expect("the file was written").len();
    assert!(size < 64 << 10, "{size} bytes");
}

#[cfg(unix)]
#[test]
fn files_are_private_and_few_and_damage_is_no_error() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path().join("a/hooks");
    let store = Store::at(folder.clone());
    for number in 0..80 {
        let known = store.update(&number.to_string(), |session| session.tokens += 1);
        known.expect("the folder is writable");
    }
    let files: Vec<_> = fs::read_dir(&folder)
        .expect("it exists")
        .flatten()
        .collect();
    let sessions = files
        .iter()
        .filter(|file| file.path().extension().is_some());
    assert_eq!(sessions.count(), 64);
    for file in files {
        let mode = file.metadata().expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file:?}");
    }
    let path = folder.join(format!("{:016x}.json", hash("79")));
    for damage in [
        "",
        "{",
        "[]",
        "null",
        &"x".repeat(200_000),
        "{\"tokens\": -1}",
    ] {
        fs::write(&path, damage).expect("the folder is writable");
        let tokens = store.update("79", |session| {
            session.tokens += 1;
            session.tokens
        });
        assert_eq!(tokens.expect("damage is no error"), 1, "{damage:.20}");
    }
}

#[test]
fn several_processes_can_change_a_session() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let store = Arc::new(Store::at(folder.path().to_owned()));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                for _ in 0..20 {
                    let done = store.update("s", |session| session.tokens += 1);
                    done.expect("nobody holds the lock for long");
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no thread panics");
    }
    let tokens = store.update("s", |session| session.tokens);
    assert_eq!(tokens.expect("the file is readable"), 80);
}
