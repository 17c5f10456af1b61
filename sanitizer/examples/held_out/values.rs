//! Values that have to go, by the shapes that providers and standards document.

use super::dice::{BASE32, BASE62, BASE64, DIGITS, Dice, HEX, LOWER};

/// What a value needs beside it to be known for what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: its shape says it.
    Nothing,
    /// A key that names a secret.
    Key,
    /// A key that names a password.
    PasswordKey,
}

/// A kind of value.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) needs: Needs,
    pub(crate) make: fn(&mut Dice) -> String,
}

const fn kind(name: &'static str, needs: Needs, make: fn(&mut Dice) -> String) -> Kind {
    Kind { name, needs, make }
}

/// A fixed beginning, kept in parts, and a random rest.
fn token(parts: [&str; 2], characters: &str, length: usize, dice: &mut Dice) -> String {
    parts.concat() + &dice.run(characters, length)
}

/// Every kind.
pub(crate) const KINDS: &[Kind] = &[
    kind("github token", Needs::Nothing, |d| {
        token(["gh", "p_"], BASE62, 36, d)
    }),
    kind("gitlab token", Needs::Nothing, |d| {
        token(["gl", "pat-"], BASE62, 20, d)
    }),
    kind("aws key id", Needs::Nothing, |d| {
        token(["AK", "IA"], BASE32, 16, d)
    }),
    kind("aws secret key", Needs::Key, |d| d.run(BASE64, 40)),
    kind("google key", Needs::Nothing, |d| {
        token(["AI", "za"], BASE62, 35, d)
    }),
    kind("stripe key", Needs::Nothing, |d| {
        token(["sk", "_live_"], BASE62, 24, d)
    }),
    kind("slack token", Needs::Nothing, |d| {
        let number = d.run(DIGITS, 12);
        token(["xo", "xb-"], DIGITS, 12, d) + "-" + &number + "-" + &d.run(BASE62, 24)
    }),
    kind("npm token", Needs::Nothing, |d| {
        token(["np", "m_"], BASE62, 36, d)
    }),
    kind("sendgrid key", Needs::Nothing, |d| {
        token(["S", "G."], BASE62, 22, d) + "." + &d.run(BASE62, 43)
    }),
    kind("digitalocean token", Needs::Nothing, |d| {
        token(["dop", "_v1_"], HEX, 64, d)
    }),
    kind("hugging face token", Needs::Nothing, |d| {
        token(["h", "f_"], BASE62, 34, d)
    }),
    kind("shopify token", Needs::Nothing, |d| {
        token(["shp", "at_"], HEX, 32, d)
    }),
    kind("json web token", Needs::Nothing, |d| {
        let (claims, seal) = (d.run(BASE62, 70), d.run(BASE62, 43));
        ["ey", "JhbGciOiJIUzI1NiJ9.ey", "J"].concat() + &claims + "." + &seal
    }),
    kind("unknown provider", Needs::Nothing, |d| {
        let prefix = d.run(LOWER, 3);
        prefix + d.one_of(&["_live_", "_pat_", "_sk_"]) + &d.run(BASE62, 32)
    }),
    kind("hex secret", Needs::Key, |d| d.run(HEX, 40)),
    kind("letters and digits", Needs::Key, |d| d.run(BASE62, 32)),
    kind("uuid secret", Needs::Key, Dice::uuid),
    kind("base64 secret", Needs::Key, |d| d.run(BASE64, 43) + "="),
    kind("chosen password", Needs::PasswordKey, |d| {
        let word = *d.one_of(&[&"Quarry", &"Lantern", &"Pebble", &"Marigold", &"Copper"]);
        format!(
            "{word}{}{}",
            d.run(DIGITS, 4),
            d.one_of(&["!", "#x", "_q", "*"])
        )
    }),
    kind("random password", Needs::PasswordKey, |d| d.run(BASE62, 14)),
    kind("e-mail address", Needs::Nothing, |d| {
        format!("{}@{}", user(d), company(d))
    }),
    kind("internal host", Needs::Nothing, |d| {
        let host = d.one_of(&["db01", "grafana", "redis-2", "build-7"]);
        format!("https://{host}.prod.{}/x", company(d))
    }),
    kind("user in a path", Needs::Nothing, |d| {
        let home = d.one_of(&["/home/", "/Users/"]);
        format!("{home}{}/src/main.rs", user(d))
    }),
    kind("private address", Needs::Nothing, |d| {
        format!(
            "10.{}.{}.{}",
            d.below(250),
            1 + d.below(250),
            2 + d.below(250)
        )
    }),
    kind("card number", Needs::Nothing, |d| {
        let digits = String::from("4") + &d.run(DIGITS, 14);
        let check = (0..10).find(|check| luhn(&format!("{digits}{check}")));
        format!("{digits}{}", check.expect("one digit of ten fits"))
    }),
    kind("password in a url", Needs::Nothing, |d| {
        format!(
            "postgres://app:{}@{}:5432/orders",
            d.run(BASE62, 16),
            company(d)
        )
    }),
];

/// What of a value may not come out again.
pub(crate) fn secret_part(kind: &Kind, value: &str) -> String {
    let part = match kind.name {
        "internal host" => value.split('/').nth(2),
        "user in a path" => value.split('/').nth(2),
        "password in a url" => value.split([':', '@']).nth(2),
        _ => None,
    };
    part.unwrap_or(value).to_owned()
}

fn user(dice: &mut Dice) -> String {
    let first = *dice.one_of(&[&"nadia", &"tomasz", &"ikechi", &"sunita", &"jorunn"]);
    let last = *dice.one_of(&[&"kurosawa", &"wojcik", &"obiora", &"prabhu", &"solberg"]);
    format!("{first}.{last}")
}

fn company(dice: &mut Dice) -> String {
    let name = *dice.one_of(&[&"oakmere", &"tallowfield", &"brightquay", &"harrowgate"]);
    format!(
        "{name}-{}.{}",
        dice.run(LOWER, 4),
        dice.one_of(&["net", "com", "io", "de"])
    )
}

/// ISO/IEC 7812-1: the check digit of card numbers.
fn luhn(digits: &str) -> bool {
    let sum: u32 = (0..)
        .zip(digits.bytes().rev())
        .map(
            |(place, digit)| match (place % 2, u32::from(digit - b'0')) {
                (1, digit) => digit * 2 / 10 + digit * 2 % 10,
                (_, digit) => digit,
            },
        )
        .sum();
    sum.is_multiple_of(10)
}
