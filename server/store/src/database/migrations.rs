//! The numbered, append-only migrations: the same numbers and names for every database.
//!
//! During an upgrade several versions of the program may run on one database, so a migration only adds:
//! everything that older versions read and write stays. A migration that cannot keep this rule sets the
//! fact `needs_schema` to its own number; older versions then refuse to open the database.

use sqlx::{
    SqlSafeStr,
    migrate::{Migration, MigrationType, Migrator},
};

use crate::{Result, StoreError};

/// Names and texts of a database's migrations, in order.
macro_rules! texts {
    ($folder:literal: $($name:literal)+) => {
        [$(($name, include_str!(concat!("../../migrations/", $folder, "/", $name, ".sql")))),+]
    };
}

macro_rules! of_database {
    ($folder:literal) => {
        texts!($folder:
            "0001_experiences"
            "0002_api_keys"
            "0003_vectors_of_passages"
            "0004_knowledge"
            "0005_notes"
            "0006_knowledge_bridges"
            "0007_libraries"
            "0008_example_texts"
            "0009_version_refs"
            "0010_people"
            "0011_changed_experiences"
            "0012_questions"
            "0013_languages_of_examples"
            "0014_settled_suggestions"
            "0015_popularity"
            "0016_content_hashes"
            "0017_outcomes"
            "0018_recalls"
            "0019_applicability"
            "0020_citations"
        )
    };
}

/// Returns SQLite's migrations.
pub(crate) fn sqlite() -> Migrator {
    migrator(&of_database!("sqlite"))
}

/// Returns PostgreSQL's migrations.
pub(crate) fn postgres() -> Migrator {
    migrator(&of_database!("postgres"))
}

fn migrator(texts: &[(&'static str, &'static str)]) -> Migrator {
    let numbered = texts.iter().map(|(name, sql)| {
        let (number, name) = name.split_once('_').expect("a name begins with its number");
        let number = number.parse().expect("a name begins with its number");
        let sql = sql.into_sql_str();
        Migration::new(number, name.into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(numbered.collect());
    // A newer version of the program may have applied migrations that this one does not have.
    migrator.set_ignore_missing(true);
    migrator
}

/// Returns the number of the last migration.
pub(crate) fn newest(migrator: &Migrator) -> i64 {
    let numbers = migrator.iter().map(|migration| migration.version);
    numbers.max().unwrap_or(0)
}

/// Checks that this program knows the schema that the database requires of programs (`needs_schema`).
///
/// *Errors*: [`StoreError::NewerSchema`].
pub(crate) fn check_need(needs: Option<&str>, migrator: &Migrator) -> Result<()> {
    let known = newest(migrator);
    match needs.map(str::parse::<i64>) {
        None => Ok(()),
        Some(Ok(needed)) if needed <= known => Ok(()),
        Some(_) => Err(StoreError::NewerSchema { known }),
    }
}
