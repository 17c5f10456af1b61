//! Places in which values stand: notations of languages, files, commands, logs and prose.
//!
//! `{k}` is a key in the frame's own spelling, `{v}` the value.

use super::values::Needs;

/// How a key is spelt.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spelling {
    /// `ACME_API_TOKEN`
    Loud,
    /// `acme_api_token`
    Snake,
    /// `acmeApiToken`
    Camel,
    /// `acme-api-token`
    Kebab,
}

impl Spelling {
    pub(crate) fn spell(self, words: &[&str]) -> String {
        match self {
            Self::Loud => words.join("_").to_uppercase(),
            Self::Snake => words.join("_"),
            Self::Kebab => words.join("-"),
            Self::Camel => {
                let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
                words[0].to_owned() + &words[1..].iter().map(capital).collect::<String>()
            }
        }
    }
}

use Spelling::{Camel, Kebab, Loud, Snake};

/// What follows the name of the owner in a key.
pub(crate) const SECRET_NAMES: &[&[&str]] = &[
    &["api", "key"],
    &["api", "token"],
    &["secret"],
    &["access", "token"],
    &["secret", "key"],
    &["auth", "token"],
    &["client", "secret"],
];
pub(crate) const PASSWORD_NAMES: &[&[&str]] = &[&["password"], &["db", "password"], &["passwd"]];

/// Frames with a key.
pub(crate) const KEYED: &[(&str, Spelling, &str)] = &[
    (".env", Loud, "PORT=8080\n{k}={v}\nLOG_LEVEL=info\n"),
    (".env, quoted", Loud, "{k}=\"{v}\"\n"),
    (
        "shell",
        Loud,
        "#!/bin/sh\nset -e\nexport {k}='{v}'\n./run\n",
    ),
    (
        "json",
        Snake,
        "{\"name\": \"billing\", \"{k}\": \"{v}\", \"retries\": 3}",
    ),
    (
        "json, pretty",
        Camel,
        "{\n  \"port\": 80,\n  \"{k}\": \"{v}\"\n}\n",
    ),
    (
        "json in a string",
        Snake,
        "{\"body\": \"{\\\"{k}\\\": \\\"{v}\\\"}\"}",
    ),
    ("yaml", Snake, "service:\n  host: localhost\n  {k}: {v}\n"),
    ("yaml, quoted", Camel, "auth:\n  {k}: \"{v}\"\n"),
    ("kubernetes", Loud, "env:\n  - name: {k}\n    value: {v}\n"),
    ("toml", Snake, "[client]\n{k} = \"{v}\"\ntimeout = 30\n"),
    ("ini", Snake, "[client]\n{k} = {v}\n"),
    ("properties", Kebab, "spring.client.{k}={v}\n"),
    (
        "python",
        Snake,
        "client = Client({k}=\"{v}\", timeout=30)\n",
    ),
    ("python, assigned", Loud, "import os\n{k} = '{v}'\n"),
    (
        "python, fallback",
        Loud,
        "k = os.environ.get(\"{k}\", \"{v}\")\n",
    ),
    (
        "javascript",
        Camel,
        "const client = new Client({ {k}: '{v}', retries: 2 });\n",
    ),
    ("typescript", Camel, "export const {k}: string = \"{v}\";\n"),
    ("go", Camel, "cfg := Config{}\n{k} := \"{v}\"\n"),
    ("rust", Loud, "const {k}: &str = \"{v}\";\n"),
    (
        "java",
        Camel,
        "private static final String {k} = \"{v}\";\n",
    ),
    (
        "c#",
        Camel,
        "var options = new Options { {k} = \"{v}\" };\n",
    ),
    ("ruby", Snake, "Client.new({k}: '{v}')\n"),
    ("php", Snake, "<?php\n$config['{k}'] = '{v}';\n"),
    ("kotlin", Camel, "val {k} = \"{v}\"\n"),
    ("swift", Camel, "let {k} = \"{v}\"\n"),
    ("c", Loud, "#define {k} \"{v}\"\n"),
    ("powershell", Loud, "$env:{k} = \"{v}\"\n"),
    (
        "terraform",
        Snake,
        "provider \"acme\" {\n  {k} = \"{v}\"\n}\n",
    ),
    ("dockerfile", Loud, "FROM alpine\nENV {k}={v}\n"),
    ("docker", Loud, "docker run -e {k}={v} app:latest\n"),
    ("flag", Kebab, "acme deploy --{k} {v} --verbose\n"),
    ("flag with a sign", Kebab, "acme deploy --{k}={v}\n"),
    ("xml", Camel, "<settings><{k}>{v}</{k}></settings>\n"),
    ("sql", Snake, "insert into t (id, {k}) values (7, '{v}');\n"),
    ("query", Snake, "GET /v1/orders?page=2&{k}={v} HTTP/1.1\n"),
    (
        "log",
        Snake,
        "2026-03-04T10:12:13Z DEBUG http: retry 2, {k}={v}, waited 30 ms\n",
    ),
    (
        "header",
        Kebab,
        "curl -H 'X-{k}: {v}' https://api.example.com/v1\n",
    ),
];

/// Frames without one.
pub(crate) const BARE: &[(&str, &str)] = &[
    ("alone", "{v}\n"),
    ("string", "send(\"{v}\")\n"),
    ("comment", "x = 1  // was {v} before\n"),
    (
        "log line",
        "2026-03-04 10:12:13,120 ERROR [worker-3] refused: {v} (attempt 2)\n",
    ),
    ("json value", "{\"result\": [\"{v}\"]}\n"),
    (
        "prose",
        "We found that {v} does not work any more, please look.\n",
    ),
    ("chinese prose", "请检查 {v} 是否正确。\n"),
    ("markdown", "- run it with `{v}`\n"),
    ("diff", "@@ -1 +1 @@\n-old\n+see {v} there\n"),
    ("csv", "id,name,x\n1,a,{v}\n"),
];

/// Whether a value fits a frame at all.
pub(crate) fn fits(frame: &str, needs: Needs) -> bool {
    // Without quotes some characters end a value there.
    needs != Needs::PasswordKey
        || !matches!(frame, "query" | "docker" | "shell" | "yaml" | "header")
}
