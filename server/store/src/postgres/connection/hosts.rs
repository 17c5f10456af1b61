//! Addresses of a cluster: one or several servers, one of which is the primary.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use super::tls;
use crate::{DatabaseUrl, Result, StoreError};

/// Parameters of other clients that are accepted and ignored, since this program behaves that way anyhow.
const IGNORED: [&str; 3] = [
    "target_session_attrs",
    "load_balance_hosts",
    "connect_timeout",
];
/// Parameters that are passed on to the PostgreSQL driver.
const PASSED_ON: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "statement-cache-capacity",
];

/// Parses `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?PARAMETERS`; returns the options of each
/// host.
///
/// *Errors*: [`StoreError::Address`], [`StoreError::Parameter`], [`StoreError::Encryption`].
pub(crate) fn of_url(url: &DatabaseUrl) -> Result<Vec<PgConnectOptions>> {
    let refused = || StoreError::Address(url.clone());
    let (scheme, rest) = url.expose().split_once("://").ok_or_else(refused)?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    let tail = without_ignored(tail).map_err(|unknown| match tail.contains('@') {
        // The unknown parameter may be part of a password, so it is not shown.
        true => refused(),
        false => StoreError::Parameter(unknown),
    })?;
    let options = |host: &str| {
        let options = PgConnectOptions::from_str(&format!("{scheme}://{user}{host}{tail}"));
        // The parser's message may contain the password.
        let options = options.map_err(|_| refused())?;
        let options = options.application_name("recall-kit-server");
        Ok(tls::checked(options, &tail)?)
    };
    hosts.split(',').map(options).collect()
}

/// Removes ignored parameters from the path and parameters of an address.
///
/// *Errors*: the name of an unknown parameter.
fn without_ignored(tail: &str) -> Result<String, String> {
    let Some((path, parameters)) = tail.split_once('?') else {
        return Ok(tail.to_owned());
    };
    let mut passed_on = Vec::new();
    for parameter in parameters.split('&').filter(|it| !it.is_empty()) {
        let name = parameter.split('=').next().unwrap_or_default();
        match name {
            name if IGNORED.contains(&name) => {}
            name if PASSED_ON.contains(&name) || name.starts_with("options[") => {
                passed_on.push(parameter);
            }
            unknown => return Err(unknown.to_owned()),
        }
    }
    Ok(match passed_on.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", passed_on.join("&")),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_host_has_the_same_user_database_and_parameters() {
        let url = "postgres://me@one:5433,two,[::1]:7/memory\
            ?target_session_attrs=read-write&sslmode=disable";
        let hosts = of_url(&url.into()).unwrap();
        let seen: Vec<_> = hosts
            .iter()
            .map(|host| (host.get_host(), host.get_port(), host.get_database()))
            .collect();
        let database = Some("memory");
        assert_eq!(
            seen,
            [
                ("one", 5433, database),
                ("two", 5432, database),
                ("[::1]", 7, database)
            ]
        );
        assert!(hosts.iter().all(|host| host.get_username() == "me"));
    }

    #[test]
    fn an_invalid_address_is_shown_without_its_password() {
        let word = ["hush", "hush"].concat();
        for url in [
            format!("postgres://me:{word}@one:port/x"),
            format!("postgres://me:{word}@one/x?sslmode=perhaps"),
            format!("postgres://me@one/x?sslmod={word}"),
            format!("postgres://me:a?{word}=b@one/x"),
            format!("postgres://me:a?b&{word}@one/x"),
            format!("postgres://me@one:port/x?password={word}"),
        ] {
            let url = DatabaseUrl::from(url);
            let message = format!("{url:?} {}", of_url(&url).unwrap_err());
            assert!(
                message.contains("postgres://") && !message.contains(&word),
                "{message}"
            );
        }
        for url in [
            format!("postgres:me:{word}@one"),
            format!("postgres://me:{word}"),
            format!("host=one user=me password={word}"),
            format!("postgres://me:a?{word}@one/x"),
            format!("postgres://me:{word}@{word}@one/x?password=@{word}"),
        ] {
            let shown = DatabaseUrl::from(url).to_string();
            assert!(!shown.contains(&word), "{shown}");
        }
    }
}
