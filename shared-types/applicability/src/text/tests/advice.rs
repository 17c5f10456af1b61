//! Where advice does not help, systems to which a record is limited, and names by their manifests.

use recall_kit_shared_types::applicability::{Environment, PackageVersion, Verdict};

use super::{check, claims};
use crate::{Claims, Surroundings, judge};

#[test]
fn manifests_are_read_in_their_own_syntax_inside_prose() {
    let cases = [
        ("Gemfile: gem 'puma', '~> 5.6'. It hangs.", "puma >=5.6|<6"),
        (
            "composer.json requires \"monolog/monolog\": \"^2.8\" here.",
            "monolog/monolog >=2.8|<3",
        ),
        (
            "require github.com/jackc/pgx/v5 v5.4.3",
            "github.com/jackc/pgx/v5 5.4.3",
        ),
        (
            "sigs.k8s.io/controller-runtime v0.15.3 panics",
            "sigs.k8s.io/controller-runtime 0.15.3",
        ),
        (
            "<version>4.20.0</version>, <artifactId>liquibase-core</artifactId>, <groupId>org.liquibase</groupId>",
            "org.liquibase/liquibase-core 4.20.0",
        ),
        (
            "io.netty/netty-handler 4.1.94 hangs",
            "io.netty/netty-handler 4.1.94",
        ),
        (
            "Cargo.toml has tokio = \"0.6\" and anyhow = \"0.5\"",
            "tokio >=0.6|<0.7; anyhow >=0.5|<0.6",
        ),
    ];
    check(&cases, &());
}

#[test]
fn popular_names_need_no_hint_and_ordinary_ones_do() {
    let cases = [
        (
            "lodash: template injects, fixed in 4.17.21",
            "lodash <4.17.21",
        ),
        ("It hangs with simplejson 3.17", "simplejson >=3.17|<3.18"),
        ("jest 29 prints it twice", "jest >=29|<30"),
        ("BenchmarkDotNet 0.12.1 crashes", "benchmarkdotnet 0.12.1"),
        (
            "pandas 2, Python 3.10",
            "pandas >=2|<3; python >=3.10|<3.11",
        ),
        ("we open 2.1 and click 8.0", ""),
        ("docker.io/library/lodash 18.2 starts", ""),
        ("redis 4.1 hangs", ""),
        // Between two pieces of code, a word is prose.
        (
            "With cargo, `tokio` time `x` since 0.3.1 fails",
            "tokio >=0.3.1",
        ),
        (
            "go.mod has\n\ngo 1.22\n\nand the build fails",
            "go >=1.22|<1.23",
        ),
        (
            "The migration fails with PostgreSQL 15",
            "postgresql >=15|<16",
        ),
        ("OpenCV Python 3.11 fails", "python >=3.11|<3.12"),
        ("ts node 18 fails", "node >=18|<19"),
        ("concurrent ruby 1.3.5 fails", "concurrent-ruby 1.3.5"),
        ("worker[4711] and celery[12] die", ""),
        (
            "Symfony 6.0 has no getDoctrine (symfony/framework-bundle)",
            "symfony/framework-bundle >=6.0|<6.1",
        ),
        (
            "The artifact hibernate-jcache 6.1 (org.hibernate) fails",
            "org.hibernate/hibernate-jcache >=6.1|<6.2",
        ),
    ];
    check(&cases, &());
}

#[test]
fn prose_bounds_runtimes() {
    let cases = [
        ("Requires Python 3.10 or newer, for match.", "python >=3.10"),
        (
            "Error: the package foobar requires Python 3.10 or newer.",
            "",
        ),
        ("The flag exists from Java 21 on.", "java >=21"),
        ("Works up to and including Ruby 3.1.", "ruby <3.2"),
        (
            "The leak of vitest appeared in 0.11.0 and was fixed in 0.13.0",
            "vitest >=0.11.0|<0.13.0",
        ),
        ("Upgrading Jest to 29 fails", "jest >=29|<30"),
    ];
    check(&cases, &());
}

#[test]
fn advice_that_does_not_help_is_told_from_a_failure() {
    let cases = [
        // A failure is the problem.
        (
            "Celery 5.2 does not work with Python 3.11",
            "celery >=5.2|<5.3; python >=3.11|<3.12",
        ),
        ("The patch release 2.3 breaks on Python 3.7", "python >=3.7"),
        ("title: It does not work with mongoose 6", "mongoose >=6|<7"),
        (
            "As a workaround I kept numpy, because pandas 1.5 breaks on numpy 1.24.",
            "numpy >=1.24; pandas >=1.5|<1.6",
        ),
        ("Workaround for the breaking change in Jest 30", "jest >=30"),
        // What the text says of its advice is not.
        ("context: Does not work with mongoose 6.", "mongoose <6|>=7"),
        ("It doesnt really work with mongoose 6.", "mongoose <6|>=7"),
        ("Do not use this on Django 5.0 or later.", "django <5.0"),
        (
            "The workaround for the hang does not work with Jest 30.",
            "jest <30|>=31",
        ),
        (
            "The workaround no longer works since SQLAlchemy 2.0.",
            "sqlalchemy <2.0",
        ),
        (
            "The trick works with simplejson 3.17 but breaks on 3.19.",
            "simplejson <3.19; simplejson >=3.17|<3.18",
        ),
        (
            "Tested with node-sass 7.0.3. On Node 20 the installation fails.",
            "node-sass 7.0.3; node <20|>=21",
        ),
        ("context: Funktioniert nicht mit Django 4.", "django <4|>=5"),
        (
            "context: Ne fonctionne pas avec mocha 10.",
            "mocha <10|>=11",
        ),
        ("No usar con PHPUnit 10 o superior.", "phpunit/phpunit <10"),
        ("context: Não funciona com o webpack 5.", "webpack <5|>=6"),
        ("context: Не работает с Flask 2.3 и новее.", "flask <2.3"),
        ("该方法不适用于 vue 3。", "vue <3|>=4"),
        ("context: pydantic 2 では動作しません。", "pydantic <2|>=3"),
        (
            "context: TypeScript 5.0 이상에서는 작동하지 않습니다.",
            "typescript <5.0",
        ),
        (
            "| lodash | works |\n|---|---|\n| 4.16.0 | yes |\n| 4.17.1 | no, it throws |",
            "lodash !=4.17.1; lodash 4.16.0",
        ),
    ];
    check(&cases, &());
}

#[test]
fn records_are_limited_to_systems() {
    let cases = [
        ("Only on Windows: paths are long.", "windows"),
        ("macOS only: the fork crashes.", "macos"),
        ("It happens only under Linux.", "linux"),
        ("It happens only on Linux and macOS.", "linux; macos"),
        ("It happens not only on Linux.", ""),
        ("Tested only on Linux.", ""),
        ("Nur unter macOS tritt das auf.", "macos"),
        ("Uniquement sous Windows.", "windows"),
        ("Solo en Linux ocurre esto.", "linux"),
        ("Só acontece no Windows.", "windows"),
        ("Только в Windows.", "windows"),
        ("仅在 macOS 上出现。", "macos"),
        ("Windows でのみ発生します。", "windows"),
        ("Windows에서만 발생합니다.", "windows"),
    ];
    check(&cases, &());
}

/// A system decides before a runtime that matches, and a denial says nothing about other versions.
#[test]
fn denials_and_systems_decide() {
    let verdict = |text: &str, runtime: &str, package: (&str, &str)| {
        let environment = Environment {
            packages: vec![PackageVersion {
                purl: package.0.into(),
                version: Some(package.1.into()),
            }],
            runtimes: vec![recall_kit_shared_types::applicability::NamedVersion {
                name: "node".into(),
                version: Some(runtime.into()),
            }],
            os: Some("linux".into()),
            ..Environment::default()
        };
        let claims = Claims::read(&claims(text, &())).expect("claims");
        judge(
            &claims,
            &Surroundings::read(&environment).expect("surroundings"),
        )
        .verdict
    };
    let mongoose = |version| ("pkg:npm/mongoose", version);
    let limited = "Only on Windows with Node 20: spawn fails.";
    assert_eq!(
        verdict(limited, "20.1.0", mongoose("6.1.0")),
        Verdict::OtherPlatform
    );
    let denied = "Do not use this with mongoose 6.";
    assert_eq!(
        verdict(denied, "20.1.0", mongoose("6.1.0")),
        Verdict::Contradicted
    );
    assert_eq!(
        verdict(denied, "20.1.0", mongoose("7.0.0")),
        Verdict::Unknown
    );
}
