//! The strings that are planted, and the lines in which they stand, as people and programs write them.

use recall_kit_tests::Dice;

/// How many of each kind are planted.
const OF_EACH: usize = 200;
/// Letters of made-up tokens.
const LETTERS: &[u8] = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// What is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Tokens of providers, and addresses of persons.
    Machine,
    Password,
    Phrase,
    ShortToken,
    UserName,
    Person,
    Place,
    Hidden,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::Machine,
    Kind::Password,
    Kind::Phrase,
    Kind::ShortToken,
    Kind::UserName,
    Kind::Person,
    Kind::Place,
    Kind::Hidden,
];

/// A line, and what of it must not leave.
#[derive(Debug)]
pub(crate) struct Canary {
    pub(crate) line: String,
    pub(crate) secrets: Vec<String>,
    /// Tells which frame it is without giving the secret away.
    pub(crate) frame: usize,
}

/// Returns what is planted of a kind; the same in every run.
pub(crate) fn planted(kind: Kind) -> Vec<Canary> {
    let mut dice = Dice::new(20_261_122 + kind as u64);
    let framed = |frames: &[&str], n: usize, secrets: Vec<String>| {
        let frame = n % frames.len();
        Canary {
            line: frames[frame].replace("{v}", &secrets[0]),
            secrets,
            frame,
        }
    };
    let plant = |n: usize| match kind {
        Kind::Machine => machine(&mut dice, n),
        Kind::Password => framed(PASSWORDS, n, vec![password(&mut dice, n)]),
        Kind::Phrase => {
            let words = [0; 4].map(|_| word(&mut dice));
            framed(PHRASES, n, [vec![words.join(" ")], words.to_vec()].concat())
        }
        Kind::ShortToken => framed(TOKENS, n, vec![token(&mut dice, n)]),
        Kind::UserName => {
            let initial = char::from(b"bdhjklmprst"[dice.below(11)]);
            framed(USERS, n, vec![format!("{initial}{}", word(&mut dice))])
        }
        Kind::Person => {
            let given = ["Jane", "Pavel", "Ingrid", "Lucas", "Renata"][dice.below(5)];
            let family = capital(&word(&mut dice));
            framed(PERSONS, n, vec![format!("{given} {family}"), family])
        }
        Kind::Place => place(&mut dice, n),
        Kind::Hidden => hidden(&password(&mut dice, n), n),
    };
    (0..OF_EACH).map(plant).collect()
}

/// A made-up word that stands in no other text.
fn word(dice: &mut Dice) -> String {
    let syllables = (0..3 + dice.below(2)).map(|_| {
        let consonant = b"bdfgklmnprstvz"[dice.below(14)];
        [consonant, b"aeiou"[dice.below(5)]].map(char::from)
    });
    syllables.flatten().collect()
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn letters(dice: &mut Dice, length: usize) -> String {
    let letter = |_| char::from(LETTERS[dice.below(LETTERS.len())]);
    (0..length).map(letter).collect()
}

fn password(dice: &mut Dice, n: usize) -> String {
    let (one, other, year) = (word(dice), word(dice), 1970 + dice.below(60));
    match n % 4 {
        0 => format!("{}{}{year}!", capital(&one), capital(&other)),
        1 => format!("{one}{other}{}", year % 100),
        2 => format!("Secret{}{year}", capital(&one)),
        _ => format!("{one}_test_{year}"),
    }
}

fn token(dice: &mut Dice, n: usize) -> String {
    match n % 3 {
        0 => format!("{}secret{}", word(dice), 2000 + dice.below(30)),
        1 => letters(dice, 14).to_lowercase(),
        _ => format!("{}-{}-{}", word(dice), word(dice), 100 + dice.below(900)),
    }
}

fn machine(dice: &mut Dice, n: usize) -> Canary {
    let frame = n % 10;
    let secret = match frame {
        0 => ["ghp", &letters(dice, 36)].join("_"),
        1 => ["sk", "proj", &letters(dice, 44)].join("-"),
        2 => ["AKIA", &letters(dice, 16).to_uppercase()].concat(),
        3 => letters(dice, 24),
        4 => letters(dice, 40),
        5 => letters(dice, 20),
        6 => ["xoxb", &letters(dice, 12), &letters(dice, 24)].join("-"),
        7 => format!("jane.{}@mail-of-{n}.com", letters(dice, 9).to_lowercase()),
        8 => letters(dice, 10).to_lowercase(),
        _ => format!("+1 (212) 734-{:04}", 2_100 + n * 7),
    };
    Canary {
        line: MACHINES[frame].replace("{v}", &secret),
        secrets: vec![secret],
        frame,
    }
}

fn place(dice: &mut Dice, n: usize) -> Canary {
    let frame = n % PLACES.len();
    let name = word(dice);
    let part = |dice: &mut Dice| 100 + dice.below(150);
    let (frame_text, secret) = match PLACES[frame].split_once('|') {
        Some(("host", text)) => (text, format!("{name}-prod.corp.local")),
        Some(("short", text)) => (text, format!("{name}-db-{}", 10 + dice.below(80))),
        Some(("address", text)) => {
            let parts = [0; 3].map(|_| part(dice).to_string());
            (text, format!("10.{}", parts.join(".")))
        }
        Some((_, text)) => (text, format!("{name}-labs")),
        None => unreachable!("each place has its sort"),
    };
    Canary {
        line: frame_text.replace("{v}", &secret),
        secrets: vec![secret],
        frame,
    }
}

/// A password that does not stand there as it is.
fn hidden(secret: &str, n: usize) -> Canary {
    const WAYS: usize = 13;
    let (one, other) = secret.split_at(secret.len() / 2);
    let (one, other, plain) = (one.to_owned(), other.to_owned(), secret.to_owned());
    let each = |write: &dyn Fn(char) -> String| secret.chars().map(write).collect::<String>();
    let (line, secrets) = match n % WAYS {
        0 => (format!("password=\u{1b}[31m{plain}\u{1b}[0m"), vec![plain]),
        1 => (
            format!("\\u001b[32mpassword:\\u001b[0m {plain}"),
            vec![plain],
        ),
        2 => {
            let shown = format!("{one}\u{200b}{other}");
            (format!("password = \"{shown}\""), vec![shown, plain])
        }
        3 => (format!("**Password:** `{plain}`"), vec![plain]),
        4 => (format!("password=&quot;{plain}&quot;"), vec![plain]),
        5 => (format!("/callback?state=password%3D{plain}"), vec![plain]),
        6 => {
            let shown = each(&|one| format!("\\u{:04x}", u32::from(one)));
            (format!("{{\"password\": \"{shown}\"}}"), vec![shown, plain])
        }
        7 => (format!("ｐａｓｓｗｏｒｄ＝{plain}"), vec![plain]),
        8 => {
            let line = format!("password = \"{one}\" + \"{other}\"");
            (line, vec![plain, one, other])
        }
        9 => {
            let line = format!("export DB_PASSWORD={one}\\\n{other}");
            (line, vec![plain, one, other])
        }
        10 => {
            let line = format!("{{\"value\": \"{plain}\", \"name\": \"DB_PASSWORD\"}}");
            (line, vec![plain])
        }
        11 => {
            let shown = each(&|one| format!("&#{};", u32::from(one)));
            (
                format!("<code>password: {shown}</code>"),
                vec![shown, plain],
            )
        }
        _ => (format!("pаsswоrd = \"{plain}\""), vec![plain]),
    };
    Canary {
        line,
        secrets,
        frame: n % WAYS,
    }
}

const MACHINES: &[&str] = &[
    "git clone https://{v}@github.com/a/b",
    "OPENAI_API_KEY={v}",
    "aws_access_key_id = {v}",
    "export DB_PASSWORD='{v}'",
    "curl -H 'Authorization: Bearer {v}' localhost",
    "postgres://app:{v}@db.internal:5432/app",
    "slack token {v}",
    "mail {v} about it",
    "cd /home/{v}/project && ls",
    "phone: {v}",
];
const PASSWORDS: &[&str] = &[
    "password = \"{v}\"",
    "DB_PASSWORD={v}",
    "{\"user\": \"root\", \"password\": \"{v}\"}",
    "  admin_password: {v}",
    "dataSource.setPassword(\"{v}\");",
    "mysql -u root -p{v} shop",
    "sshpass -p {v} ssh example.com",
    "echo {v} | sudo -S apt-get update",
    "curl -u root:{v} https://api.example.com/v1",
    "CREATE USER app WITH PASSWORD '{v}';",
    "<password>{v}</password>",
    "postgres://postgres:{v}@localhost:5432/shop",
    "The root password is {v}, please change it.",
    "密码：{v}",
    "Mot de passe : {v}",
    "Das Passwort lautet {v}",
    "La contraseña es {v}",
    "senha = \"{v}\"",
    "Пароль: {v}",
    "パスワード：{v}",
    "비밀번호: {v}",
];
const PHRASES: &[&str] = &[
    "passphrase = \"{v}\"",
    "BACKUP_PASSPHRASE=\"{v}\"",
    "{\"password\": \"{v}\"}",
    "Passphrase: {v}",
    "gpg --batch --passphrase \"{v}\" -d notes.gpg",
    "Kennwort: „{v}“",
];
const TOKENS: &[&str] = &[
    "API_TOKEN={v}",
    "SECRET_KEY = \"{v}\"",
    "{\"client_id\": \"shop\", \"client_secret\": \"{v}\"}",
    "jwt_secret: {v}",
    "curl -H \"X-Api-Key: {v}\" https://api.example.com/v1",
    "const apiKey = '{v}';",
    "访问令牌：{v}",
];
const USERS: &[&str] = &[
    "username = \"{v}\"",
    "DB_USER={v}",
    "ssh {v}@example.com",
    "sudo -u {v} id",
    "sudo chown {v} /srv/www",
    "Logged in as {v}",
    "{\"login\": \"{v}\", \"active\": true}",
    "用户名：{v}",
    "Benutzername: {v}",
    "Nom d'utilisateur : {v}",
];
const PERSONS: &[&str] = &[
    "author = \"{v}\"",
    "Assignee: {v}",
    "Reporter: {v}",
    "Signed-off-by: {v} <dev@example.com>",
    "git config user.name \"{v}\"",
    " * @author {v}",
    "{\"fullName\": \"{v}\"}",
    "姓名：{v}",
    "Bearbeiter: {v}",
    "Auteur : {v}",
];
/// Each with its sort of place.
const PLACES: &[&str] = &[
    "host|curl http://{v}:8080/health",
    "short|jdbc:postgresql://{v}:5432/shop",
    "short|ERROR could not connect to {v}:5432: Connection refused",
    "host|REDIS_HOST={v}",
    "address|ssh root@{v}",
    "address|WARN lost peer {v}:7000, retrying",
    "company|https://{v}.atlassian.net/browse/SHOP-12",
    "company|https://{v}.slack.com/archives",
    "short|kafka brokers: {v}:9092",
];
