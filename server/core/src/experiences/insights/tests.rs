//! Counts of stored queries, and percentiles.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use recall_kit_settings::{EmbeddingProvider, Settings};
use recall_kit_store::LATENCY_BUCKETS;

use super::*;
use crate::{access::limit_to, app::App};

#[tokio::test]
async fn stored_queries_appear_in_the_insights() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings {
        data_dir: Some(folder.path().to_owned()),
        ..Settings::default()
    };
    settings.embeddings.provider = EmbeddingProvider::Off;
    let app = App::open(settings).await.unwrap();
    let ask = |family, text: &str, results, relevance| {
        let answered = Answered {
            results,
            relevance,
            took: Duration::from_millis(7),
        };
        app.insights.query_log.note(family, text, answered);
    };
    let (experiences, knowledge) = (QuestionFamily::Experiences, QuestionFamily::Knowledge);
    for (text, relevance) in [("Disk full", 0.9), ("disk  full", 0.8), ("wombats", 0.1)] {
        ask(experiences, text, 3, Some(relevance));
    }
    ask(knowledge, "wombats", 0, None);
    flush(&app.insights).await.unwrap();
    let shown = |asked: &[AskedQuestion]| -> Vec<(String, u64, u64)> {
        let asked = asked.iter();
        asked
            .map(|one| (one.text.clone(), one.asked, one.unanswered))
            .collect()
    };
    let row = |text: &str, asked, unanswered| (text.to_owned(), asked, unanswered);
    let caller = Caller::local();
    let listed = Listed {
        days: 2,
        family: Some(experiences),
        limit: 9,
    };
    let most = most_asked(&app.insights, &caller, listed)
        .await
        .unwrap()
        .unwrap();
    let expected = [row("disk full", 2, 0), row("wombats", 1, 1)];
    assert_eq!(shown(&most), expected);
    let listed = Listed {
        days: 7,
        family: None,
        limit: 9,
    };
    let missing = gaps(&app.insights, &caller, listed).await.unwrap().unwrap();
    let expected = [row("wombats", 1, 1), row("wombats", 1, 1)];
    assert_eq!(shown(&missing), expected);
    let limited = Caller {
        projects: limit_to(&["shop".to_owned()]).unwrap(),
        ..caller.clone()
    };
    for caller in [limited, Caller::unknown()] {
        assert_eq!(gaps(&app.insights, &caller, listed).await.unwrap(), None);
    }
    let days = latency(&app.insights, 7).await.unwrap();
    let counts: Vec<_> = days.iter().map(|day| (day.asked, day.within_ms)).collect();
    assert_eq!(counts, [(3, [Some(10); 3]), (1, [Some(10); 3])]);
    assert_eq!(growth(&app.insights, &caller, 7).await.unwrap(), []);
}

#[test]
fn percentiles_are_the_bounds_within_which_so_many_were_answered() {
    let check = |counts: &[(usize, u64)], expected: [Option<u32>; 3]| {
        let mut latencies = [0; LATENCY_BUCKETS];
        for (bucket, count) in counts {
            latencies[*bucket] = *count;
        }
        let found = PERCENTILES.map(|percent| within_ms(&latencies, percent));
        assert_eq!(found, expected, "{counts:?}");
    };
    check(&[(0, 1)], [Some(1); 3]);
    check(&[(2, 50), (4, 45), (7, 5)], [Some(5), Some(20), Some(200)]);
    check(&[(2, 98), (11, 2)], [Some(5), Some(5), None]);
    check(&[(11, 1)], [None; 3]);
}
