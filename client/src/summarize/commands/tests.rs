//! Commands in drafts, and those that do not occur in the conversation.

#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn commands_in_drafts_are_found() {
    for (text, expected) in [
        (
            "Run `npm ci` and `cargo build --release`, not `useState`.",
            vec!["npm ci", "cargo build --release"],
        ),
        ("$ make -j4\nok", vec!["make -j4"]),
        (
            "```sh\n# first\ncargo clean\necho done\n```",
            vec!["cargo clean", "echo done"],
        ),
        (
            "```bash\n\nmytool --wipe /srv\n./fix.sh\n```",
            vec!["mytool --wipe /srv", "./fix.sh"],
        ),
        ("```rust\nlet x = 1;\n```", vec![]),
        (
            "```\ngit pull --rebase\nAlready up to date.\n```",
            vec!["git pull --rebase"],
        ),
        // The output of a program is not a command, whatever its lines begin with.
        (
            "```console\n$ npm run build\n> app@1.0.0 build\nerror TS2307\n\ndev@box:~/app$ npm ci\nadded 3\n```",
            vec!["npm run build", "npm ci"],
        ),
        (
            "```powershell\nPS C:\\app> mytool --wipe\nDone.\nPS> gci\n```",
            vec!["mytool --wipe", "gci"],
        ),
        (
            "```cmd\n> mytool --wipe\nDone.\n```\n```js\n> 1 + 1\n2\n```",
            vec!["mytool --wipe"],
        ),
        ("```\n$ mytool\ngit says no\n```", vec!["mytool"]),
        // A command continues after a backslash, and the text continues after a fence.
        (
            "```sh\ndocker run \\\n  --privileged x\n```\nRun `npm ci`.",
            vec!["docker run --privileged x", "npm ci"],
        ),
        (
            "Then run docker compose up -d, and wait.",
            vec!["docker compose up -d"],
        ),
        (
            "Running pip install numpy again fixes it.",
            vec!["pip install numpy"],
        ),
        (
            "先运行 npm install react，再启动。",
            vec!["npm install react"],
        ),
        ("Lancez cargo update puis recompilez.", vec!["cargo update"]),
        ("We run tests on CI. Go is fine, make it so.", vec![]),
    ] {
        assert_eq!(commands_in(text), expected, "{text}");
    }
}

#[test]
fn unknown_commands_are_reported_once_with_their_field() {
    let transcript = "User: `npm ERR! ERESOLVE`\nAssistant: I ran npm  install \"--legacy-peer-deps\" && npm test";
    let conversation = Conversation::read(transcript).unwrap();
    let draft = Draft {
        context: Some("```sh\nnpm install --force\nnpm test\n```".to_owned()),
        ..Draft::new(
            "npm",
            "`npm ci --no` fails",
            "Run `npm install --legacy-peer-deps && npm test` or `npm install --force`",
        )
    };
    let unknown: Vec<_> = unknown(&draft, &conversation)
        .into_iter()
        .map(|remark| match remark {
            Remark::UnknownCommand { field, command } => (field, command),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        ("problem_description", "npm ci --no".to_owned()),
        ("solution", "npm install --force".to_owned()),
    ];
    assert_eq!(unknown, expected);
}
