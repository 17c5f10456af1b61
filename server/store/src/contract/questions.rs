//! Statistics of queries add up over servers and days, and old ones are removed.

use super::{
    knowledge::{moment, new_entry},
    libraries::file,
    *,
};
use crate::{
    ChangedExperience, Day, ExperienceChange, Growth, NewQuestion, QuestionDay, QuestionFamily,
    QuestionOrder,
};

const FAMILY: QuestionFamily = QuestionFamily::Experiences;

/// Returns a question that was asked once.
fn asked(day: i64, text: &str, relevance: Option<f64>) -> NewQuestion {
    NewQuestion {
        day: Day(day),
        family: FAMILY,
        text: text.to_owned(),
        asked: 1,
        unanswered: u64::from(relevance.is_none()),
        results: 2,
        relevance,
        last_at: Day(day).begin(),
    }
}

fn counted(day: i64, buckets: &[usize]) -> QuestionDay {
    let mut counted = QuestionDay::new(Day(day), FAMILY);
    counted.asked = buckets.len() as u64;
    counted.others = 1;
    for bucket in buckets {
        counted.latencies[*bucket] += 1;
    }
    counted
}

pub(super) async fn questions_of_several_servers_add_up(database: TestDatabase) {
    let servers = [database.open().await, database.open().await];
    let one = [
        asked(5, "disk full", Some(0.9)),
        asked(5, "null \u{0}", None),
    ];
    let other = [
        asked(5, "disk full", Some(0.5)),
        asked(6, "disk full", None),
    ];
    let (a, b) = ([counted(5, &[0, 11])], [counted(5, &[0]), counted(6, &[3])]);
    let (one, other) = futures::join!(
        servers[0].add_questions(&one, &a),
        servers[1].add_questions(&other, &b)
    );
    one.unwrap();
    other.unwrap();

    let store = &servers[0];
    let most = store
        .questions(Day(5), None, QuestionOrder::MostAsked, 9)
        .await
        .unwrap();
    let counts: Vec<_> = most
        .iter()
        .map(|one| (one.text.as_str(), one.asked, one.unanswered, one.results))
        .collect();
    assert_eq!(counts, [("disk full", 3, 1, 6), ("null \u{0}", 1, 1, 2)]);
    assert_eq!((most[0].relevance, most[0].last_at), (None, Day(6).begin()));
    let misses = QuestionOrder::LeastAnswered;
    let gaps = store
        .questions(Day(6), Some(FAMILY), misses, 1)
        .await
        .unwrap();
    assert_eq!((gaps.len(), gaps[0].asked), (1, 1));
    let others = Some(QuestionFamily::Libraries);
    assert!(
        store
            .questions(Day(5), others, misses, 9)
            .await
            .unwrap()
            .is_empty()
    );

    let days = store.question_days(Day(5)).await.unwrap();
    let mut both = counted(5, &[0, 0, 11]);
    both.others = 2;
    assert_eq!(days, [both, counted(6, &[3])]);
    assert_eq!(store.question_days(Day(6)).await.unwrap().len(), 1);
}

pub(super) async fn questions_are_removed_by_age_and_beyond_a_maximum(database: TestDatabase) {
    let store = database.open().await;
    let texts: Vec<NewQuestion> = (1..=6).map(|day| asked(day, "again", None)).collect();
    let days: Vec<QuestionDay> = (1..=6).map(|day| counted(day, &[1])).collect();
    store.add_questions(&texts, &days).await.unwrap();
    let left = async || {
        let all = store
            .questions(Day(0), None, QuestionOrder::MostAsked, 9)
            .await;
        all.unwrap().iter().map(|one| one.asked).sum::<u64>()
    };
    let forget = async |texts, most, limit| {
        let days = (Day(texts), Day(3));
        store.forget_questions(days, most, limit).await.unwrap()
    };
    assert_eq!((forget(3, 100, 1).await, left().await), (1, 5));
    assert_eq!((forget(3, 100, 9).await, left().await), (1, 4));
    assert_eq!(store.question_days(Day(0)).await.unwrap().len(), 4);
    assert_eq!((forget(0, 2, 1).await, left().await), (1, 3));
    assert_eq!((forget(0, 2, 9).await, left().await), (1, 2));
    assert_eq!((forget(0, 2, 9).await, left().await), (0, 2));
    let latest = store
        .questions(Day(5), None, QuestionOrder::MostAsked, 9)
        .await;
    assert_eq!(latest.unwrap()[0].asked, 2, "the oldest were removed");
}

pub(super) async fn growth_is_counted_by_day_and_used_records_are_listed(database: TestDatabase) {
    let store = database.open().await;
    let (seen, hidden) = (new("seen"), new("hidden"));
    for record in [&seen, &hidden] {
        store.insert_experience(record.clone()).await.unwrap();
    }
    store.insert_entry(new_entry(1)).await.unwrap();
    let mut elsewhere = new_entry(2);
    elsewhere.content.project = Some("\u{fdd0} shop".to_owned());
    store.insert_entry(elsewhere).await.unwrap();
    store
        .insert_docs_files(&[file("a.md", 1)], moment(0))
        .await
        .unwrap();
    let hide = ChangedExperience {
        id: hidden.id,
        expected: None,
        change: ExperienceChange::Hide,
        now: moment(0),
        event: None,
    };
    let counts = new_counts([(seen.id, 4), (hidden.id, 9)]);
    store.add_query_counts(&counts, moment(10)).await.unwrap();
    store
        .add_access_counts(
            &new_counts([(Uuid::from_u128(1), 2), (Uuid::from_u128(2), 1)]),
            moment(20),
        )
        .await
        .unwrap();
    store.change_experience(&hide).await.unwrap();

    let (early, late) = (Day::of(seen.created_at), Day::of(moment(0)));
    let grown = |day, family, records| Growth {
        day,
        family,
        records,
    };
    let expected = [
        grown(early, QuestionFamily::Experiences, 1),
        grown(late, QuestionFamily::Knowledge, 2),
        grown(late, QuestionFamily::Libraries, 2),
    ];
    let shop = ["none".to_owned(), "\u{fdd0} shop".to_owned()];
    assert_eq!(store.growth(early, None).await.unwrap(), expected);
    assert_eq!(store.growth(late, None).await.unwrap(), expected[1..]);
    let of_the_shop = [grown(late, QuestionFamily::Knowledge, 1), expected[2]];
    assert_eq!(store.growth(late, Some(&shop)).await.unwrap(), of_the_shop);
    let of_none = store.growth(late, Some(&[])).await.unwrap();
    assert_eq!(of_none, expected[2..]);

    let returned = store.returned_experiences(moment(10), 9).await.unwrap();
    let [one] = &returned[..] else {
        panic!("{returned:?}")
    };
    assert_eq!(
        (one.id, one.title.as_str(), one.count),
        (seen.id, "seen", 4)
    );
    assert_eq!(store.returned_experiences(moment(11), 9).await.unwrap(), []);
    let shown = async |second, projects, limit| -> Vec<u64> {
        let shown = store.shown_entries(moment(second), projects, limit).await;
        shown.unwrap().iter().map(|one| one.count).collect()
    };
    assert_eq!(shown(20, None, 9).await, [2, 1]);
    assert_eq!(shown(20, Some(&shop), 1).await, [1], "others come first");
    assert_eq!(shown(20, Some(&[]), 9).await, [0; 0]);
    assert_eq!(shown(21, None, 9).await, [0; 0]);
}
