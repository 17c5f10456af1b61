//! Reads a key's meaning from its words: does `name = value` name a secret, a user or a person, and which?

use crate::keys::key_words::{
    HEADS, NO_PASSWORDS, OTHER_KEYS, OTHER_TOKENS, PERSON_DEEDS, PERSON_NAMES, SECRET_KEYS, SERVED,
    TRAILING,
};
pub use crate::keys::key_words::{KEY_MARKS, STATEMENT, label_at, labels};
use crate::words::wordlike::words;

/// What a key promises about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A password or passphrase: nearly any literal value is one.
    Password,
    /// A token, secret or API key: a value not made of words is one.
    Token,
    /// `key`, `auth`, `session` alone: only a long opaque value is a secret.
    Weak,
    /// An `Authorization` header: a scheme may stand before the secret.
    Header,
    /// A user's name: an account that every system has is none.
    User,
    /// A person's name.
    Person,
}

/// A key that names a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretKey {
    /// What it promises about its value.
    pub meaning: Meaning,
    /// The rule's id.
    pub rule: &'static str,
    /// What it is, in words.
    pub kind: &'static str,
    /// What replaces the value.
    pub placeholder: &'static str,
}

pub(crate) const PASSWORD: SecretKey = secret(
    Meaning::Password,
    "keyed-password",
    "password",
    "YOUR_PASSWORD",
);
pub(crate) const TOKEN: SecretKey = secret(Meaning::Token, "keyed-token", "token", "YOUR_TOKEN");
pub(crate) const SECRET: SecretKey =
    secret(Meaning::Token, "keyed-secret", "secret", "YOUR_SECRET");
pub(crate) const API_KEY: SecretKey =
    secret(Meaning::Token, "keyed-api-key", "API key", "YOUR_API_KEY");
const WEAK_KEY: SecretKey = secret(Meaning::Weak, "keyed-key", "key", "YOUR_API_KEY");
const WEAK_TOKEN: SecretKey = secret(
    Meaning::Weak,
    "keyed-credential",
    "credential",
    "YOUR_TOKEN",
);
const CREDENTIAL: SecretKey = secret(
    Meaning::Token,
    "keyed-credential",
    "credential",
    "YOUR_TOKEN",
);
pub(crate) const USER: SecretKey = secret(Meaning::User, "keyed-user", "user name", "USER");
/// What a key for the name of a person names.
pub const PERSON: SecretKey = secret(Meaning::Person, "keyed-person", "name", "YOUR_NAME");
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

/// Returns what a key names, or nothing when it does not name a secret.
pub fn meaning(key: &str) -> Option<SecretKey> {
    let all = words(key);
    let mut words = &*all;
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
    let found = by_last_word(last, before)
        .or_else(|| by_ending(last))
        .or_else(|| by_first_word(&all));
    // What the sanitizer writes names nothing, also behind a switch: `-pYOUR_PASSWORD`.
    let written = |key: &str| key.starts_with("YOUR_");
    found.filter(|_| !written(key) && !key.get(1..).is_some_and(written))
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
        | "salasana" | "heslo" | "kodeord" | "passord" | "haslo" | "sifre" | "motdepasse"
        | "passe" | "mdp" | "clave" | "passkey" | "pwort" | "passwrd" | "adgangskode"
        | "losenord" | "parola" | "jelszo" | "lozinka" | "mima" | "userpw" | "rootpw"
        | "authpass" | "secretphrase" | "keyphrase" | "unlockphrase" => PASSWORD,
        "word" if before == "pass" => PASSWORD,
        "phrase" if matches!(before, "pass" | "secret" | "unlock") => PASSWORD,
        "community" if matches!(before, "snmp" | "ro" | "rw" | "read" | "write") => PASSWORD,

        "pass" | "pw" if !matches!(before, "by" | "second" | "first" | "render") => PASSWORD,
        "token" if matches!(before, "page" | "next" | "continuation" | "pagination") => {
            return None;
        }
        "token" if before == "key" => return None,
        "token" if OTHER_TOKENS.contains(&before) => WEAK_TOKEN,
        "token" | "pat" | "jwt" | "bearer" | "authtoken" | "xsrf" => TOKEN,
        // Charts and manifests name the object that holds the secret.
        "secret"
            if matches!(
                before,
                "existing" | "pull" | "tls" | "external" | "sealed" | "named"
            ) =>
        {
            WEAK_TOKEN
        }
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
        "credential" | "credentials" | "creds" | "cred" => CREDENTIAL,
        "auth" | "cookie" | "session" | "sessionid" | "sid" | "signature" | "sig" | "mnemonic"
        | "salt" | "pepper" | "otp" | "sas" => WEAK_TOKEN,
        "code"
            if matches!(
                before,
                "auth" | "authorization" | "device" | "invite" | "backup" | "recovery"
            ) =>
        {
            WEAK_TOKEN
        }
        "webhook" => WEAK_TOKEN,
        _ => return by_person(last, before),
    };
    Some(found)
}

/// The keys of users and persons.
fn by_person(last: &str, before: &str) -> Option<SecretKey> {
    let found = match last {
        "username"
        | "user"
        | "login"
        | "dbuser"
        | "pguser"
        | "logname"
        | "loginname"
        | "uname"
        | "loginid"
        | "userlogin"
        | "samaccountname"
        | "userprincipalname"
        | "screenname"
        | "nickname"
        | "gebruikersnaam"
        | "gebruiker"
        | "brukernavn"
        | "benutzerkennung"
        | "kontoname"
        | "utilizador"
        | "identifiantutilisateur"
        | "nomutilisateur"
        | "nombreusuario"
        | "nomeusuario"
        | "userid"
        | "benutzer"
        | "benutzername"
        | "nutzername"
        | "anmeldename"
        | "usuario"
        | "utilisateur"
        | "identifiant"
        | "accountname" => USER,
        "name" if matches!(before, "user" | "login" | "account" | "screen" | "nick") => USER,
        "author" | "authors" | "assignee" | "assignees" | "reporter" | "reviewer" | "reviewers"
        | "approver" | "committer" | "maintainer" | "maintainers" | "surname" | "firstname"
        | "lastname" | "fullname" | "givenname" | "familyname" | "middlename" | "maidenname"
        | "realname" | "customername" | "patientname" | "employeename" | "recipientname"
        | "sendername" | "beneficiaryname" | "contactname" | "legalname" | "studentname"
        | "passengername" | "ownername" | "holdername" | "cardholder" | "accountholder"
        | "cardholdername" | "vorname" | "nachname" | "ansprechpartner" | "bearbeiter"
        | "nombre" | "apellido" | "apellidos" | "auteur" | "autor" | "rapporteur"
        | "responsable" | "responsavel" | "sobrenome" | "createdby" | "reportedby"
        | "updatedby" | "cc" | "contact" | "owner" | "manager" | "employee" | "customer"
        | "nome" | "contributor" | "contributors" | "collaborator" | "collaborators"
        | "creator" | "translator" | "submitter" | "requester" | "requestor" | "attendee"
        | "attendees" | "participant" | "participants" | "signatory" | "patient" | "student"
        | "coauthor" | "coauthors" | "watcher" | "watchers" => PERSON,
        "name" if PERSON_NAMES.contains(&before) => PERSON,
        "holder" if matches!(before, "card" | "account") => PERSON,
        "by" if PERSON_DEEDS.contains(&before) => PERSON,
        "to" if before == "assigned" => PERSON,
        "assignedto" => PERSON,
        "person" if before == "contact" => PERSON,
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

/// `senha_banco`, `mdp_prod`, `pwd_db`, `token_github`: what it is, then what it is for.
fn by_first_word(words: &[&str]) -> Option<SecretKey> {
    let (first, behind) = words.split_first()?;
    let mut room = Room::default();
    let mut is_for = |word: &str, list: &[&str]| {
        room.lower_case(word)
            .is_some_and(|word| list.contains(&word))
    };
    let number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let served = |is_for: &mut dyn FnMut(&str, &[&str]) -> bool, words: &[&str]| {
        !words.is_empty()
            && words
                .iter()
                .all(|word| number(word) || is_for(word, SERVED))
    };
    if !is_for(first, HEADS) {
        return None;
    }
    // `mot_de_passe_smtp`: three words name it.
    let behind = match behind {
        [de, passe, rest @ ..] if is_for(first, &["mot"]) => {
            (is_for(de, &["de"]) && is_for(passe, &["passe"])).then_some(rest)?
        }
        _ if is_for(first, &["mot"]) => return None,
        rest => rest,
    };
    if !served(&mut is_for, behind) {
        return None;
    }
    Some(if is_for(first, &["token", "jeton"]) {
        TOKEN
    } else if is_for(first, &["usuario", "utilisateur", "benutzer", "user"]) {
        USER
    } else {
        PASSWORD
    })
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
        ("passwort", PASSWORD),
        ("kennwort", PASSWORD),
        ("wachtwoord", PASSWORD),
        ("pass", PASSWORD),
        ("username", USER),
        ("senha", PASSWORD),
        ("contrasena", PASSWORD),
        ("motdepasse", PASSWORD),
        ("pswd", PASSWORD),
        ("apitoken", TOKEN),
        ("credentials", CREDENTIAL),
    ];
    if NO_PASSWORDS.contains(&last) {
        return None;
    }
    ENDINGS
        .iter()
        .find(|(ending, _)| last.len() > ending.len() && last.ends_with(ending))
        .map(|(_, key)| *key)
}

#[cfg(test)]
mod tests;
