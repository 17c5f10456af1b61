//! Judges what a sentence tells to be a password: words for one, what ties them, and a value that is no word.

use super::{is_format, is_no_word, is_password, is_said_phrase, is_short_token};
use crate::secrets::value::is_opaque;
use crate::text::tail;
use crate::words::message;

/// How much before a value is read, in bytes.
const MAX_LEAD: usize = 120;

/// Words for passwords in the languages that the sanitizer reads, in lower case.
const NOUNS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pass phrase",
    "passcode",
    "pwd",
    "pw",
    "pass",
    "passwort",
    "kennwort",
    "mot de passe",
    "mdp",
    "contraseña",
    "contrasena",
    "clave",
    "senha",
    "пароль",
    "пароля",
    "паролем",
    "паролю",
    "пароли",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "パスフレーズ",
    "パス",
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
    "login",
    "creds",
    "credentials",
    "wachtwoord",
    "parola",
    "hasło",
];

/// What behind such a word says that something about passwords is told, not one of them.
const ABOUT: &[&str] = &[
    "manager",
    "reset",
    "hash",
    "hashes",
    "hashing",
    "length",
    "policy",
    "policies",
    "field",
    "file",
    "files",
    "generator",
    "strength",
    "protected",
    "protection",
    "rotation",
    "expiry",
    "expiration",
    "history",
    "rules",
    "rule",
    "requirements",
    "prompt",
    "column",
    "table",
    "parameter",
    "argument",
    "option",
    "flag",
    "validation",
    "validator",
    "entropy",
    "dialog",
    "form",
    "input",
    "box",
    "link",
    "page",
    "url",
    "email",
    "screen",
    "check",
    "spray",
    "spraying",
    "auth",
    "authentication",
    "encoder",
    "encryption",
    "store",
    "vault",
    "database",
    "cracking",
    "list",
    "grant",
    "fail",
    "rate",
    "count",
    "test",
    "tests",
    "id",
    "ids",
    "through",
    "by",
    "over",
    "port",
    "version",
    "page",
    "länge",
    "richtlinie",
    "hashwert",
    "feld",
    "oublié",
    "longueur",
    "politique",
    "olvidada",
    "longitud",
    "política",
    "esquecida",
    "comprimento",
    "长度",
    "策略",
    "强度",
    "哈希",
    "错误",
    "错误次数",
    "重置",
    "管理",
    "ポリシー",
    "リセット",
    "長さ",
    "정책",
    "길이",
    "재설정",
];

/// Whether a value behind words for a password is one.
pub fn is_told(before: &str, value: &str, after: &str) -> bool {
    let stem = value
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
        .to_lowercase();
    tells_password(before)
        && !ABOUT.contains(&&*stem)
        && !after.starts_with(['(', '[', '='])
        && is_value(value)
}

/// Whether quoted words behind words for a password are one, however much they look like words.
pub fn is_told_in_quotes(before: &str, value: &str) -> bool {
    tells_password(before)
        && !ABOUT.contains(&&*value.to_lowercase())
        && !message::is_message(value)
        && !message::is_predicate(value)
        && !message::is_foreign_predicate(value)
        && !is_format(value)
        && (is_password(value, true) || is_said_phrase(value))
}

/// Whether the line so far names a password, and nothing about passwords.
fn tells_password(before: &str) -> bool {
    let line = tail(before, MAX_LEAD)
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let Some(between) = behind_noun(&line) else {
        return false;
    };
    let word = between
        .trim_start_matches([' ', '-', '_'])
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default();
    let joined = between.starts_with(['_', '-', '.', '/', '('])
        || !between.is_ascii() && ABOUT.iter().any(|about| between.starts_with(about));
    !joined && !ABOUT.contains(&word)
}

/// What stands behind the last word for a password.
fn behind_noun(line: &str) -> Option<&str> {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    let ends = NOUNS.iter().filter_map(|noun| {
        let start = line.rfind(noun)?;
        let end = start + noun.len();
        let before = line.get(..start)?.chars().next_back();
        let after = line.get(end..)?.chars().next();
        let whole = !noun.is_ascii() || !inside(after) && (!inside(before) || noun.len() > 5);
        whole.then_some(end)
    });
    line.get(ends.max()?..)
}

/// A password that is no word of the sentence.
pub fn is_value(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let decimal = value.starts_with(|c: char| c.is_ascii_digit()) && value.contains('.');
    letters >= 2
        && value.len() >= 6
        && !decimal
        && is_no_word(value)
        && is_password(value, true)
        && !is_format(value)
        && !is_ordinal_or_size(value)
        && !value.contains("//")
        && !value.starts_with('/')
        && !value.contains('\\')
        && !value.contains(['<', '>', '{', '}'])
}

/// `1st`, `24h`, `v1.2`, `2FA`, `SHA-256`, `8-digit`, `10x`: what sentences hold besides.
fn is_ordinal_or_size(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let first = value.chars().next().is_some_and(|c| c.is_ascii_digit());
    let shouted = !value.bytes().any(|b| b.is_ascii_lowercase());
    value.len() < 6 && (first || shouted || letters <= 2)
        || first
            && value
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .starts_with('-')
            && digits <= 2
        || value.starts_with(['v', 'V']) && value.contains('.') && letters <= 2
}

/// Whether a value behind words for a key or a token is one that somebody chose.
pub fn is_told_token(before: &str, value: &str, after: &str) -> bool {
    let line = tail(before, MAX_LEAD)
        .rsplit('\n')
        .next()
        .unwrap_or_default();
    let calls =
        after.starts_with(['(', '[', '=', '/']) || line.ends_with(['/', '.', '-', '_', '$']);
    !calls
        && value.len() >= 8
        && (is_short_token(value) || is_opaque(value, 24))
        && value.bytes().any(|b| b.is_ascii_alphabetic())
}
