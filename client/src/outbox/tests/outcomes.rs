//! Outcomes in the outbox: those that hooks observed have room of their own, and give way to newer ones.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::PreparedOutcome;

/// A key, so that what is in a file is known only after it is decrypted.
const SEALED: Option<[u8; 32]> = Some([7; 32]);

fn outcome(number: usize, evidence: Evidence) -> PreparedOutcome {
    let client = RecallKitClient::new(crate::ClientConfig::default()).unwrap();
    let request = ReportOutcomeRequest {
        experience_id: format!("record {number}"),
        outcome: OutcomeKind::Worked,
        note: None,
        recall_id: None,
    };
    client.prepare_outcome(request, evidence)
}

async fn titles(outbox: &Outbox, is_observed: bool) -> Vec<String> {
    let listed = outbox.list().await.unwrap().into_iter();
    let listed = listed.filter(|entry| entry.is_observed() == is_observed);
    let mut titles: Vec<String> = listed.map(|entry| entry.title()).collect();
    titles.sort();
    titles
}

#[tokio::test]
async fn observed_outcomes_take_no_room_from_what_people_share() {
    let dir = TempDir::new().unwrap();
    let outbox = outbox(&dir, SEALED);
    let keep = async |content: Content| outbox.keep(content, &server(), &away()).await;
    for number in 0..MAX_OBSERVED {
        let mut entry = keep(outcome(number, Evidence::Observed).into())
            .await
            .unwrap();
        // The first ones are the oldest.
        entry.kept_at -= Duration::from_secs((1000 - number) as u64);
        outbox.write(&entry).await.unwrap();
    }
    for number in 0..MAX_KEPT {
        keep(confirmed(&format!("Title {number}")).into())
            .await
            .unwrap();
    }
    // Both are full: shared ones are refused, observed ones give way.
    let refused = keep(confirmed("One more").into()).await;
    assert!(matches!(refused, Err(OutboxError::Full)), "{refused:?}");
    let refused = keep(outcome(0, Evidence::Person).into()).await;
    assert!(matches!(refused, Err(OutboxError::Full)), "{refused:?}");
    for number in 1000..1003 {
        keep(outcome(number, Evidence::Observed).into())
            .await
            .unwrap();
    }
    let observed = titles(&outbox, true).await;
    assert_eq!(observed.len(), MAX_OBSERVED);
    for (number, is_kept) in [(0, false), (2, false), (3, true), (99, true), (1002, true)] {
        let title = format!("record {number}: worked");
        assert_eq!(observed.contains(&title), is_kept, "{title}");
    }
    assert_eq!(titles(&outbox, false).await.len(), MAX_KEPT);
}

#[tokio::test]
async fn an_outcome_for_several_servers_waits_for_each_with_one_key() {
    let dir = TempDir::new().unwrap();
    let outbox = Arc::new(outbox(&dir, SEALED));
    let outcome = outcome(1, Evidence::Person);
    for (number, count) in [(0, 2), (1, 2)] {
        let url = format!("http://127.0.0.1:{}/mcp", number + 1)
            .parse()
            .unwrap();
        let held = outbox
            .hold_one_of(outcome.clone(), &url, number, count)
            .await;
        drop(held.unwrap());
    }
    let listed = outbox.list().await.unwrap();
    let keys: Vec<_> = listed.iter().map(|entry| entry.id_and_key().1).collect();
    assert_eq!(keys, [Some(outcome.idempotency_key()); 2]);
    assert_ne!(listed[0].id(), listed[1].id());
    assert!(
        listed.iter().all(|entry| entry.one_of_several),
        "{listed:?}"
    );
    // The server of the first one does not have the experience, and the other may. Then nobody else may have it.
    let not_found = Box::new(ErrorBody::new(ErrorCode::NotFound, ""));
    let not_found = Error::Validation(not_found);
    assert!(listed.iter().all(|entry| entry.is_ended_by(&not_found)));
    let waiting: Vec<_> = listed.iter().map(Kept::id_and_key).collect();
    assert!(outbox.has_other(&waiting, &listed[0]));
    assert!(outbox.give_up(listed[0].id()).unwrap());
    assert!(!outbox.has_other(&waiting, &listed[1]));
    // Alone it is not one of several: a person learns that the server does not have the experience.
    let alone = outbox
        .hold_one_of(self::outcome(2, Evidence::Person), &server(), 0, 1)
        .await;
    assert!(!alone.unwrap().kept().one_of_several);
}

/// A hook has no time to ask a keyring, and what it leaves behind takes no room from experiences, whatever became of
/// the key.
#[cfg(unix)]
#[tokio::test]
async fn observed_outcomes_do_without_the_keyring() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = TempDir::new().unwrap();
    let program = dir.path().join("keyring");
    let asked = dir.path().join("asked");
    fs::write(
        &program,
        "#!/bin/sh\n: >\"$(dirname \"$0\")/asked\"\nexit 2\n",
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let outbox = || {
        let mut outbox = Outbox::at(dir.path().join("outbox"));
        outbox.keyring = Keyring::through_program(&program);
        outbox
    };
    // What is encrypted with a key that is gone is still what people share.
    let sealed = super::outbox(&dir, SEALED);
    let lost = sealed.keep(confirmed("Lost"), &server(), &away()).await;
    let lost = lost.unwrap();
    for number in 0..=MAX_OBSERVED {
        let (outbox, server) = (Arc::new(outbox()), server());
        let held = outbox.hold(outcome(number, Evidence::Observed), &server);
        drop(held.await.unwrap());
    }
    assert!(!asked.exists());
    let outbox = outbox();
    assert_eq!(titles(&outbox, true).await.len(), MAX_OBSERVED);
    assert!(asked.exists(), "another file is encrypted");
    let names = fs::read_dir(outbox.folder()).unwrap();
    let paths: Vec<_> = names.map(|name| name.unwrap().path()).collect();
    let observed = paths
        .iter()
        .filter(|path| path.extension() == Some("observed".as_ref()));
    for path in observed {
        assert!(!key::is_sealed(&fs::read(path).unwrap()), "{path:?}");
    }
    // One less than the most: there is room for the last one, and then there is none.
    for number in 1..MAX_KEPT {
        let experience = confirmed(&format!("Title {number}"));
        let kept = outbox.keep(experience, &server(), &away()).await;
        kept.unwrap();
    }
    let full = outbox.keep(confirmed("One more"), &server(), &away()).await;
    assert!(matches!(full, Err(OutboxError::Full)), "{full:?}");
    // Both kinds are removed by their id.
    let listed = outbox.list().await.unwrap();
    let first = listed.iter().find(|entry| entry.is_observed()).unwrap();
    assert!(outbox.give_up(first.id()).unwrap());
    assert!(outbox.give_up(lost.id()).unwrap());
    assert_eq!(outbox.list().await.unwrap().len(), listed.len() - 2);
}
