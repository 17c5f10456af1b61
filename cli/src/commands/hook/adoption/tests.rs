//! How much of a record was used, and which record that is.

use super::*;

fn hasher() -> Hasher {
    Hasher::new([7; 32])
}

fn candidates(solutions: &[&str], before: &str) -> Vec<Candidate> {
    let known = hashes(&hasher(), before);
    let ids: Vec<String> = (0..solutions.len()).map(|at| at.to_string()).collect();
    let all = ids.iter().zip(solutions);
    let all: Vec<_> = all
        .map(|(id, &text)| (id.as_str(), None, text.to_owned()))
        .collect();
    let mut candidates = super::candidates(&hasher(), &all);
    candidates
        .iter_mut()
        .for_each(|candidate| candidate.forget(&known));
    candidates
}

fn used(candidates: Vec<Candidate>, done: &[&str]) -> Vec<Candidate> {
    used_by(candidates, done, Use::Done)
}

fn used_by(mut candidates: Vec<Candidate>, done: &[&str], how: Use) -> Vec<Candidate> {
    for text in done {
        let done = hashes(&hasher(), text);
        for candidate in &mut candidates {
            candidate.use_terms(&done, how);
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

/// The usual way to follow advice is to run the command again in another way.
#[test]
fn a_command_that_fails_is_used_but_has_not_helped() {
    let done = ["rm -rf node_modules package-lock.json && npm install --legacy-peer-deps"];
    let mut candidates = used_by(candidates(&SOLUTIONS, ""), &done, Use::Tried);
    assert_eq!(helped(&candidates), None);
    let refuted = (0..3).map(|_| candidates[0].fails_again());
    assert_eq!(refuted.collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_record_after_which_the_error_came_back_has_to_be_used_anew() {
    let done = [
        "rm -rf node_modules package-lock.json",
        "npm install --legacy-peer-deps",
    ];
    for failures in 1..4 {
        let mut candidates = used(candidates(&SOLUTIONS, ""), &done);
        for _ in 0..failures {
            candidates[0].fails_again();
        }
        assert_eq!(helped(&candidates), None, "{failures}");
        let candidates = used(candidates, &done);
        assert_eq!(
            helped(&candidates).map(|(candidate, _)| candidate.id.as_str()),
            Some("0")
        );
    }
}

#[test]
fn each_record_that_was_used_can_be_refuted() {
    let done = [
        "rm -rf node_modules package-lock.json",
        "npm install --legacy-peer-deps",
        "pnpm import",
        "pnpm install --strict-peer-dependencies=false",
    ];
    let mut candidates = used(candidates(&SOLUTIONS, ""), &done);
    let mut refuted = Vec::new();
    for _ in 0..2 {
        refuted = candidates.iter_mut().map(Candidate::fails_again).collect();
    }
    assert_eq!(refuted, [true, false, true]);
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
    judge(include_str!(
        "../../../../../tests/data/hooks/episodes.jsonl"
    ));
}

/// Episodes that were written after the thresholds were set.
#[test]
fn the_same_holds_for_episodes_that_the_thresholds_were_not_fitted_to() {
    judge(include_str!(
        "../../../../../tests/data/hooks/episodes-apart.jsonl"
    ));
}

fn judge(episodes: &str) {
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
            let credits: Vec<f64> = candidates
                .iter()
                .map(|candidate| candidate.credit(Use::Done))
                .collect();
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
