//! Reads a key's meaning from its words: does `name = value` name a secret, and which?

use crate::evidence::wordlike::words;

/// What a key promises about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A password or passphrase: nearly any literal value is one.
    Password,
    /// A token, secret or API key: a value not made of words is one.
    Token,
    /// `key`, `auth`, `session` alone: only a long opaque value is a secret.
    Weak,
    /// An `Authorization` header: a scheme may stand before the secret.
    Header,
}

/// A key that names a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecretKey {
    pub(crate) meaning: Meaning,
    /// The rule's id.
    pub(crate) rule: &'static str,
    /// What it is, in words.
    pub(crate) kind: &'static str,
    pub(crate) placeholder: &'static str,
}

const PASSWORD: SecretKey = secret(
    Meaning::Password,
    "keyed-password",
    "password",
    "YOUR_PASSWORD",
);
const TOKEN: SecretKey = secret(Meaning::Token, "keyed-token", "token", "YOUR_TOKEN");
const SECRET: SecretKey = secret(Meaning::Token, "keyed-secret", "secret", "YOUR_SECRET");
const API_KEY: SecretKey = secret(Meaning::Token, "keyed-api-key", "API key", "YOUR_API_KEY");
const WEAK_KEY: SecretKey = secret(Meaning::Weak, "keyed-key", "key", "YOUR_API_KEY");
const WEAK_TOKEN: SecretKey = secret(
    Meaning::Weak,
    "keyed-credential",
    "credential",
    "YOUR_TOKEN",
);
const HEADER: SecretKey = secret(
    Meaning::Header,
    "authorization-header",
    "authorization header",
    "YOUR_TOKEN",
);

const fn secret(
    meaning: Meaning,
    rule: &'static str,
    kind: &'static str,
    placeholder: &'static str,
) -> SecretKey {
    SecretKey {
        meaning,
        rule,
        kind,
        placeholder,
    }
}

/// Text that begins the search for a key; every key of [`meaning`] contains one, case ignored.
pub(crate) const KEY_MARKS: &[&str] = &[
    "pass",
    "pwd",
    "psw",
    "psk",
    "pw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "bearer",
    "sig",
    "cookie",
    "session",
    "sid",
    "pat",
    "jwt",
    "mnemonic",
    "salt",
    "pepper",
    "otp",
    "sas",
    "webhook",
    "code",
    "senha",
    "kennwort",
    "wachtwoord",
    "salasana",
    "heslo",
    "kodeord",
    "haslo",
    "sifre",
    "contrasena",
];

/// What begins a statement that lists names and values apart.
pub(crate) const STATEMENT: &str = "insert";

/// Labels in scripts without letter case: the whole label is the key.
pub(crate) const LABELS: &[(&str, SecretKey)] = &[
    ("密码", PASSWORD),
    ("密碼", PASSWORD),
    ("口令", PASSWORD),
    ("暗号", PASSWORD),
    ("パスワード", PASSWORD),
    ("パスフレーズ", PASSWORD),
    ("비밀번호", PASSWORD),
    ("암호", PASSWORD),
    ("пароль", PASSWORD),
    ("mot de passe", PASSWORD),
    ("contraseña", PASSWORD),
    ("hasło", PASSWORD),
    ("Hasło", PASSWORD),
    ("lösenord", PASSWORD),
    ("şifre", PASSWORD),
    ("mật khẩu", PASSWORD),
    ("รหัสผ่าน", PASSWORD),
    ("كلمة المرور", PASSWORD),
    ("סיסמה", PASSWORD),
    ("κωδικός", PASSWORD),
    ("पासवर्ड", PASSWORD),
    ("Пароль", PASSWORD),
    ("密钥", API_KEY),
    ("密鑰", API_KEY),
    ("金鑰", API_KEY),
    ("秘钥", API_KEY),
    ("私钥", API_KEY),
    ("キー", API_KEY),
    ("키", API_KEY),
    ("ключ", API_KEY),
    ("令牌", TOKEN),
    ("凭证", TOKEN),
    ("トークン", TOKEN),
    ("토큰", TOKEN),
    ("токен", TOKEN),
    ("授权码", TOKEN),
    ("シークレット", SECRET),
    ("시크릿", SECRET),
    ("秘密鍵", SECRET),
    ("секрет", SECRET),
];

/// Words that may follow without changing what is named: `SECRET_KEY_BASE`, `token_prod`, `password2`.
const TRAILING: &[&str] = &[
    "value",
    "default",
    "raw",
    "plain",
    "plaintext",
    "old",
    "new",
    "current",
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "testing",
    "live",
    "env",
    "str",
    "string",
    "text",
    "b64",
    "base64",
    "base",
    "staging",
    "stage",
    "primary",
    "secondary",
    "backup",
    "local",
    "main",
    "var",
    "const",
    "hex",
    "v",
    "here",
    "override",
    "confirm",
    "confirmation",
];

/// Words before `key` that make it a secret.
const SECRET_KEYS: &[&str] = &[
    "api",
    "app",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "sign",
    "master",
    "account",
    "license",
    "licence",
    "service",
    "client",
    "shared",
    "storage",
    "subscription",
    "webhook",
    "session",
    "admin",
    "consumer",
    "deploy",
    "write",
    "read",
    "ingest",
    "ingestion",
    "integration",
    "live",
    "prod",
    "security",
    "crypto",
    "aes",
    "hmac",
    "jwt",
    "rest",
    "server",
    "tenant",
    "vault",
    "host",
    "connection",
    "data",
    "functions",
    "sas",
    "ssh",
];

/// Words before `key` that make it something else.
const OTHER_KEYS: &[&str] = &[
    "public",
    "publishable",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "row",
    "hash",
    "range",
    "composite",
    "unique",
    "index",
    "idempotency",
    "shortcut",
    "hot",
    "arrow",
    "map",
    "dict",
    "object",
    "registry",
    "lookup",
    "group",
    "order",
    "natural",
    "translation",
    "i18n",
    "message",
    "routing",
    "config",
    "json",
    "field",
    "column",
    "parent",
    "query",
    "react",
    "state",
    "enter",
    "escape",
    "tab",
    "shift",
    "ctrl",
    "modifier",
    "default",
    "current",
    "next",
    "prev",
    "previous",
    "first",
    "last",
    "any",
    "each",
    "label",
    "sorting",
    "local",
    "candidate",
    "metric",
    "topic",
    "kafka",
    "project",
    "issue",
    "ticket",
    "theme",
    "color",
    "feature",
    "flag",
    "event",
    "context",
    "setting",
    "settings",
    "node",
    "list",
    "item",
    "entity",
    "record",
    "document",
    "doc",
    "path",
    "name",
    "title",
    "known",
    "release",
    "rsa",
    "pub",
    "verify",
    "verification",
    "musical",
    "piano",
    "dedupe",
    "dedup",
    "search",
    "this",
    "that",
    "the",
    "a",
    "an",
    "one",
    "same",
    "surrogate",
    "join",
    "s3",
    "bucket",
    "file",
    "blob",
    "cookie",
];

/// Words before `token` that make it a piece of text or a cursor.
const OTHER_TOKENS: &[&str] = &[
    "cancellation",
    "eos",
    "bos",
    "pad",
    "sep",
    "mask",
    "unk",
    "stop",
    "sync",
    "csrf",
];

/// Returns what a key names, or nothing when it does not name a secret.
pub(crate) fn meaning(key: &str) -> Option<SecretKey> {
    if key.starts_with("YOUR_") {
        return None;
    }
    let words = words(key);
    let mut words = &*words;
    let last = loop {
        let (last, before) = words.split_last()?;
        words = before;
        let trailing = |word: &&str| word.eq_ignore_ascii_case(last);
        let number = last.bytes().all(|b| b.is_ascii_digit());
        if !number && (before.is_empty() || !TRAILING.iter().any(trailing)) {
            break last;
        }
    };
    let before = words.last().copied().unwrap_or_default();
    let (mut room, mut more) = (Room::default(), Room::default());
    let (last, before) = (room.lower_case(last)?, more.lower_case(before)?);
    by_last_word(last, before).or_else(|| by_ending(last))
}

/// Room for a word in lower case; longer ones name nothing.
struct Room([u8; 128]);

impl Default for Room {
    fn default() -> Self {
        Self([0; 128])
    }
}

impl Room {
    fn lower_case(&mut self, word: &str) -> Option<&str> {
        let room = self.0.get_mut(..word.len())?;
        room.copy_from_slice(word.as_bytes());
        room.make_ascii_lowercase();
        std::str::from_utf8(room).ok()
    }
}

fn by_last_word(last: &str, before: &str) -> Option<SecretKey> {
    let found = match last {
        "password" | "passwd" | "pwd" | "psw" | "passphrase" | "passcode" | "passwort"
        | "kennwort" | "senha" | "contrasena" | "pswd" | "userpass" | "psk" | "wachtwoord"
        | "salasana" | "heslo" | "kodeord" | "passord" | "haslo" | "sifre" => PASSWORD,
        "pass" | "pw" if before != "by" && before != "second" => PASSWORD,
        "token" if matches!(before, "page" | "next" | "continuation" | "pagination") => {
            return None;
        }
        "token" if OTHER_TOKENS.contains(&before) => WEAK_TOKEN,
        "token" | "pat" | "jwt" | "bearer" | "authtoken" | "xsrf" => TOKEN,
        "secret" => SECRET,
        "apikey" | "appkey" | "accesskey" | "secretkey" | "authkey" | "apitoken" | "privatekey"
        | "licensekey" => API_KEY,
        "key" if before.is_empty() => WEAK_KEY,
        "key" if SECRET_KEYS.contains(&before) => key_after(before),
        "key" if OTHER_KEYS.contains(&before) => return None,
        "key" => WEAK_KEY,
        "id" if before == "secret" => SECRET,
        "id" if before == "session" => WEAK_TOKEN,
        "id" if before == "key" => WEAK_KEY,
        "authorization" => HEADER,
        "credential" | "credentials" | "creds" | "cred" | "auth" | "cookie" | "session"
        | "sessionid" | "sid" | "signature" | "sig" | "mnemonic" | "salt" | "pepper" | "otp"
        | "sas" => WEAK_TOKEN,
        "code"
            if matches!(
                before,
                "auth" | "authorization" | "device" | "invite" | "backup" | "recovery"
            ) =>
        {
            WEAK_TOKEN
        }
        "webhook" => WEAK_TOKEN,
        _ => return None,
    };
    Some(found)
}

fn key_after(before: &str) -> SecretKey {
    match before {
        "private" | "secret" | "signing" | "sign" | "encryption" | "session" | "jwt" | "hmac"
        | "aes" | "crypto" => SECRET,
        "data" | "host" | "storage" | "read" | "write" | "ssh" | "server" | "sas" | "service" => {
            WEAK_KEY
        }
        _ => API_KEY,
    }
}

/// Words run together in lower case: `githubtoken`, `dbpassword`.
fn by_ending(last: &str) -> Option<SecretKey> {
    const ENDINGS: &[(&str, SecretKey)] = &[
        ("password", PASSWORD),
        ("passwd", PASSWORD),
        ("passphrase", PASSWORD),
        ("token", TOKEN),
        ("secret", SECRET),
        ("apikey", API_KEY),
        ("accesskey", API_KEY),
        ("secretkey", SECRET),
        ("authkey", API_KEY),
        ("pwd", PASSWORD),
    ];
    ENDINGS
        .iter()
        .find(|(ending, _)| last.len() > ending.len() && last.ends_with(ending))
        .map(|(_, key)| *key)
}

#[cfg(test)]
mod tests;
