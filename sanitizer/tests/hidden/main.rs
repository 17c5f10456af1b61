//! Texts that hide what they say, made at run time from a seed: every kind of hiding, several secrets,
//! several notations. The first half is what the views were built with; the second has other frames,
//! secrets and words, and holds the floor.

mod hidings;

use hidings::{ALL, Dice, HEX, HIDINGS, cut};
use recall_kit_sanitizer::{RuleGroup, check, sanitize};

/// Which half a text belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Built,
    HeldOut,
}

fn tokens(half: Half, dice: &mut Dice) -> String {
    let shapes: &[(&[&str], &str, usize)] = match half {
        Half::Built => &[
            (&["gh", "p_"], ALL, 36),
            (&["sk_", "live_"], ALL, 28),
            (&["xo", "xb-"], ALL, 40),
            (&["glp", "at-"], ALL, 20),
        ],
        Half::HeldOut => &[
            (&["gh", "s_"], ALL, 36),
            (&["np", "m_"], ALL, 36),
            (&["h", "f_"], ALL, 34),
            (&["dop_", "v1_"], HEX, 64),
            (&["sk-", "ant-api03-"], ALL, 60),
            (&["shp", "at_"], HEX, 32),
        ],
    };
    let (prefix, alphabet, length) = dice.pick(shapes);
    prefix.concat() + &dice.word(alphabet, length)
}

fn frames(half: Half) -> &'static [&'static str] {
    match half {
        Half::Built => &[
            "export API_TOKEN={}\n",
            "2026-11-02 10:12 error: bad token {} in request\n",
            "see `{}` for details\n",
            "<p>The key is {} now.</p>\n",
            "{\"log\": \"login with {} failed\", \"n\": 3}\n",
        ],
        Half::HeldOut => &[
            "git remote add origin https://x:{}@github.com/acme/app.git\n",
            "config.yml:12:  credentials: {}\nnext line\n",
            "We rotated {} yesterday, please update.\n",
            "curl -H 'Authorization: Bearer {}' localhost:3000/v1\n",
            "| deploy key | {} |\n",
            "remote: denied to {}\r\nfatal: stop\r\n",
        ],
    }
}

/// String literals that a program joins, as whole statements.
const JOINS: &[(Half, &str)] = &[
    (Half::Built, "x = \"{}\" + \"{}\";\n"),
    (Half::Built, "$x = '{}' . '{}';\n"),
    (Half::Built, "token = (\"{}\"\n         \"{}\")\n"),
    (Half::Built, "auth = \"{}\" \\\n    \"{}\"\n"),
    (Half::Built, "local x = \"{}\" .. \"{}\"\n"),
    (Half::HeldOut, "const t = '{}'\n  + '{}';\n"),
    (Half::HeldOut, "call(\"Bearer \" + \"{}\" + \"{}\")\n"),
    (Half::HeldOut, "char *k = \"{}\" \"{}\";\n"),
    (Half::HeldOut, "Dim s = \"{}\" & \"{}\"\n"),
    (Half::HeldOut, "select '{}' || '{}' from dual;\n"),
    (
        Half::HeldOut,
        "{\"src\": \"t = \\\"{}\\\" + \\\"{}\\\"\"}\n",
    ),
    (Half::HeldOut, "x = f\"{}\" + r'{}'\n"),
    (Half::HeldOut, "k = ''.join(['{}', '{}'])\n"),
    (Half::HeldOut, "let k = concat!(\"{}\", \"{}\");\n"),
];

/// Keys that hide, with a password in plain behind them.
const KEYS: &[(Half, &str)] = &[
    (Half::Built, "p\u{430}ssword={}\n"),
    (Half::Built, "ｐａｓｓｗｏｒｄ: \"{}\"\n"),
    (Half::Built, "pass&#119;ord = '{}'\n"),
    (
        Half::Built,
        "\u{1b}[33mpassword\u{1b}[0m=\u{1b}[36m{}\u{1b}[0m\n",
    ),
    (Half::Built, "**Password:** {}\n"),
    (Half::Built, "{\"value\":\"{}\",\"name\":\"DB_PASSWORD\"}\n"),
    (Half::Built, "- value: {}\n  name: API_SECRET\n"),
    (Half::HeldOut, "db_pаsswоrd: '{}'\n"),
    (Half::HeldOut, "api_tоken = \"{}\"\n"),
    (Half::HeldOut, "p\\u0061ssword: \"{}\"\n"),
    (Half::HeldOut, "?user=a&pass%77ord={}\n"),
    (
        Half::HeldOut,
        "{\"event\":\"\\u001b[36mpassword\\u001b[0m=\\u001b[35m{}\\u001b[0m\"}\n",
    ),
    (Half::HeldOut, "- **Password**: `{}`\n"),
    (Half::HeldOut, "- **Password**: **{}**\n"),
    (Half::HeldOut, "<add value=\"{}\" key=\"ApiSecret\" />\n"),
    (
        Half::HeldOut,
        "[{\"value\": \"{}\", \"type\": \"SECRET\", \"key\": \"SMTP_PASSWORD\"}]\n",
    ),
    (Half::HeldOut, "value = \"{}\"\nname  = \"db_password\"\n"),
    (
        Half::HeldOut,
        "<value>{}</value>\n<name>fs.s3a.secret.key</name>\n",
    ),
    (Half::HeldOut, "db\\_password = {}\n"),
];

fn password(half: Half, dice: &mut Dice) -> String {
    let (one, two) = match half {
        Half::Built => ("kLm", "#"),
        Half::HeldOut => ("Tq", "!"),
    };
    let length = 9 + dice.below(6);
    format!(
        "{one}{}{}{two}{}",
        dice.below(90) + 10,
        dice.word(ALL, length),
        dice.below(9)
    )
}

/// A text, what of it must not be seen again, and how it hides.
struct Sample {
    text: String,
    secret: String,
    hidden: Vec<String>,
    kind: String,
}

fn samples(half: Half) -> Vec<Sample> {
    let mut dice = Dice(match half {
        Half::Built => 0x1234_5678_9abc_def1,
        Half::HeldOut => 0x0fed_cba9_8765_4321,
    });
    let mut samples = Vec::new();
    for _ in 0..6 {
        for (kind, hide) in HIDINGS {
            let secret = tokens(half, &mut dice);
            let hidden = hide(&secret, &mut dice);
            let frame = dice.pick(frames(half));
            samples.push(Sample {
                text: frame.replacen("{}", &hidden, 1),
                secret,
                hidden: vec![hidden],
                kind: format!("{kind} in {frame:?}"),
            });
        }
        for (_, frame) in JOINS.iter().filter(|(of, _)| *of == half) {
            let secret = tokens(half, &mut dice);
            let (a, b) = cut(&secret, &mut dice);
            samples.push(Sample {
                text: frame.replacen("{}", &a, 1).replacen("{}", &b, 1),
                secret,
                hidden: vec![a, b],
                kind: format!("joined {frame:?}"),
            });
        }
        for (_, frame) in KEYS.iter().filter(|(of, _)| *of == half) {
            let secret = password(half, &mut dice);
            samples.push(Sample {
                text: frame.replacen("{}", &secret, 1),
                hidden: vec![secret.clone()],
                secret,
                kind: format!("key {frame:?}"),
            });
        }
        samples.push(wrapped(half, &mut dice));
        samples.push(wrapped(half, &mut dice));
    }
    samples
}

/// A terminal's lines, one of which a token goes over.
fn wrapped(half: Half, dice: &mut Dice) -> Sample {
    let (width, intro) = match half {
        Half::Built => (
            80,
            "$ cat .env | sort\nAPI_TOKEN is set to the value of yesterday, which was ",
        ),
        Half::HeldOut => (
            60 + dice.below(90),
            "10:12:31 WARN worker-3: the registry answered 403 to the request that came with ",
        ),
    };
    let secret = tokens(half, dice);
    let start = intro.rfind('\n').map_or(0, |at| at + 1);
    let before = intro.len() - start;
    let padding = (width + width - (before % width) - 4 - dice.below(secret.len() - 8)) % width;
    let line: String = format!(
        "{}{} {secret} and so on",
        &intro[start..],
        "x ".repeat(padding / 2)
    );
    let lines: Vec<&str> = line
        .as_bytes()
        .chunks(width)
        .filter_map(|chunk| std::str::from_utf8(chunk).ok())
        .collect();
    Sample {
        text: intro[..start].to_owned() + &lines.join("\n") + "\n$ \n",
        hidden: vec![secret.clone()],
        secret,
        kind: format!("wrapped at {width}"),
    }
}

/// Whether a part of the secret that gives it away is left.
fn is_left(sample: &Sample, text: &str) -> bool {
    let windows = |whole: &str, width: usize| {
        let chars: Vec<char> = whole.chars().collect();
        let width = width.min(chars.len());
        let parts: Vec<String> = chars
            .windows(width)
            .map(|part| part.iter().collect())
            .collect();
        parts
    };
    windows(&sample.secret, 9)
        .iter()
        .any(|part| text.contains(part.as_str()))
        || sample
            .hidden
            .iter()
            .filter(|hidden| hidden.len() > 8)
            .any(|hidden| {
                windows(hidden, 24)
                    .iter()
                    .any(|part| text.contains(part.as_str()))
            })
}

fn recall(half: Half) -> (usize, Vec<String>) {
    let samples = samples(half);
    let mut missed = Vec::new();
    for sample in &samples {
        let clean = sanitize(&sample.text, &RuleGroup::REMOVAL);
        if is_left(sample, &clean.text) {
            missed.push(format!(
                "{}\n  from {:?}\n  to   {:?}",
                sample.kind, sample.text, clean.text
            ));
        }
        let again = sanitize(&clean.text, &RuleGroup::REMOVAL);
        assert_eq!(
            again.text, clean.text,
            "unchanged when it is sanitized again: {:?}",
            sample.text
        );
        assert!(
            check(&clean.text, &RuleGroup::REMOVAL).is_empty(),
            "clean: {:?}",
            clean.text
        );
        let lines = |text: &str| text.split('\n').count();
        assert_eq!(
            lines(&clean.text),
            lines(&sample.text),
            "lines stay: {:?}",
            sample.text
        );
    }
    (samples.len(), missed)
}

#[test]
fn hidden_secrets_are_found() {
    for half in [Half::Built, Half::HeldOut] {
        let (count, missed) = recall(half);
        let share = 100.0 - missed.len() as f64 * 100.0 / count as f64;
        eprintln!("{share:.1} % of {count} found");
        missed
            .iter()
            .for_each(|missed| eprintln!("missed: {missed}"));
        assert!(share >= 97.0, "{share:.1} % of {count}");
    }
}

/// Frames that say nothing about what stands in them. (Behind a key, what is encoded beyond reading
/// is taken for a secret, as it always was.)
fn harmless_frames(half: Half) -> &'static [&'static str] {
    match half {
        Half::Built => &[
            "2026-11-02 10:12 error: cannot open {} in request\n",
            "see `{}` for details\n",
            "<p>The answer is {} now.</p>\n",
            "{\"log\": \"step with {} failed\", \"n\": 3}\n",
        ],
        Half::HeldOut => &[
            "src/main.rs:12:  let x = f({});\nnext line\n",
            "We changed {} yesterday, please update.\n",
            "| column | {} |\n",
            "echo '{}' | tee -a out.txt\n",
            "- title: \"{}\"\n  order: 3\n",
            "warning: {}\r\nfatal: stop\r\n",
        ],
    }
}

/// Words and constructs that are harmless however they are written.
fn harmless(half: Half) -> &'static [&'static str] {
    match half {
        Half::Built => &[
            "user_name and file-name.txt",
            "see docs/README_v2.md for get_user_by_id_v2",
            "sha256-of-build 1.2.3-beta.4",
            "GET /api/v1/items?sort=name&order=asc",
            "The quick brown fox jumps over 13 lazy dogs",
            "token expired, password required",
            "MAX_CONNECTIONS_PER_HOST_V2 = 1024",
        ],
        Half::HeldOut => &[
            "the password must contain 8 characters",
            "const value_of_item_2 = list[0] * 3",
            "src/components/user-profile/index_v3.test.tsx",
            "error E0382: borrow of moved value",
            "sum(a_1 * b_2) >= 0.75 and x != y",
            "release-notes-2026-11-02_final.html",
            "npm install --save-dev typescript@5.4.2 eslint-plugin-react",
            "commit 3f2a9c1 fixes issue 4821 in parser",
        ],
    }
}

#[test]
fn harmless_texts_stay_as_they_are() {
    for half in [Half::Built, Half::HeldOut] {
        let mut dice = Dice(0x5eed_5eed_5eed_5eed);
        let (mut count, mut changed) = (0, Vec::new());
        for words in harmless(half) {
            for (kind, hide) in HIDINGS {
                let hidden = hide(words, &mut dice);
                for frame in harmless_frames(half) {
                    // What nobody sees goes from any text.
                    let text = frame
                        .replacen("{}", &hidden, 1)
                        .replace(['\u{200b}', '\u{ad}'], "");
                    count += 1;
                    let clean = sanitize(&text, &RuleGroup::REMOVAL).text;
                    if clean != text {
                        changed.push(format!("{kind}: {text:?}\n  to {clean:?}"));
                    }
                }
            }
        }
        let share = changed.len() as f64 * 100.0 / f64::from(count);
        eprintln!("{share:.2} % of {count} changed");
        changed
            .iter()
            .for_each(|changed| eprintln!("changed: {changed}"));
        assert!(share <= 1.0, "{share:.2} % of {count}");
    }
}
