//! Recalls and episodes: stored once, summed up, and removed by age and beyond a maximum.

use super::{knowledge::moment, *};
use crate::{Episode, EpisodeCounts, Recall, Recovery};

fn recall(at: i64) -> Recall {
    Recall {
        id: Uuid::now_v7(),
        at: moment(at),
        principal: "key:1".to_owned(),
        fingerprint_hash: "a1b2".to_owned(),
        shown: vec![Uuid::now_v7(), Uuid::now_v7()],
        withheld: Vec::new(),
        policy: "all".to_owned(),
        propensity: 1.0,
    }
}

fn episode(at: i64, recall_id: Option<Uuid>, has_recovered: bool) -> Episode {
    Episode {
        id: Uuid::now_v7(),
        at: moment(at),
        principal: "key:1".to_owned(),
        recall_id,
        host: "codex".to_owned(),
        family: "cargo".to_owned(),
        failures: 2,
        has_recovered,
        ms: 60_000,
        commands: 5,
    }
}

pub(super) async fn episodes_are_stored_once_and_summed_up(database: TestDatabase) {
    let store = database.open().await;
    assert_eq!(
        store.recovery(moment(0)).await.unwrap(),
        Recovery::default()
    );
    let shown = recall(10);
    store
        .add_recalls(std::slice::from_ref(&shown))
        .await
        .unwrap();
    let again = Recall {
        policy: "other".to_owned(),
        ..shown.clone()
    };
    let later = recall(20);
    store.add_recalls(&[again, later.clone()]).await.unwrap();
    assert_eq!(store.recalls(9).await.unwrap(), [later, shown.clone()]);

    let reported = episode(10, Some(shown.id), true);
    for one in [
        &reported,
        &reported,
        &episode(11, Some(shown.id), true),
        &episode(12, Some(shown.id), false),
        &episode(13, None, false),
        &episode(9, None, true),
    ] {
        assert!(store.add_episode(one, 100).await.unwrap());
    }
    let expected = Recovery {
        with_recall: EpisodeCounts {
            episodes: 3,
            recovered: 2,
            failures: 4,
            commands: 10,
            ms: 120_000,
        },
        without: EpisodeCounts {
            episodes: 1,
            ..EpisodeCounts::default()
        },
    };
    assert_eq!(store.recovery(moment(10)).await.unwrap(), expected);

    // Nobody was shown anything by a recall that is not stored.
    let forged = episode(30, Some(Uuid::now_v7()), true);
    assert!(store.add_episode(&forged, 7).await.unwrap());
    let counts = store.recovery(moment(30)).await.unwrap();
    assert_eq!(
        (counts.with_recall.episodes, counts.without.episodes),
        (0, 1)
    );
    assert!(
        !store
            .add_episode(&episode(31, None, true), 6)
            .await
            .unwrap()
    );
    let tomorrow = episode(32 + 24 * 60 * 60, None, true);
    assert!(store.add_episode(&tomorrow, 6).await.unwrap());
}

pub(super) async fn recalls_are_removed_by_age_and_beyond_a_maximum(database: TestDatabase) {
    let store = database.open().await;
    let recalls: Vec<Recall> = (0..10).map(recall).collect();
    store.add_recalls(&recalls).await.unwrap();
    for at in 0..10 {
        let episode = episode(at, None, true);
        store.add_episode(&episode, 100).await.unwrap();
    }
    let removed = store.forget_recalls(moment(4), 100, 3).await.unwrap();
    assert_eq!(removed, 6, "no more than the limit of each at once");
    let removed = store.forget_recalls(moment(4), 5, 100).await.unwrap();
    assert_eq!(removed, 2 + 2);
    let kept: Vec<Recall> = recalls.into_iter().rev().take(5).collect();
    assert_eq!(store.recalls(100).await.unwrap(), kept);
    let counts = store.recovery(moment(0)).await.unwrap().without;
    assert_eq!(counts.episodes, 5);
}
