//! How much of a record was used, and which record that is.

use super::*;

fn candidates(solutions: &[&str], before: &str) -> Vec<Candidate> {
    let known = hashes(before);
    let all: Vec<String> = solutions.iter().map(|&text| text.to_owned()).collect();
    let numbered = all.iter().enumerate();
    numbered
        .map(|(at, text)| {
            Candidate::of(
                &at.to_string(),
                None,
                text,
                &|term| known.contains(&term),
                &all,
            )
        })
        .collect()
}

fn used(mut candidates: Vec<Candidate>, done: &[&str]) -> Vec<Candidate> {
    for text in done {
        let done = hashes(text);
        for candidate in &mut candidates {
            candidate.use_terms(&done);
        }
    }
    candidates
}

const SOLUTIONS: [&str; 3] = [
    "Regenerate the lock file: run `rm -rf node_modules package-lock.json` and then `npm install --legacy-peer-deps`.",
    "Pin the peer: set \"react\": \"18.3.1\" in package.json and run `npm dedupe`.",
    "Use pnpm: `pnpm import && pnpm install --strict-peer-dependencies=false`.",
];

#[test]
fn the_record_that_was_used_is_named() {
    let check = |done: &[&str], expected: Option<(&str, OutcomeKind)>| {
        let candidates = used(
            candidates(&SOLUTIONS, "npm install\nERESOLVE unable to resolve react"),
            done,
        );
        let found =
            helped(&candidates).map(|(candidate, outcome)| (candidate.id.as_str(), outcome));
        assert_eq!(found, expected, "{done:?}");
    };
    check(&[], None);
    check(&["ls", "cat package.json"], None);
    check(
        &[
            "rm -rf node_modules package-lock.json",
            "npm install --legacy-peer-deps",
        ],
        Some(("0", OutcomeKind::Worked)),
    );
    check(
        &["npm ci --legacy-peer-deps && rm package-lock.json"],
        Some(("0", OutcomeKind::WorkedWithChanges)),
    );
    check(
        &["npm dedupe", "\"react\": \"18.3.1\","],
        Some(("1", OutcomeKind::Worked)),
    );
    check(
        &[
            "pnpm import",
            "pnpm install --strict-peer-dependencies=false",
        ],
        Some(("2", OutcomeKind::Worked)),
    );
    // Something else helped, or both were tried.
    check(
        &[
            "npm config set registry https://mirror.example.org",
            "npm install",
        ],
        None,
    );
    check(
        &[
            "rm -rf node_modules package-lock.json",
            "npm install --legacy-peer-deps",
            "pnpm import",
            "pnpm install --strict-peer-dependencies=false",
        ],
        None,
    );
}

#[test]
fn what_was_there_before_tells_nothing() {
    let before = "npm install --legacy-peer-deps\nrm -rf node_modules package-lock.json";
    let candidates = used(
        candidates(&SOLUTIONS[..1], before),
        &[
            "rm -rf node_modules package-lock.json",
            "npm install --legacy-peer-deps",
        ],
    );
    assert_eq!(helped(&candidates), None);
}

#[test]
fn a_record_is_refuted_once_if_the_error_comes_back_after_it_was_used() {
    let mut fresh = candidates(&SOLUTIONS, "");
    let refuted = (0..4).map(|_| fresh[0].fails_again());
    assert_eq!(refuted.collect::<Vec<_>>(), [false; 4], "it was not used");
    let done = [
        "rm -rf node_modules package-lock.json",
        "npm install --legacy-peer-deps",
    ];
    let mut candidates = used(fresh, &done);
    let refuted = (0..4).map(|_| candidates[0].fails_again());
    assert_eq!(refuted.collect::<Vec<_>>(), [false, true, false, false]);
}

#[test]
fn damaged_and_empty_texts_have_no_terms() {
    for text in ["", "```", "`", "\u{0}", "🙂🙂🙂", "....", "a b c"] {
        let candidates = candidates(&[text], "");
        assert_eq!(helped(&used(candidates, &[text])), None, "{text:?}");
    }
}

/// An episode of an agent that was shown three solutions of an error, one of which may be what it did then.
#[derive(serde::Deserialize)]
struct Episode {
    source: String,
    command: String,
    error: String,
    solutions: Vec<String>,
    done: Vec<String>,
    truth: Option<usize>,
}

#[test]
fn the_record_that_is_named_is_the_right_one() {
    let episodes = include_str!("../../../../../tests/data/hooks/episodes.jsonl");
    let episodes: Vec<Episode> = episodes
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is an episode"))
        .collect();
    let [mut followed, mut named, mut right] = [0_usize; 3];
    let mut others = Vec::new();
    for episode in &episodes {
        let solutions: Vec<&str> = episode.solutions.iter().map(String::as_str).collect();
        let before = format!("{}\n{}", episode.command, episode.error);
        let done: Vec<&str> = episode
            .done
            .iter()
            .map(String::as_str)
            .filter(|line| !super::super::command::is_viewer(line))
            .collect();
        let candidates = used(candidates(&solutions, &before), &done);
        let found = helped(&candidates).and_then(|(candidate, _)| candidate.id.parse().ok());
        followed += usize::from(episode.truth.is_some());
        named += usize::from(found.is_some());
        right += usize::from(found.is_some() && found == episode.truth);
        if found != episode.truth {
            let credits: Vec<f64> = candidates.iter().map(Candidate::credit).collect();
            others.push(format!(
                "{}: {} {:?}: {found:?} for {:?}, {credits:.2?}",
                episode.source, episode.command, episode.done, episode.truth
            ));
        }
    }
    let figures = format!(
        "{} episodes: {right} of {named} named rightly, of {followed} followed\n{}",
        episodes.len(),
        others.join("\n")
    );
    assert!(right * 100 >= named * 95, "precision: {figures}");
    assert!(right * 100 >= followed * 50, "recall: {figures}");
}
