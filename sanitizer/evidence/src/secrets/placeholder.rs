//! Tells what stands for a value from a value: masks, things to fill in, names of what belongs there.
//!
//! A placeholder is named by its grammar. A word such as "secret" or "example" alone makes none: people
//! choose `SuperSecret123!` and `exampleCorp2023!`.

use crate::keep;
use crate::secrets::glance;
use crate::words::wordlike::{made_of_words, words};

/// Longest placeholder, in bytes.
const MAX_PLACEHOLDER: usize = 200;

/// Longest word that is cut into the words that it is run together from, in bytes.
const MAX_COMPOUND: usize = 32;

/// What a word does in a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Asks the reader to put something here: `your`, `insert`, `changeme`.
    Asks,
    /// Says that the value is an example: `test`, `dummy`, `foo`.
    Sample,
    /// Names what belongs here: `password`, `token`, `user`.
    Names,
    /// Joins or colours the others: `the`, `my`, `super`.
    Joins,
}

/// What a word in lower case does in a placeholder; nothing where it is a word of its own.
fn role(word: &str) -> Option<Role> {
    Some(match word {
        "your" | "yours" | "insert" | "replace" | "replaceme" | "changeme" | "changeit"
        | "placeholder" | "redacted" | "masked" | "removed" | "sanitized" | "fixme" | "todo"
        | "fillme" | "enter" | "votre" | "vos" | "deine" | "dein" | "ihr" | "ihre" | "suas"
        | "vuestra" | "remplacer" | "remplacez" | "changer" | "changez" | "ersetzen"
        | "eintragen" | "einsetzen" | "cambiar" | "cambiame" | "reemplazar" | "sustituir"
        | "trocar" | "substituir" | "alterar" | "preencher" | "inserire" | "sostituire"
        | "vervangen" | "invullen" | "wijzigen" | "wpisz" | "xxx" | "xxxx" | "xxxxx" | "yyy"
        | "zzz" => Role::Asks,
        "test" | "tests" | "testing" | "example" | "examples" | "sample" | "demo" | "dummy"
        | "fake" | "mock" | "mocked" | "foo" | "foobar" | "bar" | "baz" | "bogus" | "invalid"
        | "wrong" | "bad" | "good" | "valid" | "temp" | "tmp" | "todos" | "ejemplo" | "exemple"
        | "beispiel" | "exemplo" => Role::Sample,
        "password" | "passwd" | "pwd" | "pw" | "pswd" | "psw" | "passphrase" | "passcode"
        | "secret" | "secrets" | "token" | "tokens" | "key" | "keys" | "apikey" | "credential"
        | "credentials" | "creds" | "passwort" | "kennwort" | "senha" | "contrasena" | "clave"
        | "passe" | "motdepasse" | "hash" | "pin" => Role::Names,
        "pass" | "api" | "access" | "auth" | "client" | "server" | "id" | "user" | "username"
        | "name" | "login" | "value" | "string" | "text" | "host" | "db" | "database" | "app"
        | "service" | "account" | "private" | "public" | "shared" | "master" | "root" | "admin"
        | "jwt" | "bearer" | "code" | "session" | "refresh" | "signing" | "encryption"
        | "oauth" | "webhook" | "bot" | "email" | "word" | "basic" | "type" | "field" | "plain"
        | "mot" | "de" | "jeton" => Role::Joins,
        "a" | "an" | "the" | "of" | "for" | "my" | "me" | "this" | "is" | "to" | "in" | "with"
        | "and" | "or" | "not" | "real" | "actual" | "own" | "new" | "old" | "very" | "super"
        | "top" | "secure" | "strong" | "long" | "random" | "some" | "any" | "here" | "goes"
        | "put" | "fill" | "it" | "change" | "please" | "hidden" | "generated" | "unique"
        | "default" | "current" | "same" | "another" | "other" | "correct" | "su" | "tu" | "mi"
        | "mein" | "sua" | "minha" | "mon" | "ma" | "la" | "le" | "el" | "none" | "null"
        | "undefined" | "empty" | "blank" => Role::Joins,
        _ => return None,
    })
}

/// Whether a word in lower case is one that placeholders are made of.
pub(crate) fn is_of_a_placeholder(word: &str) -> bool {
    role(word).is_some()
}

/// Whether a value stands for a secret that somebody chooses, rather than being one.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    stands_in(value) || is_worded(value) || is_foreign(value)
}

/// Whether a value of a known shape stands for a secret: any word of a placeholder tells it.
pub fn is_shaped_placeholder(value: &str) -> bool {
    let value = value.trim();
    stands_in(value)
        || value.is_ascii()
            && value.len() <= MAX_PLACEHOLDER
            && made_of_words(value)
            && words(value).iter().any(|word| keep::placeholder_word(word))
}

/// How many words of each role a placeholder has.
#[derive(Debug, Default)]
struct Tally {
    asks: usize,
    asks_first: bool,
    samples: usize,
    names: usize,
    others: usize,
    words: usize,
}

impl Tally {
    fn add(&mut self, role: Option<Role>) {
        match role {
            Some(Role::Asks) => {
                self.asks_first |= self.words == 0;
                self.asks += 1;
            }
            Some(Role::Sample) => self.samples += 1,
            Some(Role::Names) => self.names += 1,
            Some(Role::Joins) => {}
            None => self.others += 1,
        }
        self.words += 1;
    }
}

/// `your-api-key`, `my_password`, `insert token here`, `test-secret`: words of placeholders alone, or
/// words that ask for something.
fn is_worded(value: &str) -> bool {
    let plain =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b' ' | b'!' | b':');
    if value.len() > MAX_PLACEHOLDER || !value.bytes().all(plain) {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if digits > 2 {
        return false;
    }
    let mut tally = Tally::default();
    for word in words(value).iter() {
        if !word.bytes().all(|b| b.is_ascii_digit()) {
            count(&word.to_ascii_lowercase(), &mut tally);
        }
    }
    if tally.asks > 0 && (digits == 0 || tally.asks_first && digits == 1) {
        return tally.others == 0 || made_of_words(value);
    }
    digits == 0 && tally.others == 0 && (tally.names > 0 || tally.samples > 0) || is_numbered(value)
}

/// `secret1`, `token2`, `user_key_1`: examples that are told apart by a number.
fn is_numbered(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() == name.len() + 1
        && matches!(
            name.trim_end_matches(['_', '-']),
            "secret"
                | "token"
                | "key"
                | "pass"
                | "pwd"
                | "user"
                | "apikey"
                | "credential"
                | "value"
        )
}

/// Counts a word, or the words that it is run together from.
fn count(word: &str, tally: &mut Tally) {
    match role(word) {
        Some(role) => tally.add(Some(role)),
        None => match parts(word) {
            Some(roles) => roles.into_iter().for_each(|role| tally.add(Some(role))),
            None => tally.add(None),
        },
    }
}

/// The roles of the words that a word is run together from: `mysecretkey`; nothing where a rest is left.
fn parts(word: &str) -> Option<Vec<Role>> {
    /// Joining words shorter than this are found in any word by chance.
    const SHORTEST: usize = 2;
    if word.len() > MAX_COMPOUND || word.len() < 6 {
        return None;
    }
    // For each place the place of the word before and its role.
    let mut reached: Vec<Option<(usize, Role)>> = vec![None; word.len() + 1];
    for start in 0..word.len() {
        if start > 0 && reached.get(start).is_none_or(Option::is_none) {
            continue;
        }
        for end in start + SHORTEST..=word.len().min(start + 12) {
            if let Some(role) = word.get(start..end).and_then(role)
                && let Some(place) = reached.get_mut(end)
                && place.is_none()
            {
                *place = Some((start, role));
            }
        }
    }
    let mut roles = Vec::new();
    let mut at = word.len();
    while at > 0 {
        let (start, role) = reached.get(at).copied().flatten()?;
        roles.push(role);
        at = start;
    }
    roles.reverse();
    Some(roles)
}

/// What placeholders in other scripts and languages consist of.
const FOREIGN: &[&str] = &[
    "密码",
    "密碼",
    "口令",
    "暗号",
    "密钥",
    "密鑰",
    "金鑰",
    "令牌",
    "你的",
    "您的",
    "请",
    "請",
    "用户名",
    "帐号",
    "账号",
    "主机",
    "パスワード",
    "トークン",
    "あなたの",
    "ここに",
    "秘密",
    "ユーザー",
    "ホスト",
    "비밀번호",
    "암호",
    "사용자",
    "토큰",
    "여기에",
    "입력",
    "пароль",
    "ваш",
    "секрет",
    "токен",
    "ключ",
    "пользовател",
    "contraseña",
    "usuario",
    "usuário",
    "mot de passe",
    "utilisateur",
    "schlüssel",
    "benutzer",
    "clé",
    "hasło",
    "remplacer",
    "remplacez",
    "à changer",
    "à_changer",
    "à-changer",
    "définir",
    "compléter",
    "complét",
    "ändern",
    "ausfüllen",
    "einfügen",
    "заменит",
    "измените",
    "вставьте",
    "введите",
    "укажите",
    "заполните",
    "替换",
    "替換",
    "修改",
    "填写",
    "填寫",
    "填入",
    "改成",
    "変更して",
    "置き換え",
    "入力して",
    "바꾸세요",
    "바꿔",
    "교체",
    "변경하",
    "zmień",
    "uzupełnij",
    "değiştir",
    "thay đổi",
    "şifre",
    "示例",
    "例",
    "예시",
    "пример",
];

/// `您的密码`, `ваш_пароль`, `비밀번호`: no digit, and a word that names or asks.
fn is_foreign(value: &str) -> bool {
    if value.is_ascii() || value.chars().any(char::is_numeric) {
        return false;
    }
    let lower = value.to_lowercase();
    FOREIGN.iter().any(|word| lower.contains(word))
}

/// Whether the value stands for something else by anything but its words.
pub(crate) fn stands_in(value: &str) -> bool {
    let kinds = glance::kinds_in(value);
    if value.is_empty()
        || kinds & glance::DOT != 0 && value.contains("...")
        || kinds & glance::NOT_GRAPHIC != 0 && value.contains('…')
    {
        return true;
    }
    let counts = |counted: &&str| {
        let head = value.as_bytes().get(..counted.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(counted.as_bytes()))
    };
    if COUNTED.iter().any(counts) {
        return true;
    }
    if keep::value(value) || is_mask(value) || is_anonymous(value) {
        return true;
    }
    let bracketed = matches!(
        (value.chars().next(), value.chars().next_back()),
        (Some('<'), Some('>'))
            | (Some('['), Some(']'))
            | (Some('{'), Some('}'))
            | (Some('%'), Some('%'))
            | (Some('_'), Some('_'))
            | (Some('('), Some(')'))
    );
    bracketed || is_framed(value) || value.ends_with("EXAMPLE") || value.ends_with("EXAMPLEKEY")
}

/// `^PASS^`, `@@TOKEN@@`: a name in capitals between the same marks, to be replaced by a program.
fn is_framed(value: &str) -> bool {
    let Some(mark) = value.chars().next().filter(|mark| "^@#|~".contains(*mark)) else {
        return false;
    };
    let inner = value.trim_start_matches(mark);
    let name = inner.trim_end_matches(mark);
    name.len() > 1
        && value.len() - inner.len() == inner.len() - name.len()
        && name.bytes().all(|byte| {
            byte.is_ascii_uppercase() || byte == b'_' || mark == '@' && is_of_property(byte)
        })
}

/// `@db.password@`, as Maven's filter has it.
fn is_of_property(byte: u8) -> bool {
    byte.is_ascii_lowercase() || matches!(byte, b'.' | b'-')
}

/// Bytes counted up and magic numbers: test vectors, not keys.
const COUNTED: &[&str] = &[
    "0001020304",
    "00112233",
    "0123456789abcdef",
    "deadbeef",
    "cafebabe",
    "111-22-3333",
    "123-45-6789",
];

/// `********`, `xxxxxxxx`, `ghp_xxxxxxxx`, `0000-0000`: half of it or more is one repeated character.
pub(crate) fn is_mask(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut run, mut longest, mut last) = (1, 1, None);
    for byte in bytes {
        run = if last == Some(byte) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(byte);
    }
    let masks = value.chars().all(|c| "*xX•●#.-_?0".contains(c));
    masks
        || (longest >= 4 && longest * 2 >= bytes.len())
        || longest >= 8
            && ["00000000", "xxxxxxxx", "XXXXXXXX"]
                .iter()
                .any(|mask| value.contains(mask))
}

/// `var_001`, as the variable rule writes it.
pub fn is_anonymous(value: &str) -> bool {
    value
        .strip_prefix("var_")
        .is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
}
