//! What the outbox stores, what it shows, and who may read it.

#![allow(clippy::unwrap_used)]

mod outcomes;

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use recall_kit_applicability::Claims;
use recall_kit_shared_types::{
    ErrorBody, ErrorCode,
    outcomes::{Evidence, OutcomeKind, ReportOutcomeRequest},
};
use tempfile::TempDir;

use super::*;
use crate::{Answer, ConfiguredSanitizer, Decision, Draft, RecallKitClient};

fn confirmed(title: &str) -> Confirmed {
    let draft = Draft {
        applies: "npm react <19; node 20".parse().ok(),
        ..Draft::new(title, "It does not answer", "Wait for it")
    };
    match draft
        .sanitize(&ConfiguredSanitizer::default())
        .confirm(Answer::Confirm)
    {
        Decision::Send(confirmed) => confirmed,
        other => panic!("{other:?}"),
    }
}

fn away() -> Error {
    Error::Network {
        server: "http://127.0.0.1:1/mcp".to_owned(),
        reason: "connection refused".to_owned(),
        attempts: 4,
        unsent: true,
    }
}

fn server() -> ServerUrl {
    "http://user:word@127.0.0.1:1/mcp".parse().unwrap()
}

/// An outbox that has this key, or none.
fn outbox(dir: &TempDir, key: Option<[u8; 32]>) -> Outbox {
    let mut outbox = Outbox::at(dir.path().join("outbox"));
    outbox.keyring = Keyring::through_program(dir.path().join("no such program"));
    if let Some(bytes) = key {
        outbox.key.set(Key::new(&bytes).unwrap()).unwrap();
    }
    outbox
}

#[tokio::test]
async fn a_stored_experience_is_returned_with_its_idempotency_key() {
    for key in [None, Some([7; 32])] {
        let dir = TempDir::new().unwrap();
        let experience = confirmed("The server is away");
        outbox(&dir, key)
            .keep(experience.clone(), &server(), &away())
            .await
            .unwrap();
        // Another process reads it.
        let listed = outbox(&dir, key).list().await.unwrap();
        let [entry] = &listed[..] else {
            panic!("{listed:?}")
        };
        assert_eq!(entry.experience(), Some(&experience));
        // The number of attempts that the error reports.
        assert_eq!((entry.attempts, entry.refused), (4, false));
        assert!(entry.last_error.contains("connection refused"));
        assert!(!entry.server.contains("word"), "{}", entry.server);
        assert!(!format!("{entry:?}").contains("away"), "{entry:?}");

        assert!(outbox(&dir, key).give_up(entry.id()).unwrap());
        assert!(outbox(&dir, key).is_empty());
        assert!(!outbox(&dir, key).give_up(entry.id()).unwrap());
    }
}

#[tokio::test]
async fn an_emptied_list_of_versions_stays_empty_and_one_that_cannot_be_read_says_nothing() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let mut draft = confirmed("It is for all versions").into_draft();
    draft.applies = Some(Claims::default());
    let shown = draft.sanitize(&ConfiguredSanitizer::default());
    let Decision::Send(experience) = shown.confirm(Answer::Confirm) else {
        unreachable!("it was confirmed")
    };
    let entry = outbox.keep(experience, &server(), &away()).await.unwrap();
    let kept = async || {
        let listed = outbox.list().await.unwrap();
        listed[0].experience().unwrap().applies().cloned()
    };
    assert_eq!(kept().await, Some(Claims::default()));
    let path = outbox.path(entry.id());
    let text = fs::read_to_string(&path).unwrap();
    let later = text.replace(
        "\"applies\":[]",
        "\"applies\":[{\"purl\":\"later:npm/react\"}]",
    );
    assert_ne!(later, text);
    fs::write(&path, later).unwrap();
    assert_eq!(kept().await, None, "not that no version matters");
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_readable_only_by_their_owner_and_encrypted_if_there_is_a_key() {
    use std::os::unix::fs::PermissionsExt as _;

    for (key, shows) in [(None, true), (Some([7; 32]), false)] {
        let dir = TempDir::new().unwrap();
        let outbox = outbox(&dir, key);
        let entry = outbox
            .keep(confirmed("A telling title"), &server(), &away())
            .await
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = outbox.path(entry.id());
        assert_eq!((mode(outbox.folder()), mode(&path)), (0o700, 0o600));
        let bytes = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert_eq!(bytes.contains("telling"), shows, "{bytes}");
        assert_eq!(outbox.list().await.unwrap()[0].sealed, !shows);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_key_is_not_replaced_if_the_keyring_fails() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = TempDir::new().unwrap();
    let program = dir.path().join("keyring");
    // The program runs the commands in the file `behaviour`, and stores its secret in the file `secret`.
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && . ./behaviour\n\
                  case \"$1\" in store) cat >secret ;; *) cat secret 2>/dev/null ;; esac\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let behave = |commands: &str| fs::write(dir.path().join("behaviour"), commands).unwrap();
    let secret = || fs::read_to_string(dir.path().join("secret")).unwrap();
    let outbox = || {
        let mut outbox = Outbox::at(dir.path().join("outbox"));
        outbox.keyring = Keyring::through_program(&program);
        outbox
    };
    let is_sealed = async |outbox: &Outbox, title: &str| {
        let (server, away) = (server(), away());
        let entry = outbox.keep(confirmed(title), &server, &away).await.unwrap();
        key::is_sealed(&fs::read(outbox.path(entry.id())).unwrap())
    };
    behave("");
    assert!(is_sealed(&outbox(), "Sealed").await);
    let first = secret();
    for commands in [
        "echo locked >&2; exit 1",
        "exit 2",
        "echo junk; exit 0",
        "exec sleep 600",
    ] {
        behave(commands);
        let outbox = outbox();
        // Only the program that hangs runs into the time limit.
        let hangs = commands.contains("sleep");
        if hangs {
            tokio::time::pause();
        }
        assert!(!is_sealed(&outbox, commands).await, "{commands}");
        if hangs {
            tokio::time::resume();
        }
        behave("");
        assert_eq!(secret(), first, "{commands}");
        // The keyring is queried again, and returns the key.
        assert!(is_sealed(&outbox, commands).await, "{commands}");
        let listed = outbox.list().await.unwrap();
        assert!(listed.iter().all(|entry| entry.experience().is_some()));
    }
    // A missing key may come back, so no new one is created while files are encrypted with it.
    fs::remove_file(dir.path().join("secret")).unwrap();
    assert!(!is_sealed(&outbox(), "Plain").await);
    assert!(!dir.path().join("secret").exists());
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_listed_with_the_reason() {
    let dir = TempDir::new().unwrap();
    let sealed = outbox(&dir, Some([7; 32]));
    let entry = sealed
        .keep(confirmed("Sealed"), &server(), &away())
        .await
        .unwrap();
    for other in [None, Some([8; 32])] {
        let listed = outbox(&dir, other).list().await.unwrap();
        assert!(listed[0].experience().is_none());
        assert!(listed[0].last_error.contains("keyring"), "{listed:?}");
    }
    // A file that was renamed to another id cannot be read.
    let renamed = sealed
        .folder()
        .join(file::name_of(Uuid::new_v4(), Kind::Shared));
    fs::rename(sealed.path(entry.id()), renamed).unwrap();
    let listed = sealed.list().await.unwrap();
    assert!(listed[0].experience().is_none());

    let damaged = sealed.path(Uuid::new_v4());
    fs::write(&damaged, "{\"version\": 1, \"experience\": \"a secret\"").unwrap();
    let listed = sealed.list().await.unwrap();
    let reasons: Vec<&str> = listed
        .iter()
        .map(|entry| entry.last_error.as_str())
        .collect();
    assert!(
        reasons.iter().any(|it| it.contains("damaged")),
        "{reasons:?}"
    );
    assert!(!reasons.iter().any(|it| it.contains("a secret")));
}

#[tokio::test]
async fn the_outbox_is_limited_in_number_and_size() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let large = confirmed(&"x".repeat(MAX_KEPT_BYTES));
    let rejected = outbox.keep(large, &server(), &away()).await;
    assert!(matches!(rejected, Err(OutboxError::TooLarge { .. })));

    let mut last = None;
    for number in 0..MAX_KEPT {
        let experience = confirmed(&format!("Number {number}"));
        outbox
            .keep(experience.clone(), &server(), &away())
            .await
            .unwrap();
        last = Some(experience);
    }
    let more = outbox.keep(confirmed("More"), &server(), &away()).await;
    assert!(matches!(more, Err(OutboxError::Full)));
    // An experience that is already stored may be written again.
    outbox
        .keep(last.unwrap(), &server(), &away())
        .await
        .unwrap();
}

#[tokio::test]
async fn only_one_process_at_a_time_sends_or_removes() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let entry = outbox
        .keep(confirmed("Locked"), &server(), &away())
        .await
        .unwrap();
    let lock = lock::acquire(outbox.folder()).unwrap();
    assert!(matches!(outbox.give_up(entry.id()), Err(OutboxError::Busy)));
    let client = RecallKitClient::builder()
        .config(crate::ClientConfig::default())
        .build()
        .unwrap();
    let flushed = client.flush(&outbox, Recipient::Any).await;
    assert!(matches!(flushed, Err(OutboxError::Busy)));
    drop(lock);
    assert!(outbox.give_up(entry.id()).unwrap());
}

#[tokio::test]
async fn an_edited_experience_replaces_the_first_one_and_keeps_its_server() {
    for key in [None, Some([7; 32])] {
        let dir = TempDir::new().unwrap();
        let outbox = outbox(&dir, key);
        let first = confirmed("Too long");
        let entry = outbox.keep(first, &server(), &away()).await.unwrap();
        let changed = confirmed("Shorter");
        assert!(outbox.replace(entry.id(), changed.clone()).await.unwrap());
        let listed = outbox.list().await.unwrap();
        let [now] = &listed[..] else {
            panic!("{listed:?}")
        };
        // It has a key of its own: the server may have stored the first text under the first key.
        assert_eq!(now.experience(), Some(&changed));
        assert!(now.is_for(&server()) && now.attempts == 0, "{now:?}");
        // It was sent while the person was editing.
        assert!(outbox.give_up(entry.id()).unwrap());
        assert!(!outbox.replace(entry.id(), changed).await.unwrap());
        assert!(outbox.is_empty());
    }
}

#[tokio::test]
async fn a_rejected_experience_stays_and_is_marked_as_rejected() {
    let server_of = || "http://127.0.0.1:1/mcp".to_owned();
    let rejected = |status| Error::Rejected {
        server: server_of(),
        status,
    };
    let protocol = |code| Error::Protocol {
        code,
        message: String::new(),
    };
    let body = |code| Box::new(ErrorBody::new(code, ""));
    for (why, refused) in [
        (Error::Validation(body(ErrorCode::InvalidTitle)), true),
        (rejected(413), true),
        (protocol(-32602), true),
        (rejected(400), false),
        (protocol(-32603), false),
        (Error::Server(body(ErrorCode::DatabaseError)), false),
        (
            Error::Denied {
                server: server_of(),
                status: 401,
            },
            false,
        ),
        (
            Error::ProgramMissing {
                program: "recall-kit-server".to_owned(),
            },
            false,
        ),
        (away(), false),
    ] {
        let dir = TempDir::new().unwrap();
        let outbox = Arc::new(outbox(&dir, None));
        let mut sending = outbox.hold(confirmed("Kept"), &server()).await.unwrap();
        sending.note(&why).await;
        drop(sending);
        let listed = outbox.list().await.unwrap();
        let [entry] = &listed[..] else {
            panic!("{why}: {listed:?}")
        };
        assert_eq!(
            (entry.attempts, entry.refused),
            (why.attempts(), refused),
            "{why}"
        );
        assert_eq!(entry.last_error, why.to_string());
    }
}

#[tokio::test]
async fn an_experience_that_is_being_sent_is_replaced_or_left_unchanged() {
    let dir = TempDir::new().unwrap();
    let outbox = Arc::new(outbox(&dir, None));
    let mut sending = outbox.hold(confirmed("First"), &server()).await.unwrap();
    sending.note(&away()).await;
    let too_large = sending.change(confirmed(&"x".repeat(MAX_KEPT_BYTES))).await;
    assert!(matches!(too_large, Err(OutboxError::TooLarge { .. })));
    let listed = outbox.list().await.unwrap();
    assert_eq!(listed[0].title(), "First");
    assert_eq!(listed[0].attempts, 4);

    let changed = confirmed("Changed");
    sending.change(changed.clone()).await.unwrap();
    let listed = outbox.list().await.unwrap();
    let [now] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert_eq!(now.experience(), Some(&changed));
    assert!(now.is_under_way() && !now.refused, "{now:?}");
    // Until its sender is done, no other process can remove it.
    assert!(matches!(outbox.give_up(now.id()), Err(OutboxError::Busy)));
    sending.is_over();
    assert!(outbox.is_empty());
}

#[tokio::test]
async fn an_outcome_is_kept_like_an_experience_and_older_programs_do_not_send_it() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let client = RecallKitClient::new(crate::ClientConfig::default()).unwrap();
    let request = ReportOutcomeRequest {
        experience_id: "01a2006f-0eef".to_owned(),
        outcome: OutcomeKind::DidNotWork,
        note: Some("only on zsh".to_owned()),
        recall_id: None,
    };
    let outcome = client.prepare_outcome(request, Evidence::Person);
    let kept = outbox
        .keep(outcome.clone(), &server(), &away())
        .await
        .unwrap();
    assert_eq!(kept.id(), outcome.idempotency_key());
    let listed = outbox.list().await.unwrap();
    let [entry] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert!(matches!(&entry.content, Some(Content::Outcome(read)) if *read == outcome));
    assert_eq!(entry.title(), "01a2006f-0eef: did_not_work");
    assert_eq!((entry.experience(), entry.is_readable()), (None, true));
    let file = fs::read(outbox.path(entry.id())).unwrap();
    let record: serde_json::Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(record["version"], 2, "older programs read version 1");
}

#[tokio::test]
async fn tenants_of_one_host_are_distinguished() {
    let url = |text: &str| text.parse::<ServerUrl>().unwrap();
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let one = url("https://host.example/mcp?tenant=one");
    let entry = outbox.keep(confirmed("One"), &one, &away()).await.unwrap();
    let listed = outbox.list().await.unwrap();
    assert!(listed[0].is_for(&one));
    for other in [
        "https://host.example/mcp?tenant=two",
        "https://host.example/mcp",
        "https://user@host.example/mcp?tenant=one",
    ] {
        assert!(!listed[0].is_for(&url(other)), "{other}");
    }
    // A file of an older program has only the displayed URL.
    let path = outbox.path(entry.id());
    let mut record: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    record
        .as_object_mut()
        .unwrap()
        .remove("server_hash")
        .unwrap();
    fs::write(&path, record.to_string()).unwrap();
    assert!(outbox.list().await.unwrap()[0].is_for(&url("https://host.example/mcp")));
}

#[test]
fn a_key_is_uncertain_if_the_clock_was_set_back() {
    let mut entry = Kept::new(confirmed("The clock is set back").into(), &server());
    assert!(!entry.is_key_uncertain());
    for kept_at in [SystemTime::now() + Duration::from_secs(3_600), UNIX_EPOCH] {
        entry.kept_at = kept_at;
        assert!(entry.is_key_uncertain(), "{kept_at:?}");
    }
}
