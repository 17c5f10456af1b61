//! The client's messages for people are in their language; its output for programs is not translated.

use recall_kit_tests::{Home, Keystroke, Output, Server, client, on_terminal, run};
use serde_json::Value;
use uuid::Uuid;

/// One language, and words that the output of each command contains in it.
struct Language {
    locale: &'static str,
    /// `outbox list`, `outbox drop` of an unknown id, and a submission that is kept in the outbox.
    outbox: [&'static str; 3],
    /// `doctor` for a reachable server, and for an unreachable one.
    doctor: [&'static str; 2],
    /// `query -v`, `sanitize`, and `sanitize --check` of a mail address and of a file that is not text.
    others: [&'static str; 4],
    /// Ctrl-C at a prompt.
    interrupted: &'static str,
}

const LANGUAGES: [Language; 3] = [
    Language {
        locale: "en_GB.UTF-8",
        outbox: [
            "waiting  Kept",
            "the outbox has no experience",
            "it waits in the outbox",
        ],
        doctor: ["removes a planted key", "start the server"],
        others: [
            "about: network",
            "found 1 × e-mail address",
            "-:1:1: e-mail address, replaced by user@example.com",
            "binary:1:1: not checked: not UTF-8",
        ],
        interrupted: "interrupted: nothing was sent",
    },
    Language {
        locale: "zh_CN.UTF-8",
        outbox: ["等待中  Kept", "没有编号为", "已存入发件箱"],
        doctor: ["能移除植入的测试密钥", "请启动服务器"],
        others: [
            "问题类型：",
            "发现 1 × 邮箱地址",
            "-:1:1: 邮箱地址，将替换为 user@example.com",
            "binary:1:1: 无法判断：不是 UTF-8 编码",
        ],
        interrupted: "已中断: 未发送任何内容",
    },
    Language {
        locale: "fr_FR.UTF-8",
        outbox: ["attend  Kept", "rien n'attend sous", "boîte d'envoi"],
        doctor: ["retire une clé d'essai", "démarrez le serveur"],
        others: [
            "sujet\u{a0}: ",
            "trouvé\u{a0}: 1 × adresse électronique",
            "-:1:1: adresse électronique, devient user@example.com",
            "binary:1:1: non jugé\u{a0}: ce n'est pas de l'UTF-8",
        ],
        interrupted: "interrompu\u{a0}: rien n'a été envoyé",
    },
];

impl Language {
    async fn says(&self, home: &Home, args: &[&str], input: &str) -> Output {
        let mut command = client(home, args);
        command.env("LC_ALL", self.locale);
        let output = run(command, input).await;
        assert!(!output.stderr.contains("panicked"), "{output:?}");
        output
    }
}

/// Checks that the output contains the words, on either stream.
fn check(output: &Output, words: &str) {
    let all = format!("{}{}", output.stdout, output.stderr);
    assert!(all.contains(words), "{words}: {all}");
}

#[tokio::test]
async fn every_command_speaks_the_users_language() {
    let home = Home::new();
    home.write("binary", [0xff, 0xfe]);
    let server = Server::start(&home).await;
    let gone = Server::start(&Home::new()).await;
    let (here, nobody) = (server.wire.base().to_owned() + "/mcp", {
        let url = gone.wire.base().to_owned() + "/mcp";
        gone.stop().await;
        url
    });
    for language in &LANGUAGES {
        let says = async |args: &[&str], input: &str| language.says(&home, args, input).await;
        let submit = ["--server", &nobody, "submit", "--yes", "--title", "Kept"];
        let submit = [&submit[..], &["--problem", "p", "--solution", "s"]].concat();
        check(&says(&submit, "").await, language.outbox[2]);
        check(&says(&["outbox", "list"], "").await, language.outbox[0]);
        let unknown = Uuid::new_v4().to_string();
        let drop = says(&["outbox", "drop", &unknown], "").await;
        check(&drop, language.outbox[1]);

        for (url, words) in [(&here, language.doctor[0]), (&nobody, language.doctor[1])] {
            check(&says(&["--server", url, "doctor"], "").await, words);
            // JSON output is the same in every language.
            let report = says(&["--server", url, "--json", "doctor"], "").await;
            let report: Value = serde_json::from_str(&report.stdout).unwrap();
            assert_eq!(report["checks"][0]["name"], "configuration");
            assert_eq!(
                report["checks"][0]["detail"],
                "no file found, the defaults apply"
            );
        }

        let query = ["--server", &here, "-v", "query", "connection refused"];
        check(&says(&query, "").await, language.others[0]);
        let mail = ["ada", "oakmere-clinic.net"].join("@");
        check(&says(&["sanitize"], &mail).await, language.others[1]);
        let checked = says(&["sanitize", "--check"], &mail).await;
        check(&checked, language.others[2]);
        let checked = says(&["sanitize", "--check", "binary"], "").await;
        check(&checked, language.others[3]);
    }
}

#[tokio::test]
async fn an_interrupted_dialogue_says_so_in_the_users_language() {
    let home = Home::new();
    for language in &LANGUAGES {
        let mut submit = client(&home, &["submit", "--title", "t", "--problem", "p"]);
        submit
            .args(["--solution", "s"])
            .env("LC_ALL", language.locale);
        let interrupt = Keystroke {
            after: "p\r\n",
            keys: "\u{3}",
        };
        let output = on_terminal(&home, &submit, &[interrupt]).await;
        output.expect_code(130);
        check(&output, language.interrupted);
    }
}
