//! What the outbox keeps, what it shows of it, and who may read it.

#![allow(clippy::unwrap_used)]

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use recall_kit_shared_types::{ErrorBody, ErrorCode};
use tempfile::TempDir;

use super::*;
use crate::{Answer, ConfiguredSanitizer, Decision, Draft, RecallKitClient};

fn confirmed(title: &str) -> Confirmed {
    let draft = Draft::new(title, "It does not answer", "Wait for it");
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
    outbox.keyring = Keyring::asked_through(dir.path().join("no such program"));
    if let Some(bytes) = key {
        outbox.key.set(Key::new(&bytes).unwrap()).unwrap();
    }
    outbox
}

#[tokio::test]
async fn what_is_kept_comes_out_with_its_key() {
    for key in [None, Some([7; 32])] {
        let dir = TempDir::new().unwrap();
        let experience = confirmed("The server is away");
        outbox(&dir, key)
            .keep(experience.clone(), &server(), &away())
            .await
            .unwrap();
        // Another process reads it.
        let kept = outbox(&dir, key).list().await.unwrap();
        let [kept] = &kept[..] else {
            panic!("{kept:?}")
        };
        assert_eq!(kept.experience(), Some(&experience));
        // As often as the client says that it tried.
        assert_eq!((kept.attempts, kept.refused), (4, false));
        assert!(kept.last_error.contains("connection refused"));
        assert!(!kept.server.contains("word"), "{}", kept.server);
        assert!(!format!("{kept:?}").contains("away"), "{kept:?}");

        assert!(outbox(&dir, key).give_up(kept.id()).unwrap());
        assert!(outbox(&dir, key).is_empty());
        assert!(!outbox(&dir, key).give_up(kept.id()).unwrap());
    }
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_for_their_owner_and_sealed_where_there_is_a_key() {
    use std::os::unix::fs::PermissionsExt as _;

    for (key, shows) in [(None, true), (Some([7; 32]), false)] {
        let dir = TempDir::new().unwrap();
        let outbox = outbox(&dir, key);
        let kept = outbox
            .keep(confirmed("A telling title"), &server(), &away())
            .await
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = outbox.path(kept.id());
        assert_eq!((mode(outbox.folder()), mode(&path)), (0o700, 0o600));
        let bytes = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert_eq!(bytes.contains("telling"), shows, "{bytes}");
        assert_eq!(outbox.list().await.unwrap()[0].sealed, !shows);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_keyring_that_cannot_be_asked_keeps_its_key() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = TempDir::new().unwrap();
    let program = dir.path().join("keyring");
    // It does what the file `mood` says, and keeps its secret in the file `secret`.
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && . ./mood\n\
                  case \"$1\" in store) cat >secret ;; *) cat secret 2>/dev/null ;; esac\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mood = |does: &str| fs::write(dir.path().join("mood"), does).unwrap();
    let secret = || fs::read_to_string(dir.path().join("secret")).unwrap();
    let outbox = || {
        let mut outbox = Outbox::at(dir.path().join("outbox"));
        outbox.keyring = Keyring::asked_through(&program);
        outbox
    };
    let is_sealed = async |outbox: &Outbox, title: &str| {
        let (server, away) = (server(), away());
        let kept = outbox.keep(confirmed(title), &server, &away).await.unwrap();
        key::is_sealed(&fs::read(outbox.path(kept.id())).unwrap())
    };
    mood("");
    assert!(is_sealed(&outbox(), "Sealed").await);
    let first = secret();
    for does in [
        "echo locked >&2; exit 1",
        "exit 2",
        "echo junk; exit 0",
        "exec sleep 600",
    ] {
        mood(does);
        let outbox = outbox();
        // Only the one that hangs has to be waited for.
        let hangs = does.contains("sleep");
        if hangs {
            tokio::time::pause();
        }
        assert!(!is_sealed(&outbox, does).await, "{does}");
        if hangs {
            tokio::time::resume();
        }
        mood("");
        assert_eq!(secret(), first, "{does}");
        // It is asked again, and has it.
        assert!(is_sealed(&outbox, does).await, "{does}");
        let listed = outbox.list().await.unwrap();
        assert!(listed.iter().all(|kept| kept.experience().is_some()));
    }
    // A key that is gone may come back: what was sealed with it is not given up.
    fs::remove_file(dir.path().join("secret")).unwrap();
    assert!(!is_sealed(&outbox(), "Plain").await);
    assert!(!dir.path().join("secret").exists());
}

#[tokio::test]
async fn what_cannot_be_read_is_listed_with_the_reason() {
    let dir = TempDir::new().unwrap();
    let sealed = outbox(&dir, Some([7; 32]));
    let kept = sealed
        .keep(confirmed("Sealed"), &server(), &away())
        .await
        .unwrap();
    for other in [None, Some([8; 32])] {
        let listed = outbox(&dir, other).list().await.unwrap();
        assert!(listed[0].experience().is_none());
        assert!(listed[0].last_error.contains("keyring"), "{listed:?}");
    }
    // A file under another's name is not taken for it.
    let stranger = sealed.folder().join(file::name_of(Uuid::new_v4()));
    fs::rename(sealed.path(kept.id()), stranger).unwrap();
    let listed = sealed.list().await.unwrap();
    assert!(listed[0].experience().is_none());

    let damaged = sealed.path(Uuid::new_v4());
    fs::write(&damaged, "{\"version\": 1, \"experience\": \"a secret\"").unwrap();
    let listed = sealed.list().await.unwrap();
    let reasons: Vec<&str> = listed.iter().map(|kept| kept.last_error.as_str()).collect();
    assert!(
        reasons.iter().any(|it| it.contains("damaged")),
        "{reasons:?}"
    );
    assert!(!reasons.iter().any(|it| it.contains("a secret")));
}

#[tokio::test]
async fn it_is_bounded_in_number_and_size() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let large = confirmed(&"x".repeat(MAX_KEPT_BYTES));
    let refused = outbox.keep(large, &server(), &away()).await;
    assert!(matches!(refused, Err(OutboxError::TooLarge { .. })));

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
    // What is there already may be written anew.
    outbox
        .keep(last.unwrap(), &server(), &away())
        .await
        .unwrap();
}

#[tokio::test]
async fn one_process_at_a_time_sends_or_removes() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let kept = outbox
        .keep(confirmed("Locked"), &server(), &away())
        .await
        .unwrap();
    let held = lock::take(outbox.folder()).unwrap();
    assert!(matches!(outbox.give_up(kept.id()), Err(OutboxError::Busy)));
    let client = RecallKitClient::builder()
        .config(crate::ClientConfig::default())
        .build()
        .unwrap();
    let flushed = client.flush(&outbox, Recipient::Any).await;
    assert!(matches!(flushed, Err(OutboxError::Busy)));
    drop(held);
    assert!(outbox.give_up(kept.id()).unwrap());
}

#[tokio::test]
async fn what_is_changed_stays_meant_for_its_server_and_is_there_once() {
    for key in [None, Some([7; 32])] {
        let dir = TempDir::new().unwrap();
        let outbox = outbox(&dir, key);
        let first = confirmed("Too long");
        let kept = outbox.keep(first, &server(), &away()).await.unwrap();
        let changed = confirmed("Shorter");
        assert!(outbox.replace(kept.id(), changed.clone()).await.unwrap());
        let listed = outbox.list().await.unwrap();
        let [now] = &listed[..] else {
            panic!("{listed:?}")
        };
        // A key of its own: the server may have the first text under the first one.
        assert_eq!(now.experience(), Some(&changed));
        assert!(now.is_for(&server()) && now.attempts == 0, "{now:?}");
        // It was sent while the person was editing.
        assert!(outbox.give_up(kept.id()).unwrap());
        assert!(!outbox.replace(kept.id(), changed).await.unwrap());
        assert!(outbox.is_empty());
    }
}

#[tokio::test]
async fn what_the_server_refuses_stays_and_is_not_sent_again_as_it_is() {
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
        let [kept] = &listed[..] else {
            panic!("{why}: {listed:?}")
        };
        assert_eq!(
            (kept.attempts, kept.refused),
            (why.attempts(), refused),
            "{why}"
        );
        assert_eq!(kept.last_error, why.to_string());
    }
}

#[tokio::test]
async fn what_is_on_its_way_is_changed_in_its_place_or_not_at_all() {
    let dir = TempDir::new().unwrap();
    let outbox = Arc::new(outbox(&dir, None));
    let mut sending = outbox.hold(confirmed("First"), &server()).await.unwrap();
    sending.note(&away()).await;
    let too_large = sending.change(confirmed(&"x".repeat(MAX_KEPT_BYTES))).await;
    assert!(matches!(too_large, Err(OutboxError::TooLarge { .. })));
    let listed = outbox.list().await.unwrap();
    assert_eq!((listed[0].title(), listed[0].attempts), ("First", 4));

    let changed = confirmed("Changed");
    sending.change(changed.clone()).await.unwrap();
    let listed = outbox.list().await.unwrap();
    let [now] = &listed[..] else {
        panic!("{listed:?}")
    };
    assert_eq!(now.experience(), Some(&changed));
    assert!(now.is_under_way() && !now.refused, "{now:?}");
    // Until its sender is done with it nobody else touches it.
    assert!(matches!(outbox.give_up(now.id()), Err(OutboxError::Busy)));
    sending.is_over();
    assert!(outbox.is_empty());
}

#[tokio::test]
async fn tenants_of_one_host_are_not_taken_for_each_other() {
    let url = |text: &str| text.parse::<ServerUrl>().unwrap();
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, None);
    let one = url("https://host.example/mcp?tenant=one");
    let kept = outbox.keep(confirmed("One"), &one, &away()).await.unwrap();
    let listed = outbox.list().await.unwrap();
    assert!(listed[0].is_for(&one));
    for other in [
        "https://host.example/mcp?tenant=two",
        "https://host.example/mcp",
        "https://user@host.example/mcp?tenant=one",
    ] {
        assert!(!listed[0].is_for(&url(other)), "{other}");
    }
    // A file of before says no more than what is shown.
    let path = outbox.path(kept.id());
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
fn a_clock_that_was_set_back_leaves_a_key_uncertain() {
    let mut kept = Kept::new(confirmed("The clock is set back"), &server());
    assert!(!kept.is_key_uncertain());
    for kept_at in [SystemTime::now() + Duration::from_secs(3_600), UNIX_EPOCH] {
        kept.kept_at = kept_at;
        assert!(kept.is_key_uncertain(), "{kept_at:?}");
    }
}
