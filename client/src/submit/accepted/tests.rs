//! Servers accept what is sent, whatever the draft contains and whatever own rules and allow entries say.

#![allow(clippy::unwrap_used)]

use recall_kit_sanitizer::{CustomRule, Example, RuleGroup, check};
use recall_kit_shared_types::SubmitExperienceRequest;

use crate::{ConfiguredSanitizer, Draft, SanitizerConfig};

/// The number of drafts for each of the settings.
const DRAFTS: usize = 150;

/// The pieces of which texts are made; `¦` keeps scanners from reporting this file.
const PIECES: &[&str] = &[
    "sk-¦1234567890",
    "gh¦p_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5",
    "hunter-¦86-x",
    "nadia¦@oakmere-clinic.net",
    "build¦@oakmere-clinic.net",
    "10.104¦.87.198",
    "db01.prod.oakmere¦.internal",
    "/home/¦nkurosawa/src",
    "+49 151¦ 2345 6789",
    "OC-418264",
    "PRJ-77",
    "YOUR_API_KEY",
    "user@example.com",
    "password",
    "API_KEY",
    "token",
    "Bearer",
    "DB_PASSWORD",
    "const rows",
    "=",
    ": ",
    "\"",
    "'",
    "\n",
    "  ",
    "&",
    "://",
    "@",
    "/",
    "{",
    "}",
    "密码：",
    "--",
    "Title Case",
];

/// Allow entries for text that servers reject, and one for text that they accept.
const ALLOWED: &[&str] = &[
    "build¦@oakmere-clinic.net",
    "hunter-¦86-x",
    "/gh¦p_[A-Za-z0-9]+/",
    "10.104¦.87.198",
    "nkurosawa",
];

fn joined(parts: &str) -> String {
    parts.replace('¦', "")
}

/// A pseudo-random sequence of numbers that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % end
    }

    fn text(&mut self, most: usize) -> String {
        let pieces = 1 + self.below(most);
        let pieces = (0..pieces).map(|_| joined(PIECES[self.below(PIECES.len())]));
        let gap = ["", " "];
        pieces.fold(String::new(), |text, piece| {
            // Pieces are joined with and without a space between them.
            let gap = gap[(text.len() + piece.len()) % 2];
            text + gap + &piece
        })
    }

    fn draft(&mut self) -> Draft {
        Draft {
            root_cause: Some(self.text(6)),
            context: Some(self.text(24)),
            keywords: (0..4).map(|_| self.text(4)).collect(),
            ..Draft::new(self.text(6), self.text(12), self.text(12))
        }
    }
}

fn rule(id: &str, pattern: &str, replacement: &str, example: &str) -> CustomRule {
    CustomRule {
        id: id.to_owned(),
        kind: id.to_owned(),
        group: RuleGroup::RemovePersonalInfo,
        anchors: Vec::new(),
        pattern: pattern.to_owned(),
        replacement: replacement.to_owned(),
        examples: vec![Example::Whole(example.to_owned())],
        negative_examples: Vec::new(),
        why: None,
    }
}

fn settings() -> Vec<SanitizerConfig> {
    let custom = vec![
        rule("staff-number", "OC-[0-9]{6}", "STAFF-1", "by OC-418264"),
        rule("project", "PRJ-[0-9]{2}", "some project", "in PRJ-77"),
    ];
    let allow: Vec<String> = ALLOWED.iter().map(|entry| joined(entry)).collect();
    [
        (RuleGroup::REMOVAL.to_vec(), vec![], vec![]),
        (RuleGroup::ALL.to_vec(), custom.clone(), vec![]),
        (vec![], vec![], allow.clone()),
        (RuleGroup::ALL.to_vec(), custom, allow),
    ]
    .into_iter()
    .map(|(rules, custom, allow)| SanitizerConfig {
        enabled: true,
        rules,
        custom,
        allow,
    })
    .collect()
}

/// Returns the rules by which a server would reject a request, checking each field as a server does.
fn refused(request: &SubmitExperienceRequest) -> Vec<String> {
    let anywhere = [RuleGroup::RemoveApiKeys];
    let in_context = [RuleGroup::RemoveApiKeys, RuleGroup::RemovePersonalInfo];
    let context = request.context.as_deref().unwrap_or_default();
    let root_cause = request.root_cause.as_deref().unwrap_or_default();
    let mut checked = vec![
        check(context, &in_context),
        check(&request.title, &anywhere),
        check(&request.problem_description, &anywhere),
        check(root_cause, &anywhere),
        check(&request.solution, &anywhere),
    ];
    for keyword in request.keywords.iter().flatten() {
        checked.push(check(&keyword.trim().to_lowercase(), &anywhere));
    }
    let found = checked.into_iter().flatten();
    found.map(|finding| finding.rule).collect()
}

#[test]
fn servers_accept_every_sanitized_draft() {
    for settings in settings() {
        let sanitizer = ConfiguredSanitizer::new(settings).unwrap();
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
        let mut changed = 0;
        for _ in 0..DRAFTS {
            let shown = numbers.draft().sanitize(&sanitizer);
            changed += usize::from(!shown.removed().is_empty());
            let request = shown.request();
            assert_eq!(refused(request), [""; 0], "{request:#?}");
        }
        assert!(changed > DRAFTS / 2, "{changed} drafts had to be changed");
    }
}

#[test]
fn an_allow_entry_that_servers_reject_is_reported() {
    let [mail, token] = [ALLOWED[0], "gh¦p_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].map(joined);
    let settings = settings().pop().unwrap();
    let sanitizer = ConfiguredSanitizer::new(settings).unwrap();
    let draft = Draft {
        context: Some(format!("{mail} runs it")),
        keywords: vec![token.clone()],
        ..Draft::new(format!("Ask {mail}"), "p", "s")
    };
    let shown = draft.sanitize(&sanitizer);
    let request = shown.request();
    assert_eq!(
        request.title,
        format!("Ask {mail}"),
        "servers accept it here"
    );
    assert_eq!(request.context.as_deref(), Some("user@example.com runs it"));
    let keywords = request.keywords.clone().unwrap();
    assert!(!keywords.concat().contains(&token[4..]), "{keywords:?}");

    let overruled: Vec<(&str, usize)> = shown
        .overruled()
        .iter()
        .map(|it| (it.field, it.entry))
        .collect();
    assert_eq!(overruled, [("context", 1), ("keywords", 3)]);
    assert_eq!(shown.overruled()[0].kind, "e-mail address");
    assert_eq!(shown.removed().iter().map(|(_, n)| n).sum::<usize>(), 2);
}
