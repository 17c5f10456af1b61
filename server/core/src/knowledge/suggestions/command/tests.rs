//! The parts of the command.

#![allow(clippy::unwrap_used)]

use recall_kit_settings::Settings;
use ulid::Ulid;

use super::generalize;

fn check(data_dir: Option<&str>, database: Option<&str>, expected: &str) {
    let mut settings = Settings {
        data_dir: data_dir.map(Into::into),
        ..Settings::default()
    };
    settings.database.url = database.map(Into::into);
    let entry = Ulid::from(7_u128);
    let expected = format!("recall-kit-server generalize{expected} {entry} {entry}");
    let command = generalize(&settings, [entry, entry].into_iter());
    assert_eq!(command, expected);
}

#[test]
fn the_command_names_the_database_as_the_server_does() {
    check(None, None, "");
    check(Some("/srv/kit"), None, " --data-dir /srv/kit");
    check(
        Some("/srv/my kit's"),
        None,
        r" --data-dir '/srv/my kit'\''s'",
    );
    let file = " --database sqlite:/srv/kit.db";
    check(None, Some("sqlite:/srv/kit.db"), file);
    check(None, Some("sqlite:///srv/kit.db"), file);
    check(
        Some("/srv/kit"),
        Some("postgres://db/memory"),
        " --data-dir /srv/kit --database postgres://db/memory",
    );
    let here = std::env::current_dir().unwrap();
    let here = here.display();
    check(Some("kit"), None, &format!(" --data-dir {here}/kit"));
    check(
        None,
        Some("sqlite:kit.db"),
        &format!(" --database sqlite:{here}/kit.db"),
    );
}

#[test]
fn the_command_never_contains_a_password() {
    let word = ["hush", "hush"].concat();
    for (database, shown) in [
        (
            format!("postgres://ada:{word}@db:5432/memory"),
            "postgres://ada@db:5432/memory",
        ),
        (
            format!("postgres://ada:{word}@a:1,b:2/memory?sslmode=require&password={word}"),
            "'postgres://ada@a:1,b:2/memory?sslmode=require'",
        ),
        (
            format!("postgres://db/memory?sslpassword={word}"),
            "postgres://db/memory",
        ),
        (
            format!("postgres://ada:{word}@host@db/memory"),
            "postgres://ada@db/memory",
        ),
        (
            format!("postgres://ada:{word}/x@db/memory"),
            "postgres://ada@db/memory",
        ),
        (
            format!("postgres://ada:{word}?@db/memory"),
            "'postgres://…'",
        ),
        (format!("postgres://ada:{word}"), "'postgres://…'"),
    ] {
        check(None, Some(&database), &format!(" --database {shown}"));
    }
}
