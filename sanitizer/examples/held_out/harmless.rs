//! Texts that look like secrets and hold none: they have to come back as they were.

use super::dice::{BASE64, DIGITS, Dice, HEX};

type Make = fn(&mut Dice) -> String;

/// Each with what it is.
pub(crate) const TEXTS: &[(&str, Make)] = &[
    ("commit", |d| {
        format!("commit {}\nDate: Mon Mar 3 10:00:00 2025\n", d.run(HEX, 40))
    }),
    ("short commit", |d| {
        format!("Fix the parser ({})\n", d.run(HEX, 9))
    }),
    ("digest", |d| {
        format!("image: alpine@sha256:{}\n", d.run(HEX, 64))
    }),
    ("checksum file", |d| {
        format!("{}  archive.tar.gz\n", d.run(HEX, 64))
    }),
    ("integrity", |d| {
        format!("\"integrity\": \"sha512-{}==\"\n", d.run(BASE64, 86))
    }),
    ("go sum", |d| {
        format!("github.com/pkg/errors v0.9.1 h1:{}=\n", d.run(BASE64, 43))
    }),
    ("uuid", |d| {
        format!("{{\"id\": \"{}\", \"state\": \"open\"}}\n", d.uuid())
    }),
    ("request id", |d| {
        format!("INFO request_id={} took 12 ms\n", d.uuid())
    }),
    ("trace id", |d| {
        format!("traceparent: 00-{}-{}-01\n", d.run(HEX, 32), d.run(HEX, 16))
    }),
    ("asset", |d| {
        format!(
            "<script src=\"/assets/main.{}.js\"></script>\n",
            d.run(HEX, 8)
        )
    }),
    ("version", |d| {
        format!(
            "serde = \"{}.{}.{}\"\n",
            d.below(9),
            d.below(90),
            d.below(400)
        )
    }),
    ("time", |d| {
        format!(
            "at 2026-0{}-1{}T10:1{}:00Z\n",
            1 + d.below(9),
            d.below(9),
            d.below(9)
        )
    }),
    ("colour", |d| {
        format!("a {{ color: #{}; }}\n", d.run(HEX, 6))
    }),
    ("number", |d| {
        format!("let count = {};\n", d.run("123456789", 9))
    }),
    ("placeholder", |d| {
        let value = *d.one_of(&[
            &"your-api-key-here",
            &"<API_KEY>",
            &"changeme",
            &"xxxxxxxxxxxxxxxx",
            &"${API_KEY}",
            &"{{ api_key }}",
            &"REPLACE_ME",
            &"$API_KEY",
        ]);
        format!("API_KEY={value}\n")
    }),
    ("reference", |d| {
        let value = *d.one_of(&[
            &"process.env.API_TOKEN",
            &"os.environ[\"API_TOKEN\"]",
            &"config.token",
            &"getToken()",
            &"std::env::var(\"API_TOKEN\")?",
            &"secrets.API_TOKEN",
        ]);
        format!("const token = {value};\n")
    }),
    ("loopback", |d| {
        let host = *d.one_of(&[&"localhost", &"127.0.0.1", &"0.0.0.0", &"[::1]"]);
        format!("listening on http://{host}:{}\n", 3000 + d.below(5000))
    }),
    ("example host", |d| {
        let host = *d.one_of(&[&"example.com", &"api.example.org", &"db.example.net"]);
        format!("curl https://{host}/v1/orders/{}\n", d.run(DIGITS, 4))
    }),
    ("documentation", |d| {
        let page = *d.one_of(&[
            &"docs.rs/serde/latest/serde",
            &"developer.mozilla.org/en-US/docs/Web/API",
            &"docs.python.org/3/library/os.html",
            &"github.com/rust-lang/rust/issues/1",
        ]);
        format!("// see https://{page}\n")
    }),
    ("home of nobody", |d| {
        let home = *d.one_of(&[
            &"/home/runner/work",
            &"/root/.cargo",
            &"/home/node/app",
            &"~/src",
        ]);
        format!("cd {home}\n")
    }),
    ("keys that are none", |d| {
        let line = *d.one_of(&[
            &"primary_key = [\"id\", \"name\"]",
            &"if event.key == \"ArrowUp\" {",
            &"map.key(\"user\")",
            &"let tokens = tokenize(\"a b c\");",
            &"cache_key: users-v2",
            &"password: String,",
            &"passwordField.setText(\"\")",
            &"secret_name: billing-db",
        ]);
        format!("{line}\n")
    }),
    ("netmask", |d| {
        format!(
            "inet 127.0.0.1 netmask 255.255.{}.0\n",
            d.one_of(&["0", "255"])
        )
    }),
    ("prose", |d| {
        let text = *d.one_of(&[
            &"The token expires after an hour, and the client asks for another one.",
            &"Passwords must have at least 12 characters and one digit.",
            &"Set the key first, then restart the service.",
            &"密码长度不能少于八位。",
        ]);
        format!("{text}\n")
    }),
];
